/// An expected string with placeholders in it, such as `order-{{any.uuid}}`.
struct JSONTextPattern: Sendable {
    enum Piece: Sendable {
        case literal([UInt8])
        case placeholder(JSONPlaceholder)
    }

    private(set) var pieces: [Piece] = []
    /// Unknown placeholders, as written.
    private(set) var unknown: [String] = []

    /// Finds the placeholders of a text: a name in two braces that is `any` or begins with `any.`. Other text in
    /// braces is literal.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        var literal: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == ASCII.openBrace, let (name, end) = Self.name(in: bytes, from: index) else {
                literal.append(bytes[index])
                index += 1
                continue
            }
            if let placeholder = JSONPlaceholder(rawValue: name) {
                if !literal.isEmpty { self.pieces.append(.literal(literal)) }
                literal = []
                self.pieces.append(.placeholder(placeholder))
            } else {
                let source = bytes[index..<end]
                if name.hasPrefix("any.") { self.unknown.append(String(decoding: source, as: UTF8.self)) }
                literal.append(contentsOf: source)
            }
            index = end
        }
        if !literal.isEmpty { self.pieces.append(.literal(literal)) }
    }

    var hasPlaceholders: Bool {
        self.pieces.contains { if case .placeholder = $0 { true } else { false } }
    }

    /// The placeholder when it is all there is.
    var whole: JSONPlaceholder? {
        guard self.pieces.count == 1, case .placeholder(let placeholder) = self.pieces[0] else { return nil }
        return placeholder
    }

    /// Returns true if the whole of `text` matches the pieces.
    func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { self.matches(UnsafeRawBufferPointer($0)) }
    }

    /// Matches piece by piece, with all places where the next one may begin, so no text takes long.
    private func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var starts = [0]
        for piece in self.pieces {
            switch piece {
            case .literal(let literal):
                starts = starts.compactMap { start in
                    text[start...].starts(with: literal) ? start + literal.count : nil
                }
            case .placeholder(.any), .placeholder(.string):
                guard let first = starts.first else { return false }
                starts = Array(first...text.count)
            case .placeholder(let placeholder):
                starts = Set(starts.flatMap { placeholder.ends(in: text, from: $0) }).sorted()
            }
        }
        return starts.last == text.count
    }

    /// The name between the two pairs of braces that begin at `start`, and the offset behind them.
    private static func name(in bytes: [UInt8], from start: Int) -> (name: String, end: Int)? {
        guard bytes[start...].starts(with: [ASCII.openBrace, ASCII.openBrace]) else { return nil }
        let isInName: (UInt8) -> Bool = { byte in
            byte != ASCII.openBrace && byte != ASCII.closeBrace && byte != ASCII.quote
        }
        let inside = bytes[(start + 2)...].prefix(while: isInName)
        guard bytes[inside.endIndex...].starts(with: [ASCII.closeBrace, ASCII.closeBrace]) else { return nil }
        let trimmed = inside.drop { $0 == ASCII.space }
        let name = trimmed.prefix { $0 != ASCII.space }
        guard trimmed[name.endIndex...].allSatisfy({ $0 == ASCII.space }) else { return nil }
        return (String(decoding: name, as: UTF8.self), inside.endIndex + 2)
    }
}
