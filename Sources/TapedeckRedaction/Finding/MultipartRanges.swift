import TapedeckCore

/// The ranges of the parts of a multipart body, read leniently: a part that is cut off is a part, too.
struct MultipartRanges {
    struct Part {
        var content: Range<Int>
        var name: String?
        var contentType: String?
    }

    let parts: [Part]
    /// The bytes around the contents: the text before the first part, and the headers of the parts.
    let between: [Range<Int>]

    /// `nil` when the type has no boundary, or the body does not hold it.
    init?(_ text: UnsafeRawBufferPointer, contentType: String) {
        guard let boundary = Self.parameter("boundary", of: contentType), !boundary.isEmpty,
            let parts = MultipartParser.parts(of: text, boundary: boundary, isLenient: true)
        else { return nil }
        self.parts = parts.map { part in
            let disposition = part.value("content-disposition")
            return Part(
                content: part.content,
                name: disposition.flatMap { Self.parameter("name", of: $0) },
                contentType: part.value("content-type")
            )
        }
        let starts = [0] + parts.map(\.content.upperBound)
        let ends = parts.map(\.content.lowerBound) + [text.count]
        self.between = zip(starts, ends).map { $0..<max($0, $1) }
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
