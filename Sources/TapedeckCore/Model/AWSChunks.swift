/// Takes a request body out of the chunks in which AWS SDKs send it, to sign it or to send a checksum behind it.
///
/// Their `Content-Encoding: aws-chunked` is no coding of the content, and services remove it (AWS Signature Version 4, "Transferring
/// Payload in Multiple Chunks"). A chunk is its size in hexadecimal digits, perhaps a signature behind a semicolon, a line
/// end, the data, and a line end; behind one of size zero come trailer fields. Signatures and checksums follow from the
/// content, and are left out. A body that is not in this form stays as it is: stores send the field with what they have kept.
package struct AWSChunks {
    private enum State {
        /// In the line before a chunk.
        case size
        case data(remaining: Int)
        /// In the line end behind a chunk.
        case dataEnd
        case trailers
        /// The rest is not in this form.
        case other
    }

    static let name = "aws-chunked"
    /// A line is no longer: a size, and a signature of 64 digits.
    private static let longestLine = 512
    private var state = State.size
    /// The beginning of a line whose end has not come yet.
    private var line: [UInt8] = []

    /// Returns `nil` for a request whose body has no such chunks.
    package init?(_ fields: [HeaderField]) {
        guard Self.isNamed(in: fields) else { return nil }
    }

    private static func isNamed(in fields: [HeaderField]) -> Bool {
        fields.contains { field in
            field.isNamed("content-encoding") && ASCII.lowercased(field.value).containsText(self.name)
        }
    }

    /// Returns the header fields without the name of these chunks.
    package static func removed(from fields: [HeaderField]) -> [HeaderField] {
        guard self.isNamed(in: fields) else { return fields }
        return fields.compactMap { field in
            guard field.isNamed("content-encoding") else { return field }
            let others = field.value.split(separator: ",").map { $0.trimmingSpaces() }
                .filter { ASCII.lowercased(String($0)) != self.name }
            return others.isEmpty ? nil : HeaderField(field.name, others.joined(separator: ", "))
        }
    }

    /// Returns the content of a whole body; the body itself if its fields name no such chunks.
    package static func content(_ body: [UInt8], _ fields: [HeaderField]) -> [UInt8] {
        guard var chunks = AWSChunks(fields) else { return body }
        return body.withUnsafeBytes { chunks.update($0) } + chunks.finish()
    }

    /// Returns the content in the next piece of a body.
    package mutating func update(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
        var content: [UInt8] = []
        var rest = piece[...]
        while !rest.isEmpty {
            switch self.state {
            case .size, .dataEnd:
                let end = rest.firstIndex(of: ASCII.lineFeed)
                let part = rest[..<(end.map { $0 + 1 } ?? rest.endIndex)]
                self.line += part
                rest = rest[part.endIndex...]
                if end != nil {
                    self.endLine(&content)
                } else if self.line.count > Self.longestLine {
                    self.giveUp(&content)
                }
            case .data(let remaining):
                let part = rest.prefix(remaining)
                content += part
                rest = rest[part.endIndex...]
                self.state = part.count == remaining ? .dataEnd : .data(remaining: remaining - part.count)
            case .trailers:
                return content
            case .other:
                content += rest
                return content
            }
        }
        return content
    }

    /// Returns the last bytes of a body that is not in this form; none for any other.
    package mutating func finish() -> [UInt8] {
        defer { self.line = [] }
        return self.line
    }

    private mutating func endLine(_ content: inout [UInt8]) {
        if case .dataEnd = self.state {
            guard self.line.allSatisfy({ $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed }) else {
                return self.giveUp(&content)
            }
            self.state = .size
        } else {
            let digits = self.line.prefix { ASCII.hexValue($0) != nil }
            let next = self.line[digits.endIndex]
            guard (1...8).contains(digits.count), next == ASCII.semicolon || next == ASCII.carriageReturn else {
                return self.giveUp(&content)
            }
            let size = digits.reduce(0) { $0 << 4 | Int(ASCII.hexValue($1) ?? 0) }
            self.state = size == 0 ? .trailers : .data(remaining: size)
        }
        self.line = []
    }

    private mutating func giveUp(_ content: inout [UInt8]) {
        content += self.line
        self.line = []
        self.state = .other
    }
}
