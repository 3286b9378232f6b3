/// A text with placeholders of secrets in it, as the texts between them.
struct SecretTemplate: Sendable {
    /// The bytes at the place of a placeholder.
    struct Value: Sendable {
        var placeholder: SecretPlaceholder
        var bytes: [UInt8]
    }

    private let placeholders: [SecretPlaceholder]
    /// The texts between the placeholders, without escapes. One more than there are placeholders.
    private let pieces: [[UInt8]]

    /// `nil` if the text holds no placeholder.
    init?(_ text: [UInt8]) {
        let found = text.withUnsafeBytes { SecretPlaceholder.all(in: $0) }
        guard !found.isEmpty else { return nil }
        var pieces: [[UInt8]] = []
        var start = 0
        for (range, _) in found {
            pieces.append(PlaceholderEscape.unescaped(Array(text[start..<range.lowerBound])))
            start = range.upperBound
        }
        self.placeholders = found.map(\.placeholder)
        self.pieces = pieces + [PlaceholderEscape.unescaped(Array(text[start...]))]
    }

    init?(_ text: String) {
        guard text.utf8.contains(ASCII.openBrace) else { return nil }
        self.init(ByteText.bytes(of: text))
    }

    /// True if the text consists of one placeholder.
    var isOnePlaceholder: Bool { self.placeholders.count == 1 && self.pieces.allSatisfy(\.isEmpty) }

    /// Returns the value at each placeholder of a text that is otherwise the template; `nil` for any other text. A value
    /// ends at the first occurrence of the piece behind it.
    ///
    /// - Parameter ends: Returns true for bytes that no value holds.
    func values(in text: some Collection<UInt8>, ends: (UInt8) -> Bool = { _ in false }) -> [Value]? {
        let text = Array(text)
        guard text.starts(with: self.pieces[0]) else { return nil }
        var values: [Value] = []
        var start = self.pieces[0].count
        for (number, placeholder) in self.placeholders.enumerated() {
            let piece = self.pieces[number + 1]
            let isLast = number + 1 == self.placeholders.count
            // Two adjacent values without text between them cannot be separated.
            guard isLast || !piece.isEmpty else { return nil }
            guard let end = Self.end(of: piece, in: text, from: start + 1, isLast: isLast) else { return nil }
            let value = text[start..<end]
            guard !value.contains(where: ends) else { return nil }
            values.append(Value(placeholder: placeholder, bytes: Array(value)))
            start = end + piece.count
        }
        return values
    }

    /// Returns the start of `piece`, from `start` on: at the end of the text, if it is the last one.
    private static func end(of piece: [UInt8], in text: [UInt8], from start: Int, isLast: Bool) -> Int? {
        let latest = text.count - piece.count
        guard start <= latest else { return nil }
        if isLast { return text[latest...].elementsEqual(piece) ? latest : nil }
        return (start...latest).first { index in
            text[index] == piece[0] && text[index...].starts(with: piece)
        }
    }
}
