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
            guard let escaped = rest.popFirst(), Self.isLiteral(escaped) else { return nil }
            text.append(escaped)
        }
        self.text = text
    }

    /// True for a byte that stands for itself behind a backslash.
    private static func isLiteral(_ escaped: UInt8) -> Bool {
        escaped < 0x80 && (!ASCII.isUnreserved(escaped) || ".-_~".utf8.contains(escaped))
    }

    private static let special = Set(".^$*+?()[]{}|\\".utf8)

    /// Returns the pattern for another text, whose placeholders stay as they are.
    func source(for text: [UInt8]) -> [UInt8] { self.start + Self.escaped(text) + self.end }

    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        let placeholders = text.withUnsafeBytes { SecretPlaceholder.all(in: $0) }.map(\.range)
        var source: [UInt8] = []
        for (index, byte) in text.enumerated() {
            if Self.special.contains(byte), !placeholders.contains(where: { $0.contains(index) }) {
                source.append(ASCII.backslash)
            }
            source.append(byte)
        }
        return source
    }

    /// Changes each stretch of any pattern that matches one text: `Bearer ` and `abc` in `^Bearer (?:abc)+`. A stretch that
    /// `change` returns as it was stays as it is written.
    static func changingStretches<Failure: Error>(
        of source: [UInt8],
        _ change: (_ text: [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        /// The bytes of the stretch, each with its form in the pattern.
        var stretch: [(text: UInt8, source: ArraySlice<UInt8>)] = []
        func end() throws(Failure) {
            let text = stretch.map(\.text)
            let changed = text.isEmpty ? text : try change(text)
            result += changed == text ? Array(stretch.map(\.source).joined()) : Self.escaped(changed)
            stretch = []
        }
        let placeholders = source.withUnsafeBytes { SecretPlaceholder.all(in: $0) }.map(\.range)
        var place = 0
        while place < source.count {
            let byte = source[place]
            var next = place + 1
            if let placeholder = placeholders.first(where: { $0.lowerBound == place }) {
                next = placeholder.upperBound
            } else if byte == ASCII.backslash {
                next = min(place + 2, source.count)
                if next == place + 2, Self.isLiteral(source[place + 1]) {
                    stretch.append((source[place + 1], source[place..<next]))
                    place = next
                    continue
                }
            } else if !Self.special.contains(byte) {
                stretch.append((byte, source[place..<next]))
                place = next
                continue
            } else {
                next = Self.end(of: source, from: place)
                // A quantifier is for the last byte alone.
                if "*+?{".utf8.contains(byte), let last = stretch.popLast() {
                    try end()
                    result += last.source
                }
            }
            try end()
            result += source[place..<next]
            place = next
        }
        try end()
        return result
    }

    /// The place behind a class, the start of a group, a quantifier or another special byte.
    private static func end(of source: [UInt8], from start: Int) -> Int {
        func behind(_ isLast: (UInt8) -> Bool, from place: Int) -> Int {
            var place = place
            while place < source.count, !isLast(source[place]) { place += source[place] == ASCII.backslash ? 2 : 1 }
            return min(place + 1, source.count)
        }
        switch source[start] {
        case UInt8(ascii: "["):
            // A bracket in front is one of the class.
            let isNegated = start + 1 < source.count && source[start + 1] == UInt8(ascii: "^")
            return behind({ $0 == UInt8(ascii: "]") }, from: start + (isNegated ? 3 : 2))
        case UInt8(ascii: "{"): return behind({ $0 == UInt8(ascii: "}") }, from: start)
        case UInt8(ascii: "(") where start + 1 < source.count && source[start + 1] == UInt8(ascii: "?"):
            return behind({ ":=!>)".utf8.contains($0) }, from: start)
        default: return start + 1
        }
    }
}
