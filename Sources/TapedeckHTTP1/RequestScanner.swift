package import TapedeckCore

/// Scans request heads (RFC 9112 section 3) strictly: anything not well-formed is rejected. The result is offsets into
/// the given bytes; nothing is allocated for a request that is answered from tape.
package struct RequestScanner: Sendable {
    package private(set) var method: Range<Int> = 0..<0
    package private(set) var target: Range<Int> = 0..<0
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    package private(set) var minorVersion = 1
    package private(set) var fields = FieldSection()
    /// True for a HEAD request.
    package private(set) var isHead = false
    /// True for a CONNECT request.
    package private(set) var isConnect = false
    /// True if the connection stays open after this request (RFC 9112 section 9.3).
    package private(set) var isPersistent = true
    /// True if a body follows the head.
    package private(set) var hasBody = false

    package init() {}

    /// Looks for a complete head at the front of `bytes`.
    package mutating func scan(_ bytes: UnsafeRawBufferPointer) -> ScanResult {
        var index = 0
        // RFC 9112 section 2.2: ignore an empty line before the request line.
        while index + 1 < bytes.count, bytes[index] == ASCII.carriageReturn, bytes[index + 1] == ASCII.lineFeed {
            index += 2
        }
        if index + 1 == bytes.count, bytes[index] == ASCII.carriageReturn { return Self.bounded(.incomplete, bytes) }
        let result = self.scanRequestLine(bytes, from: index)
        guard case .complete(let lineEnd) = result else { return Self.bounded(result, bytes) }
        let end = self.fields.scan(bytes, from: lineEnd, takesBareLineFeed: false)
        guard case .complete(let after) = end else { return Self.bounded(end, bytes) }
        guard after <= MessageLimits.head else { return Self.bounded(.incomplete, bytes) }
        if let problem = self.check() { return problem }
        // Worked out once: another module cannot ask a scanner without copying it.
        self.isHead = self.isMethod("HEAD", bytes)
        self.isConnect = self.isMethod("CONNECT", bytes)
        // With both tokens, the connection closes.
        self.isPersistent = !self.fields.asksForClose && (self.minorVersion == 1 || self.fields.asksForKeepAlive)
        self.hasBody = self.fields.isChunked || (self.fields.contentLength ?? 0) > 0
        return end
    }

    /// Method and URL of the request that was scanned.
    ///
    /// - Parameter pathStart: where the path begins in the target.
    package func line(_ bytes: UnsafeRawBufferPointer, origin: Origin, pathStart: Int) -> RequestLine {
        let method = ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[self.method]))
        let target = bytes[self.target].dropFirst(pathStart)
        let text = ByteText.string(from: UnsafeRawBufferPointer(rebasing: target)).prefix { $0 != "#" }
        return RequestLine(
            method: method,
            url: AbsoluteURL(origin: origin, target: text.first == "/" ? String(text) : "/\(text)")
        )
    }

    private func isMethod(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard self.method.count == name.utf8CodeUnitCount else { return false }
        for offset in 0..<self.method.count where bytes[self.method.lowerBound + offset] != name.utf8Start[offset] {
            return false
        }
        return true
    }

    private mutating func scanRequestLine(_ bytes: UnsafeRawBufferPointer, from start: Int) -> ScanResult {
        var index = start
        while index < bytes.count, ASCII.isToken(bytes[index]) { index += 1 }
        guard index < bytes.count else { return .incomplete }
        guard index > start, index - start <= 64, bytes[index] == ASCII.space else {
            return .malformed(MalformedMessage("the request line does not begin with a method"))
        }
        self.method = start..<index
        index += 1
        let targetStart = index
        while index < bytes.count, bytes[index] > ASCII.space, bytes[index] != 0x7F { index += 1 }
        guard index < bytes.count else { return .incomplete }
        guard index > targetStart, bytes[index] == ASCII.space else {
            return .malformed(MalformedMessage("the request line is not METHOD TARGET HTTP/1.1"))
        }
        self.target = targetStart..<index
        index += 1
        return self.scanVersion(bytes, from: index)
    }

    private mutating func scanVersion(_ bytes: UnsafeRawBufferPointer, from start: Int) -> ScanResult {
        let prefix: StaticString = "HTTP/1."
        for offset in 0..<prefix.utf8CodeUnitCount {
            guard start + offset < bytes.count else { return .incomplete }
            guard bytes[start + offset] == prefix.utf8Start[offset] else {
                let isHTTP = offset >= 5
                return .malformed(
                    isHTTP
                        ? MalformedMessage("only HTTP/1.0 and HTTP/1.1 are spoken here", status: 505)
                        : MalformedMessage("the request line is not METHOD TARGET HTTP/1.1")
                )
            }
        }
        let end = start + prefix.utf8CodeUnitCount
        guard end < bytes.count else { return .incomplete }
        switch bytes[end] {
        case 0x30: self.minorVersion = 0
        case 0x31: self.minorVersion = 1
        default: return .malformed(MalformedMessage("only HTTP/1.0 and HTTP/1.1 are spoken here", status: 505))
        }
        switch LineEnd(bytes, at: end + 1, takesBareLineFeed: false) {
        case .here(let after): return .complete(after)
        case .incomplete: return .incomplete
        case .none where end + 1 == bytes.count: return .incomplete
        case .bareCarriageReturn, .none:
            return .malformed(MalformedMessage("the request line does not end with CR LF"))
        }
    }

    private func check() -> ScanResult? {
        // RFC 9112 section 3.2: an HTTP/1.1 request without Host, or any request with two, is refused.
        if self.fields.hostCount > 1 { return .malformed(MalformedMessage("Host comes twice")) }
        if self.minorVersion == 1, self.fields.hostCount == 0 {
            return .malformed(MalformedMessage("there is no Host header"))
        }
        // Two session keys are ambiguous.
        if self.fields.sessionKeyCount > 1 { return .malformed(MalformedMessage("X-Tapedeck-Session comes twice")) }
        if self.fields.proxyAuthorizationCount > 1 {
            return .malformed(MalformedMessage("Proxy-Authorization comes twice"))
        }
        // RFC 9112 section 6.1: HTTP/1.0 knows no transfer codings.
        if self.minorVersion == 0, self.fields.hasTransferEncoding {
            return .malformed(MalformedMessage("Transfer-Encoding in an HTTP/1.0 request"))
        }
        return nil
    }

    private static func bounded(_ result: ScanResult, _ bytes: UnsafeRawBufferPointer) -> ScanResult {
        guard result == .incomplete, bytes.count >= MessageLimits.head else { return result }
        return .malformed(MalformedMessage("the header is larger than \(MessageLimits.head) bytes", status: 431))
    }
}
