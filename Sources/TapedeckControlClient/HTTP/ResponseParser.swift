/// Parses an HTTP/1.1 response in pieces of any size (RFC 9112).
package struct ResponseParser: Sendable {
    package struct Head: Sendable, Equatable {
        package var status: Int
        /// In their order and with their names as received.
        package var fields: [(name: String, value: String)]

        /// The first value of a field.
        ///
        /// - Parameter name: in lower case.
        package subscript(_ name: String) -> String? { self.fields.first { $0.name.lowercased() == name }?.value }

        /// Without parameters, in lower case.
        var mediaType: String {
            let value = self["content-type"] ?? ""
            return value.prefix { $0 != ";" }.split(separator: " ").joined().lowercased()
        }

        package static func == (left: Self, right: Self) -> Bool {
            left.status == right.status && left.fields.elementsEqual(right.fields) { $0 == $1 }
        }
    }

    /// The reason why these bytes are not a response.
    package struct Malformed: Error, Equatable {
        package var reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    private enum Phase: Sendable {
        case head
        /// The number of body bytes still expected; `nil`: up to the end of the connection.
        case body(left: Int?)
        case chunkSize
        case chunk(left: Int)
        /// The empty line behind a chunk.
        case chunkEnd
        case trailers
        case complete
    }

    /// Once it has come.
    package private(set) var head: Head?
    /// The received part of the body that has not been taken.
    package private(set) var body: [UInt8] = []
    private let isHead: Bool
    private var phase = Phase.head
    private var pending: [UInt8] = []
    /// The number of processed bytes at the beginning of ``pending``.
    private var used = 0
    /// True if the end of the connection ended the body.
    private var endsAtClose = false

    /// The maximum length of a head, a chunk's first line or the trailers.
    private static let lineLimit = 64 << 10

    /// - Parameter isHead: true for the response to HEAD, which has no body.
    package init(isHead: Bool = false) {
        self.isHead = isHead
    }

    package var isComplete: Bool { if case .complete = self.phase { true } else { false } }

    /// True if nothing has come yet.
    var isUntouched: Bool { self.head == nil && self.pending.isEmpty }

    /// True if the connection can carry another request (RFC 9112 section 9.3).
    var keepsConnection: Bool {
        guard self.isComplete, !self.endsAtClose else { return false }
        return !(self.head?["connection"] ?? "").lowercased().contains("close")
    }

    /// The body as far as it has come since the last call.
    package mutating func takeBody() -> [UInt8] {
        defer { self.body = [] }
        return self.body
    }

    package mutating func receive(_ bytes: [UInt8]) throws(Malformed) {
        self.pending += bytes
        while try self.step() {}
        self.pending.removeFirst(self.used)
        self.used = 0
        // Only one response was requested, so further bytes are dropped.
        if self.isComplete { self.pending = [] }
        guard self.pending.count <= Self.lineLimit else { throw Malformed("a line of it does not end") }
    }

    /// The connection has ended.
    package mutating func end() throws(Malformed) {
        if case .body(nil) = self.phase {
            self.phase = .complete
            self.endsAtClose = true
        }
        guard self.isComplete else { throw Malformed("it ended too early") }
    }

    /// Does the next piece of work; returns whether there may be more to do with what has come.
    private mutating func step() throws(Malformed) -> Bool {
        switch self.phase {
        case .head:
            return try self.takeHead()
        case .body(let left):
            let taken = self.moveToBody(atMost: left ?? .max)
            if let left {
                self.phase = left == taken ? .complete : .body(left: left - taken)
            }
            return false
        case .chunkSize:
            guard let line = self.takeLine() else { return false }
            let digits = line.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
            guard digits.allSatisfy(\.isHexDigit), digits.utf8.count <= 15, let size = Int(digits, radix: 16) else {
                throw Malformed("\"\(line.prefix(40))\" is no size of a chunk")
            }
            self.phase = size == 0 ? .trailers : .chunk(left: size)
            return true
        case .chunk(let left):
            let taken = self.moveToBody(atMost: left)
            self.phase = left == taken ? .chunkEnd : .chunk(left: left - taken)
            return left == taken
        case .chunkEnd:
            guard let line = self.takeLine() else { return false }
            guard line.isEmpty else { throw Malformed("a chunk is longer than it says") }
            self.phase = .chunkSize
            return true
        case .trailers:
            guard let line = self.takeLine() else { return false }
            if line.isEmpty { self.phase = .complete }
            return true
        case .complete:
            return false
        }
    }

    private mutating func moveToBody(atMost limit: Int) -> Int {
        let count = min(limit, self.pending.count - self.used)
        self.body += self.pending[self.used..<self.used + count]
        self.used += count
        return count
    }

    /// A line without its end, once it is whole.
    private mutating func takeLine() -> String? {
        guard let end = self.pending[self.used...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        var line = self.pending[self.used..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        self.used = end + 1
        return String(decoding: line, as: UTF8.self)
    }

    /// Parses the head once it is complete, so that the work is done once however small the pieces are.
    private mutating func takeHead() throws(Malformed) -> Bool {
        let bytes = self.pending[self.used...]
        guard let end = Self.endOfHead(bytes) else { return false }
        self.used = end
        let lines = bytes[..<end].split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        guard let first = lines.first else { throw Malformed("it is empty") }
        let words = first.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3, let status = Int(words[1]),
            (100...999).contains(status)
        else { throw Malformed("it does not begin as HTTP") }
        var head = Head(status: status, fields: [])
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { throw Malformed("a header has no colon") }
            var value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            while value.last == " " || value.last == "\t" { value.removeLast() }
            head.fields.append((String(line[..<colon]), String(value)))
        }
        // Interim responses are ignored.
        guard status >= 200 else { return true }
        self.head = head
        self.phase = self.isHead ? .complete : try Self.framing(head)
        return true
    }

    /// The index behind the empty line.
    private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        while let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) {
            index = end + 1
            guard index < bytes.endIndex else { return nil }
            if bytes[index] == UInt8(ascii: "\n") { return index + 1 }
            guard index + 1 < bytes.endIndex else { return nil }
            if bytes[index] == UInt8(ascii: "\r"), bytes[index + 1] == UInt8(ascii: "\n") { return index + 2 }
        }
        return nil
    }

    /// RFC 9112 section 6.3.
    private static func framing(_ head: Head) throws(Malformed) -> Phase {
        if head.status == 204 || head.status == 304 { return .complete }
        if let coding = head["transfer-encoding"] {
            guard coding.lowercased() == "chunked" else { throw Malformed("it is coded as \(coding)") }
            return .chunkSize
        }
        guard let text = head["content-length"] else { return .body(left: nil) }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let length = Int(text) else {
            throw Malformed("\"\(text)\" is no length")
        }
        return length == 0 ? .complete : .body(left: length)
    }
}
