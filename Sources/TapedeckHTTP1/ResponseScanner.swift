package import TapedeckCore

/// Reads response heads off the wire (RFC 9112 section 4).
package struct ResponseScanner: Sendable {
    package private(set) var status = 0
    package private(set) var minorVersion = 1
    private var reason: Range<Int> = 0..<0
    package private(set) var fields = FieldSection()

    package init() {}

    /// Looks for a complete head at the front of `bytes`.
    package mutating func scan(_ bytes: UnsafeRawBufferPointer) -> ScanResult {
        let line = self.scanStatusLine(bytes)
        guard case .complete(let lineEnd) = line else { return Self.bounded(line, bytes) }
        let end = self.fields.scan(bytes, from: lineEnd, takesBareLineFeed: true)
        if case .complete(let after) = end, after > MessageLimits.head { return Self.bounded(.incomplete, bytes) }
        return Self.bounded(end, bytes)
    }

    package func head(_ bytes: UnsafeRawBufferPointer) -> ResponseHead {
        ResponseHead(
            status: self.status,
            reason: ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[self.reason])),
            fields: self.fields.fields(bytes)
        )
    }

    /// True if the connection can carry another request after this response (RFC 9112 section 9.3).
    package var isPersistent: Bool {
        // RFC 9112 section 6.1: HTTP/1.0 has no transfer codings, so the framing of such a response is in doubt.
        guard self.minorVersion == 1 || !self.fields.hasTransferEncoding else { return false }
        return !self.fields.asksForClose && (self.minorVersion == 1 || self.fields.asksForKeepAlive)
    }

    private mutating func scanStatusLine(_ bytes: UnsafeRawBufferPointer) -> ScanResult {
        let prefix: StaticString = "HTTP/1."
        for offset in 0..<prefix.utf8CodeUnitCount {
            guard offset < bytes.count else { return .incomplete }
            guard bytes[offset] == prefix.utf8Start[offset] else {
                return .malformed(MalformedMessage("the answer is not HTTP/1"))
            }
        }
        guard bytes.count > 12 else { return .incomplete }
        // A minor version beyond 1 is read as 1 (RFC 9110 section 2.5).
        guard bytes[7] >= 0x30, bytes[7] <= 0x39 else {
            return .malformed(MalformedMessage("the answer is not HTTP/1"))
        }
        self.minorVersion = bytes[7] == 0x30 ? 0 : 1
        guard bytes[8] == ASCII.space, let status = Self.status(bytes[9..<12]),
            [ASCII.space, ASCII.carriageReturn, ASCII.lineFeed].contains(bytes[12])
        else {
            return .malformed(MalformedMessage("the answer has no valid status"))
        }
        self.status = status
        var index = 12
        if bytes[index] == ASCII.space { index += 1 }
        let start = index
        while index < bytes.count, bytes[index] >= ASCII.space || bytes[index] == ASCII.tab { index += 1 }
        self.reason = start..<index
        switch LineEnd(bytes, at: index, takesBareLineFeed: true) {
        case .here(let after): return .complete(after)
        case .incomplete: return .incomplete
        case .none where index == bytes.count: return .incomplete
        case .bareCarriageReturn, .none:
            return .malformed(MalformedMessage("the status line holds a control character"))
        }
    }

    private static func status(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return status >= 100 ? status : nil
    }

    private static func bounded(_ result: ScanResult, _ bytes: UnsafeRawBufferPointer) -> ScanResult {
        guard result == .incomplete, bytes.count >= MessageLimits.head else { return result }
        return .malformed(MalformedMessage("the header is larger than \(MessageLimits.head) bytes"))
    }
}

/// The head of a response, as a value.
package struct ResponseHead: Sendable, Equatable {
    package var status: Int
    package var reason: String
    package var fields: [HeaderField]

    package init(status: Int, reason: String? = nil, fields: [HeaderField]) {
        self.status = status
        self.reason = reason ?? StatusPhrase.standard(status)
        self.fields = fields
    }

    /// Returns true if a response of this status can have a body (RFC 9112 section 6.3).
    package static func allowsBody(status: Int) -> Bool {
        status >= 200 && status != 204 && status != 304
    }
}

/// The head of a request that goes to an origin.
package struct RequestHead: Sendable, Equatable {
    package var method: String
    package var origin: Origin
    /// Path and query as received.
    package var target: String
    package var fields: [HeaderField]

    package init(method: String, origin: Origin, target: String, fields: [HeaderField]) {
        self.method = method
        self.origin = origin
        self.target = target
        self.fields = fields
    }

    package var line: RequestLine {
        let target = self.target == "*" ? "/*" : self.target
        return RequestLine(method: self.method, url: AbsoluteURL(origin: self.origin, target: target))
    }
}
