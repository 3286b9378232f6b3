package import TapedeckCore

/// The header or trailer fields of a message, as offsets into the bytes they were found in, and the facts about
/// framing that are read off them on the way. Reused from message to message, so that scanning allocates nothing.
package struct FieldSection: Sendable {
    package struct Slice: Sendable {
        var nameStart: Int32
        var nameEnd: Int32
        var valueStart: Int32
        var valueEnd: Int32

        var name: Range<Int> { Int(self.nameStart)..<Int(self.nameEnd) }
        package var value: Range<Int> { Int(self.valueStart)..<Int(self.valueEnd) }
    }

    package private(set) var slices: ContiguousArray<Slice> = []

    /// The value of Content-Length.
    package private(set) var contentLength: Int?
    /// True if the last transfer coding is `chunked`.
    package private(set) var isChunked = false
    package private(set) var hasTransferEncoding = false
    /// True if Connection (or Proxy-Connection) lists `close`.
    package private(set) var asksForClose = false
    /// True if Connection (or Proxy-Connection) lists `keep-alive`.
    package private(set) var asksForKeepAlive = false
    package private(set) var expectsContinue = false
    package private(set) var hasUpgrade = false
    /// True if there is a range or a precondition; see `SelectingFields`.
    package private(set) var selects = false
    /// The content codings that the Accept-Encoding fields offer.
    package private(set) var acceptedCodings = AcceptedCodings.identity
    /// The only Host field.
    package private(set) var host: Slice?
    package private(set) var hostCount = 0
    /// The value of X-Tapedeck-Session.
    package private(set) var sessionKey: Slice?
    package private(set) var sessionKeyCount = 0
    /// True if X-Tapedeck-Client names a URLSession, which gets faults as text.
    package private(set) var isURLSession = false
    package private(set) var namesClient = false
    /// The value of Proxy-Authorization.
    package private(set) var proxyAuthorization: Slice?
    package private(set) var proxyAuthorizationCount = 0

    package init() {
        self.slices.reserveCapacity(32)
    }

    /// Scans field lines from `start` to the empty line behind them (RFC 9112 section 5).
    ///
    /// - Parameter takesBareLineFeed: accept a line feed alone as line end (RFC 9112 section 2.2 leaves it to the
    ///   recipient): so for responses, which come from servers the user chose; never for requests.
    package mutating func scan(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        takesBareLineFeed: Bool
    ) -> ScanResult {
        self.reset()
        var index = start
        while index < bytes.count {
            switch LineEnd(bytes, at: index, takesBareLineFeed: takesBareLineFeed) {
            case .here(let after):
                return self.checkFraming().map(ScanResult.malformed) ?? .complete(after)
            case .incomplete:
                return .incomplete
            case .bareCarriageReturn:
                return .malformed(MalformedMessage("the header has a carriage return without a line feed"))
            case .none:
                break
            }
            if bytes[index] == ASCII.space || bytes[index] == ASCII.tab {
                // RFC 9112 section 5.2: a server must reject obsolete folding.
                return .malformed(MalformedMessage("a header line begins with white space (obsolete line folding)"))
            }
            let nameStart = index
            while index < bytes.count, ASCII.isToken(bytes[index]) { index += 1 }
            guard index < bytes.count else { return .incomplete }
            guard bytes[index] == ASCII.colon, index > nameStart else {
                return .malformed(MalformedMessage("a header line has no valid name before its colon"))
            }
            let nameEnd = index
            index += 1
            while index < bytes.count, bytes[index] == ASCII.space || bytes[index] == ASCII.tab { index += 1 }
            let valueStart = index
            index = Self.endOfText(bytes, from: index)
            var valueEnd = index
            switch LineEnd(bytes, at: index, takesBareLineFeed: takesBareLineFeed) {
            case .here(let after): index = after
            case .incomplete: return .incomplete
            case .bareCarriageReturn:
                return .malformed(MalformedMessage("the header has a carriage return without a line feed"))
            case .none:
                return index == bytes.count
                    ? .incomplete : .malformed(MalformedMessage("a header value holds a control character"))
            }
            while valueEnd > valueStart, bytes[valueEnd - 1] == ASCII.space || bytes[valueEnd - 1] == ASCII.tab {
                valueEnd -= 1
            }
            let slice = Slice(
                nameStart: Int32(nameStart),
                nameEnd: Int32(nameEnd),
                valueStart: Int32(valueStart),
                valueEnd: Int32(valueEnd)
            )
            self.slices.append(slice)
            if let problem = self.note(slice, bytes) { return .malformed(problem) }
        }
        return .incomplete
    }

    /// The fields as values of their own, but for those that say to Tapedeck which session is meant and who asks: nothing
    /// else is to see those.
    package func fields(_ bytes: UnsafeRawBufferPointer) -> [HeaderField] {
        let hasKey = self.sessionKeyCount > 0 || self.proxyAuthorizationCount > 0 || self.namesClient
        var fields: [HeaderField] = []
        fields.reserveCapacity(self.slices.count)
        for slice in self.slices where !hasKey || !Self.isKey(bytes, slice.name) {
            let field = HeaderField(
                ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[slice.name])),
                ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[slice.value]))
            )
            fields.append(field)
        }
        return fields
    }

    /// The fields by which a browser says for whom it sends a request. An Origin that comes twice is that of no page.
    package func visitor(_ bytes: UnsafeRawBufferPointer) -> PageRules.Visitor {
        var visitor = PageRules.Visitor()
        for slice in self.slices {
            switch slice.name.count {
            case 6 where Self.equals(bytes, slice.name, "origin"):
                visitor.origin = visitor.origin == nil ? self.text(slice, bytes) : ""
            case 14 where Self.equals(bytes, slice.name, "sec-fetch-site"):
                visitor.fetchSite = self.text(slice, bytes)
            default:
                break
            }
        }
        return visitor
    }

    private func text(_ slice: Slice, _ bytes: UnsafeRawBufferPointer) -> String {
        ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[slice.value]))
    }

    private static func isKey(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) -> Bool {
        self.equals(bytes, name, "x-tapedeck-session") || self.equals(bytes, name, "proxy-authorization")
            || self.equals(bytes, name, "x-tapedeck-client")
    }

    private mutating func reset() {
        self.slices.removeAll(keepingCapacity: true)
        self.contentLength = nil
        self.isChunked = false
        self.hasTransferEncoding = false
        self.asksForClose = false
        self.asksForKeepAlive = false
        self.expectsContinue = false
        self.hasUpgrade = false
        self.selects = false
        self.acceptedCodings = .identity
        self.host = nil
        self.hostCount = 0
        self.sessionKey = nil
        self.sessionKeyCount = 0
        self.isURLSession = false
        self.namesClient = false
        self.proxyAuthorization = nil
        self.proxyAuthorizationCount = 0
    }

    /// Notes what the field says about framing. Names are compared by length first, so most cost one comparison.
    private mutating func note(_ slice: Slice, _ bytes: UnsafeRawBufferPointer) -> MalformedMessage? {
        let name = slice.name
        let value = UnsafeRawBufferPointer(rebasing: bytes[slice.value])
        switch name.count {
        case 4 where Self.equals(bytes, name, "host"):
            self.host = slice
            self.hostCount += 1
        case 5 where Self.equals(bytes, name, "range"), 8 where Self.equals(bytes, name, "if-match"),
            13 where Self.equals(bytes, name, "if-none-match"), 17 where Self.equals(bytes, name, "if-modified-since"),
            19 where Self.equals(bytes, name, "if-unmodified-since"):
            self.selects = true
        case 6 where Self.equals(bytes, name, "expect"):
            self.expectsContinue = Self.equals(value, 0..<value.count, "100-continue")
        case 7 where Self.equals(bytes, name, "upgrade"):
            self.hasUpgrade = true
        case 10 where Self.equals(bytes, name, "connection"), 16 where Self.equals(bytes, name, "proxy-connection"):
            self.noteConnection(value)
        case 14 where Self.equals(bytes, name, "content-length"):
            return self.noteContentLength(value)
        case 15 where Self.equals(bytes, name, "accept-encoding"):
            self.acceptedCodings.add(fieldValue: value)
        case 17 where Self.equals(bytes, name, "transfer-encoding"):
            return self.noteTransferEncoding(value)
        case 17 where Self.equals(bytes, name, "x-tapedeck-client"):
            self.namesClient = true
            self.isURLSession = Self.equals(value, 0..<value.count, "urlsession")
        case 18 where Self.equals(bytes, name, "x-tapedeck-session"):
            self.sessionKey = slice
            self.sessionKeyCount += 1
        case 19 where Self.equals(bytes, name, "proxy-authorization"):
            self.proxyAuthorization = slice
            self.proxyAuthorizationCount += 1
        default:
            break
        }
        return nil
    }

    private mutating func noteConnection(_ value: UnsafeRawBufferPointer) {
        Self.forEachMember(value) { member in
            if Self.equals(value, member, "close") { self.asksForClose = true }
            if Self.equals(value, member, "keep-alive") { self.asksForKeepAlive = true }
        }
    }

    /// RFC 9112 section 6.3: an invalid or repeated Content-Length makes the framing unreliable.
    private mutating func noteContentLength(_ value: UnsafeRawBufferPointer) -> MalformedMessage? {
        var length = 0
        guard !value.isEmpty, value.count <= 18 else { return MalformedMessage("Content-Length is no valid number") }
        for byte in value {
            guard byte >= 0x30, byte <= 0x39 else { return MalformedMessage("Content-Length is no valid number") }
            length = length * 10 + Int(byte - 0x30)
        }
        guard self.contentLength == nil else { return MalformedMessage("Content-Length comes twice") }
        self.contentLength = length
        return nil
    }

    private mutating func noteTransferEncoding(_ value: UnsafeRawBufferPointer) -> MalformedMessage? {
        guard !self.hasTransferEncoding else { return MalformedMessage("Transfer-Encoding comes twice") }
        self.hasTransferEncoding = true
        self.isChunked = Self.equals(value, 0..<value.count, "chunked")
        guard !self.isChunked else { return nil }
        var endsInChunked = false
        Self.forEachMember(value) { endsInChunked = Self.equals(value, $0, "chunked") }
        // RFC 9112 section 6.3: if chunked is not last, the end of the body is unknown. Section 6.1: an unknown
        // transfer coding gets a 501.
        return endsInChunked
            ? MalformedMessage("the only transfer coding that is understood is chunked", status: 501)
            : MalformedMessage("the last transfer coding is not chunked")
    }

    /// RFC 9112 section 6.3: a message with both lengths might be an attempt at request smuggling.
    private func checkFraming() -> MalformedMessage? {
        self.hasTransferEncoding && self.contentLength != nil
            ? MalformedMessage("Content-Length and Transfer-Encoding come together") : nil
    }

    /// Calls `body` with the range of each member of a comma-separated list, white space trimmed.
    private static func forEachMember(_ value: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
        var start = 0
        while start <= value.count {
            var end = start
            while end < value.count, value[end] != ASCII.comma { end += 1 }
            var first = start
            var last = end
            while first < last, value[first] == ASCII.space || value[first] == ASCII.tab { first += 1 }
            while last > first, value[last - 1] == ASCII.space || value[last - 1] == ASCII.tab { last -= 1 }
            if first < last { body(first..<last) }
            start = end + 1
        }
    }

    private static func equals(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count
        where ASCII.lowercased(bytes[range.lowerBound + offset]) != text.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Returns the end of the text from `start` on: the first control character other than a tab.
    ///
    /// Most of a header is text, so this compares eight bytes at a time. With the top bit set beforehand no subtraction
    /// borrows from the next byte, and each test is exact.
    @inline(__always)
    private static func endOfText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = start
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let controls = ~((word | high) &- (ones &* 0x20)) & high & ~word
            let deletes = ~(((word ^ (ones &* 0x7F)) | high) &- ones) & high & ~word
            if controls | deletes != 0 { break }
            index += 8
        }
        while index < bytes.count, bytes[index] >= ASCII.space && bytes[index] != 0x7F || bytes[index] == ASCII.tab {
            index += 1
        }
        return index
    }
}

/// The kind of line end at an offset.
enum LineEnd {
    /// The line ends here; the next begins at the offset.
    case here(Int)
    /// A carriage return, and nothing is known of what follows it.
    case incomplete
    case bareCarriageReturn
    /// Something else, or nothing yet.
    case none

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at index: Int, takesBareLineFeed: Bool) {
        guard index < bytes.count else {
            self = .none
            return
        }
        switch bytes[index] {
        case ASCII.carriageReturn:
            guard index + 1 < bytes.count else {
                self = .incomplete
                return
            }
            self = bytes[index + 1] == ASCII.lineFeed ? .here(index + 2) : .bareCarriageReturn
        case ASCII.lineFeed where takesBareLineFeed:
            self = .here(index + 1)
        default:
            self = .none
        }
    }
}

/// The header fields by which Tapedeck speaks for itself: `X-Tapedeck-…`. Those of an origin are dropped, on the wire and on
/// tape: a client could not tell them from Tapedeck's own.
package enum OwnFields {
    private static let prefix = Array("x-tapedeck-".utf8)

    package static func contains(_ field: HeaderField) -> Bool {
        let name = field.name.utf8
        return name.count > self.prefix.count && zip(self.prefix, name).allSatisfy { $0 == ASCII.lowercased($1) }
    }
}
