/// A text with placeholders of secrets in it, as what stands between them.
struct SecretTemplate: Sendable {
    /// A placeholder in the text.
    struct Hole: Sendable {
        var name: String
        /// As it is written behind the name: `base64`; empty for the secret as it is.
        var form: String
    }

    /// What stands at the place of a placeholder.
    struct Value: Sendable {
        var hole: Hole
        var bytes: [UInt8]
    }

    private let holes: [Hole]
    /// As a request has them, without escapes. One more than there are holes.
    private let pieces: [[UInt8]]

    /// `nil` where no placeholder is in the text.
    init?(_ text: [UInt8]) {
        var holes: [Hole] = []
        var pieces: [[UInt8]] = []
        var start = 0
        var index = 0
        while let open = text[index...].firstIndex(of: ASCII.openBrace) {
            guard let (hole, end) = SecretMention.read(text, at: open) else {
                index = open + 1
                continue
            }
            pieces.append(PlaceholderEscape.unescaped(Array(text[start..<open])))
            holes.append(hole)
            start = end
            index = end
        }
        guard !holes.isEmpty else { return nil }
        self.holes = holes
        self.pieces = pieces + [PlaceholderEscape.unescaped(Array(text[start...]))]
    }

    init?(_ text: String) {
        guard text.utf8.contains(ASCII.openBrace) else { return nil }
        self.init(ByteText.bytes(of: text))
    }

    /// Whether the text is one placeholder and nothing else.
    var isOneHole: Bool { self.holes.count == 1 && self.pieces.allSatisfy(\.isEmpty) }

    /// What stands in the place of each placeholder, where all else is as in the template; a value ends where what
    /// follows it first comes. `nil` for another text.
    ///
    /// - Parameter ends: what no value has in it.
    func values(in text: some Collection<UInt8>, ends: (UInt8) -> Bool = { _ in false }) -> [Value]? {
        let text = Array(text)
        guard text.starts(with: self.pieces[0]) else { return nil }
        var values: [Value] = []
        var start = self.pieces[0].count
        for (number, hole) in self.holes.enumerated() {
            let piece = self.pieces[number + 1]
            let isLast = number + 1 == self.holes.count
            // Of two values without anything between them nobody knows where the first one ends.
            guard isLast || !piece.isEmpty else { return nil }
            guard let end = Self.end(of: piece, in: text, from: start + 1, isLast: isLast) else { return nil }
            let value = text[start..<end]
            guard !value.contains(where: ends) else { return nil }
            values.append(Value(hole: hole, bytes: Array(value)))
            start = end + piece.count
        }
        return values
    }

    /// Where `piece` begins, from `start` on: at the end of the text, if it is the last one.
    private static func end(of piece: [UInt8], in text: [UInt8], from start: Int, isLast: Bool) -> Int? {
        let latest = text.count - piece.count
        guard start <= latest else { return nil }
        if isLast { return text[latest...].elementsEqual(piece) ? latest : nil }
        return (start...latest).first { index in
            text[index] == piece[0] && text[index...].starts(with: piece)
        }
    }
}

extension SecretMention {
    /// The placeholder that begins at an index, and where it ends.
    static func read(_ text: [UInt8], at index: Int) -> (hole: SecretTemplate.Hole, end: Int)? {
        guard text[index...].starts(with: "{{secret.".utf8) else { return nil }
        func word(_ start: Int) -> ArraySlice<UInt8> {
            text[start...].prefix { ASCII.isUnreserved($0) && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "~") }
        }
        let name = word(index + "{{secret.".utf8.count)
        guard !name.isEmpty else { return nil }
        var end = name.endIndex
        var form: ArraySlice<UInt8> = []
        if end < text.count, text[end] == ASCII.colon {
            form = word(end + 1)
            end = form.endIndex
        }
        guard text[end...].starts(with: "}}".utf8) else { return nil }
        let hole = SecretTemplate.Hole(
            name: String(decoding: name, as: UTF8.self),
            form: String(decoding: form, as: UTF8.self)
        )
        return (hole, end + 2)
    }
}
