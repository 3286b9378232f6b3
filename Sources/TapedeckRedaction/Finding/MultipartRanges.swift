import TapedeckCore

/// Where the parts of a multipart body stand (RFC 2046 section 5.1.1). Lenient: what is cut off is a part too.
struct MultipartRanges {
    struct Part {
        var content: Range<Int>
        var name: String?
        var contentType: String?
        var transferEncoding: String?
    }

    private static let partLimit = 1_000

    private(set) var parts: [Part] = []
    /// The rest: what stands in front of the first part, and the headers of the parts.
    private(set) var between: [Range<Int>] = []

    /// `nil` when the type has no boundary, or the body does not hold it.
    init?(_ text: UnsafeRawBufferPointer, contentType: String) {
        guard let boundary = Self.parameter("boundary", of: contentType), !boundary.isEmpty else { return nil }
        let delimiter = Array("--\(boundary)".utf8)
        guard var found = text.range(of: delimiter, from: 0) else { return nil }
        self.between.append(0..<found.lowerBound)
        while self.parts.count < Self.partLimit {
            if text.has("--", at: found.upperBound) { break }
            let start = (text.index(of: ASCII.lineFeed, from: found.upperBound) ?? text.count - 1) + 1
            let next = text.range(of: delimiter, from: start)
            var end = next?.lowerBound ?? text.count
            if next != nil, end > start, text[end - 1] == ASCII.lineFeed { end -= 1 }
            if next != nil, end > start, text[end - 1] == ASCII.carriageReturn { end -= 1 }
            self.add(text, start..<max(start, end))
            guard let next else { return }
            found = next
        }
        self.between.append(found.upperBound..<text.count)
    }

    private mutating func add(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        var part = Part(content: range)
        var index = range.lowerBound
        while index < range.upperBound {
            let lineEnd = min(text.index(of: ASCII.lineFeed, from: index) ?? range.upperBound, range.upperBound)
            let line = HeaderLook.trimmed(text, index..<lineEnd)
            let content = line.isEmpty || (line.count == 1 && text[line.lowerBound] == ASCII.carriageReturn)
            if content {
                part.content = min(lineEnd + 1, range.upperBound)..<range.upperBound
                break
            }
            let field = String(decoding: text[line], as: UTF8.self).split(separator: ":", maxSplits: 1)
            if field.count == 2 {
                let value = String(field[1].filter { $0 != "\r" && $0 != "\r\n" }.drop { $0 == " " })
                switch ASCII.lowercased(String(field[0])) {
                case "content-disposition": part.name = Self.parameter("name", of: value)
                case "content-type": part.contentType = value
                case "content-transfer-encoding": part.transferEncoding = ASCII.lowercased(value)
                default: break
                }
            }
            index = lineEnd + 1
        }
        self.between.append(range.lowerBound..<part.content.lowerBound)
        self.parts.append(part)
    }

    private static func parameter(_ name: String, of value: String) -> String? {
        for parameter in value.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, ASCII.equalsIgnoringCase(String(pair[0].trimmingSpaces()), name) else { continue }
            var text = pair[1].trimmingSpaces()
            if text.hasPrefix("\""), text.hasSuffix("\""), text.count >= 2 { text = text.dropFirst().dropLast() }
            return String(text)
        }
        return nil
    }
}
