/// A place between the tokens of a recorded text where a live one may have others.
struct VaryingHole {
    var range: Range<Int>
    var shape: VaryingPiece.Shape

    /// Words in a text of one line, at most.
    private static let mostTokens = 200

    /// The tokens that may stand there, at most.
    var mostTokens: Int {
        switch self.shape {
        case .number, .hex, .word: 5
        case .text: Self.mostTokens
        case .order: self.range.count
        }
    }

    /// Returns the places of pieces in a text, in their order. A piece may have several, or none.
    static func all(of pieces: [VaryingPiece], in tokens: [VaryingToken]) -> [VaryingHole] {
        var holes: [VaryingHole] = []
        for piece in pieces {
            let before = VaryingToken.all(of: ByteText.bytes(of: piece.before))
            let after = VaryingToken.all(of: ByteText.bytes(of: piece.after))
            var start = before.count
            while start < tokens.count {
                guard !before.isEmpty || start == 0, tokens[..<start].suffix(before.count).elementsEqual(before),
                    let end = Self.end(of: piece.shape, before: after, in: tokens, from: start)
                else {
                    start += 1
                    continue
                }
                let hole = VaryingHole(range: start..<end, shape: piece.shape)
                if !holes.contains(where: { $0.range.overlaps(hole.range) }) { holes.append(hole) }
                start = end
            }
        }
        return holes.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The end of a piece, which is the nearest that has the text behind it.
    private static func end(
        of shape: VaryingPiece.Shape,
        before after: [VaryingToken],
        in tokens: [VaryingToken],
        from start: Int
    ) -> Int? {
        let last = min(tokens.count, start + Self.mostTokens)
        return (start + 1..<max(last, start) + 1).first { end in
            guard end <= tokens.count, after.isEmpty ? end == tokens.count : tokens[end...].starts(with: after) else {
                return false
            }
            let text = tokens[start..<end].bytes
            return shape.fits(text, for: text)
        }
    }
}

extension VaryingToken {
    /// The text of the token.
    var bytes: ArraySlice<UInt8> {
        switch self {
        case .separator(let byte): [byte]
        case .word(let text), .uuid(let text), .local(let text): text
        case .time(let moment): moment.text
        }
    }
}

extension Sequence<VaryingToken> {
    /// The text of the tokens.
    var bytes: [UInt8] { self.flatMap(\.bytes) }
}
