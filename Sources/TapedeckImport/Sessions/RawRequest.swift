import TapedeckCore

/// A request as bytes.
struct RawRequest {
    let method: String
    /// A path with a query, or a URL.
    let target: String
    let fields: [HeaderField]
    let body: [UInt8]
    /// True if the file has not all of the body.
    let lacksBody: Bool
    let notes: [String]

    /// - Throws: the reason for which the bytes are no request.
    init(_ bytes: [UInt8], line: Int) throws(LeftOut) {
        let message = RawMessage(bytes[...])
        guard let space = message.firstLine.firstIndex(of: " ") else {
            throw LeftOut("its request has no valid first line", line: line)
        }
        self.method = String(message.firstLine[..<space])
        let rest = message.firstLine[message.firstLine.index(after: space)...]
        // A target may hold spaces where a client sent them.
        let version = rest.ranges(of: " HTTP/").last
        self.target = String(rest[..<(version?.lowerBound ?? rest.endIndex)].trimmingSpaces())
        guard !self.target.isEmpty, !self.method.isEmpty, self.method.utf8.allSatisfy(ASCII.isToken) else {
            throw LeftOut("its request has no valid first line", line: line)
        }
        self.fields = message.fields
        let body = message.body
        self.body = body.problem == nil ? body.bytes : []
        self.lacksBody = body.problem != nil
        let problem = body.problem.map { "its request body \($0): it is no condition" }
        self.notes = message.notes + [problem, body.remark.map { "its request body \($0)" }].compactMap { $0 }
    }
}

/// An answer as bytes.
struct RawResponse {
    let status: Int
    let reason: String
    let fields: [HeaderField]
    let body: [UInt8]
    let trailers: [HeaderField]
    let notes: [String]

    /// - Parameter method: that of the request.
    /// - Throws: the reason for which the bytes are no whole answer.
    init(_ bytes: [UInt8], method: String, line: Int) throws(LeftOut) {
        var message = RawMessage(bytes[...])
        var status = try Self.status(message, line: line)
        // Answers that come before the final one (RFC 9110 section 15.2).
        while (100..<200).contains(status.code), status.code != 101, message.rest.starts(with: "HTTP/".utf8) {
            message = RawMessage(message.rest)
            status = try Self.status(message, line: line)
        }
        (self.status, self.reason) = status
        self.fields = message.fields
        let isBodiless = method.uppercased() == "HEAD" || self.status == 204 || self.status == 304 || self.status < 200
        let body = isBodiless ? RawMessage.Body(bytes: []) : message.body
        if let problem = body.problem { throw LeftOut("its body \(problem)", line: line) }
        self.body = body.bytes
        self.trailers = body.trailers
        self.notes = message.notes + [body.remark.map { "its body \($0)" }].compactMap { $0 }
    }

    private static func status(_ message: RawMessage, line: Int) throws(LeftOut) -> (code: Int, reason: String) {
        let parts = message.firstLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].hasPrefix("HTTP/"), let code = Int(parts[1]), (0...999).contains(code) else {
            throw LeftOut("its answer has no valid status line", line: line)
        }
        return (code, parts.count > 2 ? String(parts[2]) : "")
    }
}

extension ForeignExchange {
    /// An exchange of a request and its answer, or of a request alone.
    init(_ request: RawRequest, url: String) {
        self.init()
        self.method = request.method
        self.url = url
        self.requestHeaders = request.fields
        self.requestBody = request.body
        self.lacksRequestBody = request.lacksBody
        self.notes = request.notes
    }

    /// Takes an answer over.
    mutating func take(_ response: RawResponse) {
        self.status = response.status
        self.reason = response.reason
        self.headers = response.fields
        self.body = response.body
        self.trailers = response.trailers
        self.notes += response.notes
    }
}
