import TapedeckCore

/// A regular expression that matches one text as a whole, such as `\A(?:Bearer\ abc)\z` or `^abc$`.
struct LiteralPattern {
    let text: [UInt8]
    private let start: [UInt8]
    private let end: [UInt8]

    private static let frames: [(start: String, end: String)] = [("\\A(?:", ")\\z"), ("\\A", "\\z"), ("^", "$")]

    /// `nil` for a pattern that matches parts of texts, or several texts.
    init?(_ source: [UInt8]) {
        let frame = Self.frames.first {
            source.starts(with: $0.start.utf8) && source.suffix($0.end.utf8.count).elementsEqual($0.end.utf8)
        }
        guard let frame, source.count >= frame.start.utf8.count + frame.end.utf8.count else { return nil }
        (self.start, self.end) = (Array(frame.start.utf8), Array(frame.end.utf8))
        var rest = source.dropFirst(self.start.count).dropLast(self.end.count)
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == ASCII.backslash else {
                guard !Self.special.contains(byte) else { return nil }
                text.append(byte)
                continue
            }
            // Letters and digits behind a backslash have meanings of their own.
            guard let escaped = rest.popFirst(), escaped < 0x80,
                !ASCII.isUnreserved(escaped) || ".-_~".utf8.contains(escaped)
            else { return nil }
            text.append(escaped)
        }
        self.text = text
    }

    private static let special = Set(".^$*+?()[]{}|\\".utf8)

    /// Returns the pattern for another text, whose placeholders stay as they are.
    func source(for text: [UInt8]) -> [UInt8] {
        let placeholders = text.withUnsafeBytes { SecretPlaceholder.all(in: $0) }.map(\.range)
        var source = self.start
        for (index, byte) in text.enumerated() {
            if Self.special.contains(byte), !placeholders.contains(where: { $0.contains(index) }) {
                source.append(ASCII.backslash)
            }
            source.append(byte)
        }
        return source + self.end
    }
}
