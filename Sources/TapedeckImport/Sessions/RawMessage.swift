import TapedeckCore

/// An HTTP message as bytes: a first line, header fields and a body, as Fiddler and Burp store it.
///
/// Lines may end with a line feed alone, as files that people edited have it.
struct RawMessage {
    private(set) var firstLine = ""
    private(set) var fields: [HeaderField] = []
    /// The bytes behind the head, with their framing.
    private(set) var rest: ArraySlice<UInt8>
    /// The parts of the head that are left out, in half a sentence each.
    private(set) var notes: [String] = []

    init(_ bytes: ArraySlice<UInt8>) {
        self.rest = bytes
        // RFC 9112 section 2.2: an empty line may come before the first line.
        while self.rest.first == ASCII.carriageReturn || self.rest.first == ASCII.lineFeed { self.rest.removeFirst() }
        self.firstLine = Self.line(&self.rest).map { ByteText.string(from: $0) } ?? ""
        while let line = Self.line(&self.rest), !line.isEmpty { self.add(line) }
    }

    private mutating func add(_ line: ArraySlice<UInt8>) {
        // RFC 9112 section 5.2: such a line continues the one before.
        if line.first == ASCII.space || line.first == ASCII.tab, let last = self.fields.indices.last {
            let more = ByteText.string(from: line)[...].trimmingSpaces()
            self.fields[last].value += " \(more)"
            return
        }
        guard let field = Self.field(line) else {
            self.notes.append("the line '\(ByteText.string(from: line.prefix(80)))' of a header is left out: no colon")
            return
        }
        self.fields.append(field)
    }

    private static func field(_ line: ArraySlice<UInt8>) -> HeaderField? {
        guard let colon = line.firstIndex(of: ASCII.colon), colon > line.startIndex else { return nil }
        let name = ByteText.string(from: line[..<colon])[...].trimmingSpaces()
        let value = ByteText.string(from: line[(colon + 1)...])[...].trimmingSpaces()
        return HeaderField(String(name), String(value))
    }

    /// Takes the next line off, without its end; `nil` if nothing is left.
    private static func line(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !bytes.isEmpty else { return nil }
        let end = bytes.firstIndex(of: ASCII.lineFeed) ?? bytes.endIndex
        var line = bytes[bytes.startIndex..<end]
        bytes = bytes[min(end + 1, bytes.endIndex)...]
        if line.last == ASCII.carriageReturn { line.removeLast() }
        return line
    }
}

extension RawMessage {
    /// The body of a message without its framing.
    struct Body {
        var bytes: [UInt8]
        var trailers: [HeaderField] = []
        /// The reason for which it is not the whole body: half a sentence whose subject is the body.
        var problem: String?
        /// The difference between what is stored and what the head says: half a sentence whose subject is the body.
        var remark: String?
    }

    /// The body, judged by `Transfer-Encoding` and `Content-Length`.
    var body: Body {
        if self.fields.tokens(named: "transfer-encoding").last == "chunked", let body = self.unchunked { return body }
        var body = Body(bytes: Array(self.rest))
        // With a transfer coding, the length says nothing (RFC 9112 section 6.3).
        guard !self.fields.contains(named: "transfer-encoding"),
            let value = self.fields.first(named: "content-length"), !value.isEmpty,
            value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return body }
        let length = Int(value) ?? .max
        if body.bytes.count < length {
            body.problem = "breaks off after \(body.bytes.count) of \(Plural.text(length, "byte", "bytes"))"
        } else if body.bytes.count > length {
            let count = Plural.text(body.bytes.count, "byte", "bytes")
            body.remark = "has \(count), though Content-Length says \(length)"
        }
        return body
    }

    /// The body of chunks (RFC 9112 section 7.1); `nil` if it does not begin with one, as tools store it that take the
    /// framing off and leave the field.
    private var unchunked: Body? {
        var rest = self.rest
        var body = Body(bytes: [])
        guard let first = Self.line(&rest), Self.size(first) != nil || Self.isTooLarge(first) else { return nil }
        rest = self.rest
        while true {
            guard let size = Self.size(Self.line(&rest)) else {
                body.problem = rest.isEmpty ? "breaks off: its last chunk is missing" : "has a malformed chunk"
                return body
            }
            guard size > 0 else { break }
            guard size <= rest.count else {
                body.problem = "breaks off within a chunk of \(Plural.text(size, "byte", "bytes"))"
                return body
            }
            body.bytes += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard Self.line(&rest)?.isEmpty ?? true else {
                body.problem = "has a malformed chunk"
                return body
            }
        }
        while let line = Self.line(&rest), !line.isEmpty {
            if let field = Self.field(line) { body.trailers.append(field) }
        }
        if !rest.isEmpty {
            body.remark = "is followed by \(Plural.text(rest.count, "byte", "bytes")), which are left out"
        }
        return body
    }

    /// True for a line of so many digits that no size can be meant.
    private static func isTooLarge(_ line: ArraySlice<UInt8>) -> Bool {
        line.count > 15 && line.allSatisfy { ASCII.hexValue($0) != nil }
    }

    /// The size that a line of a chunk gives; `nil` for any other line.
    private static func size(_ line: ArraySlice<UInt8>?) -> Int? {
        guard let line else { return nil }
        let digits = line.prefix { ASCII.hexValue($0) != nil }
        // Fifteen digits keep the sum within an Int.
        guard (1...15).contains(digits.count) else { return nil }
        let rest = line[digits.endIndex...]
        guard rest.isEmpty || [ASCII.semicolon, ASCII.space, ASCII.tab].contains(rest[rest.startIndex]) else {
            return nil
        }
        return digits.reduce(0) { $0 << 4 | Int(ASCII.hexValue($1) ?? 0) }
    }
}
