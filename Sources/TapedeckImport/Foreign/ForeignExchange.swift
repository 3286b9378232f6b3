import TapedeckCodings
package import TapedeckCore

/// An exchange as a file of another tool has it.
package struct ForeignExchange: Sendable {
    package var method = "GET"
    package var url = ""
    package var requestHeaders: [HeaderField] = []
    package var requestBody: [UInt8] = []
    /// True if the file does not have the body of the request, so that it is no condition.
    package var lacksRequestBody = false
    package var status = 0
    package var reason = ""
    package var headers: [HeaderField] = []
    package var body: [UInt8] = []
    package var trailers: [HeaderField] = []
    /// The failure of the exchange; the status is 0 then, unless the response began.
    package var fault: Fault?
    /// The reason of the failure in the words of the file.
    package var detail: String?
    /// In milliseconds; `nil` where the file does not say it.
    package var latency: Int?
    /// When it was recorded; `nil` where the file does not say it.
    package var time: Instant?
    /// The parts of the entry that are played differently, in half a sentence each.
    package var notes: [String] = []

    package init() {}
}

/// One entry of a file: an exchange, or the reason why it gives none.
package struct ForeignEntry: Sendable {
    /// The line that it begins on, counted from 1.
    package let line: Int
    package let result: Result<ForeignExchange, LeftOut>

    package init(line: Int, result: Result<ForeignExchange, LeftOut>) {
        self.line = line
        self.result = result
    }

    /// Reads the entry that begins on a line: what `read` throws is the reason for which it gives nothing.
    static func reading(line: Int, _ read: () throws(LeftOut) -> ForeignExchange) -> ForeignEntry {
        do throws(LeftOut) {
            var exchange = try read()
            try exchange.settle(line: line)
            exchange.notes = exchange.notes.map(\.printable)
            return ForeignEntry(line: line, result: .success(exchange))
        } catch {
            return ForeignEntry(line: line, result: .failure(error))
        }
    }

    /// Reads one entry of a list: what `read` throws is the reason for which it gives nothing.
    static func reading(
        _ node: ForeignNode,
        _ read: (ForeignNode) throws(LeftOut) -> ForeignExchange
    ) -> ForeignEntry {
        self.reading(line: node.line) { () throws(LeftOut) in try read(node) }
    }
}

extension ForeignExchange {
    /// True unless answers to this method, or of this status, never have a body.
    var mayHaveBody: Bool {
        self.method.uppercased() != "HEAD" && self.status != 204 && self.status != 304
    }
}

/// A reason for which an entry gives nothing to play.
package struct LeftOut: Error, Sendable, Equatable {
    package let reason: String
    /// The line that the reason is on, counted from 1.
    package let line: Int

    package init(_ reason: String, line: Int) {
        self.reason = reason.printable
        self.line = line
    }
}

extension ForeignExchange {
    /// Makes of what a file says what can go over a wire, and refuses what cannot.
    fileprivate mutating func settle(line: Int) throws(LeftOut) {
        self.method = try Self.method(self.method, line: line)
        try self.settleURL(line: line)
        let isFaultAlone = self.fault.map { !$0.hasResponse } ?? false
        guard isFaultAlone || (200...999).contains(self.status) else {
            throw LeftOut(
                self.status == 0
                    ? "it has no status: the request got no response" : "no response has the status \(self.status)",
                line: line
            )
        }
        self.reason = self.reason.inOneLine
        self.requestHeaders = self.checked(self.requestHeaders)
        self.headers = self.checked(self.headers)
        self.trailers = self.checked(self.trailers)
        self.settleCoding()
        self.settleFraming()
    }

    private static func method(_ text: String, line: Int) throws(LeftOut) -> String {
        let method = (text.hasPrefix(":") ? text.dropFirst() : text[...]).uppercased()
        guard !method.isEmpty, method.utf8.allSatisfy(ASCII.isToken) else {
            throw LeftOut("'\(text)' is no method", line: line)
        }
        guard method != "CONNECT" else {
            throw LeftOut("it is a CONNECT, which opens a tunnel: nothing to play", line: line)
        }
        return method
    }

    /// Moves user and password from the URL to a header field.
    private mutating func settleURL(line: Int) throws(LeftOut) {
        if let host = PlaceholderHost(self.url) {
            self.url = host.url
            self.notes.append(
                "\(host.placeholder), which the tests fill in, is \(host.name) here: write the host in its place"
            )
        }
        if let scheme = self.url.firstRange(of: "://") {
            let authority = self.url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            if let at = authority.lastIndex(of: "@") {
                self.url.removeSubrange(scheme.upperBound...at)
                self.notes.append("user and password are taken out of the URL: clients send them as a header field")
            }
        }
        guard AbsoluteURL(self.url) != nil, self.url.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw LeftOut("'\(self.url.prefix(200))' is no http or https URL", line: line)
        }
    }

    /// Returns the fields that are valid on the wire.
    private mutating func checked(_ fields: [HeaderField]) -> [HeaderField] {
        fields.compactMap { field in
            // Pseudo-header fields of HTTP/2 are the request or status line.
            if field.name.hasPrefix(":") { return nil }
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(ASCII.isToken) else {
                self.notes.append("the header field '\(field.name.prefix(80))' is left out: no field has that name")
                return nil
            }
            var text = field.value.drop { $0.isASCII && $0.isWhitespace }
            while let last = text.last, last.isASCII, last.isWhitespace { text.removeLast() }
            let value = String(text).inOneLine
            if value != text {
                self.notes.append("control characters in the header field '\(field.name)' are played as spaces")
            }
            return HeaderField(field.name, value)
        }
    }

    /// Puts the codings that the fields name on a body that is stored without them, as many tools store it: the client
    /// gets what it got when the exchange was recorded.
    private mutating func settleCoding() {
        guard let codings = ContentCoding.all(of: self.headers), !codings.isEmpty, !self.body.isEmpty else { return }
        guard !self.isCoded(codings), !self.startsAsCoded(codings) else { return }
        guard let coded = try? codings.reduce(self.body, ContentCoder.encode) else {
            self.headers.removeAll { $0.isNamed("content-encoding") }
            self.notes.append("content-encoding is left out: the coding cannot be put on the body")
            return
        }
        self.body = coded
    }

    /// True if the body is a stream of these codings, as far as the first 64 MiB of what it unpacks to tell.
    private func isCoded(_ codings: [ContentCoding]) -> Bool {
        do {
            _ = try ContentCoder.decode(self.body, codings, limit: 64 << 20)
            return true
        } catch ContentCoder.Problem.tooLarge {
            return true
        } catch {
            return false
        }
    }

    /// True if the body begins like a stream of the last coding, so that it is a damaged one and no text.
    private func startsAsCoded(_ codings: [ContentCoding]) -> Bool {
        switch codings.last {
        case .gzip: self.body.starts(with: [0x1F, 0x8B])
        case .zstd: self.body.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
        default: false
        }
    }

    /// Leaves out the fields of the connection, and says how long the body is.
    private mutating func settleFraming() {
        let hopByHop: Set<String> = ["connection", "keep-alive", "proxy-connection", "te", "upgrade"]
        let isBodiless = self.method == "HEAD" || self.status == 204 || self.status == 304
        let isChunked = self.headers.tokens(named: "transfer-encoding").last == "chunked"
        var isFramed = false
        self.headers = self.headers.compactMap { field in
            switch ASCII.lowercased(field.name) {
            case "transfer-encoding":
                guard isChunked, !isBodiless, !isFramed else { return nil }
                isFramed = true
                return HeaderField(field.name, "chunked")
            case "content-length":
                guard !isBodiless else { return field }
                guard !isChunked, !isFramed else { return nil }
                isFramed = true
                return HeaderField(field.name, String(self.body.count))
            case let name:
                return hopByHop.contains(name) ? nil : field
            }
        }
    }
}

extension String {
    /// The text with a space in the place of each control character but the tab, which no header field can hold.
    var inOneLine: String {
        guard self.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { return self }
        // A CR and a LF together are one character.
        return String(
            self.map { character in
                let isControl = character.unicodeScalars.contains { scalar in
                    scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
                }
                return isControl ? " " : character
            }
        )
    }

}
