/// A difference between two runs of a program, in a place of a request.
struct VaryingLesson {
    var place: String
    var piece: VaryingPiece
    var recorded: String
    var live: String
}

/// Learning from two runs of one program.
extension VaryingComparison {
    /// A differing part of two texts.
    private struct Hunk {
        var recorded: Range<Int>
        var live: Range<Int>

        /// The range from this one to the end of another one behind it.
        func joined(to other: Hunk) -> Hunk {
            Hunk(
                recorded: self.recorded.lowerBound..<max(self.recorded.upperBound, other.recorded.upperBound),
                live: self.live.lowerBound..<max(self.live.upperBound, other.live.upperBound)
            )
        }

        /// With more tokens on each side.
        func widened(left: Int = 0, right: Int = 0) -> Hunk {
            Hunk(
                recorded: self.recorded.lowerBound - left..<self.recorded.upperBound + right,
                live: self.live.lowerBound - left..<self.live.upperBound + right
            )
        }
    }

    /// The longest piece of a text that varies, in bytes.
    private static let longestPiece = 1_000
    /// Texts of more tokens are compared as they are.
    private static let mostTokens = 5_000

    /// Notes in which pieces two texts differ. Returns false if that is not to be learned, or if the two say different things.
    mutating func learn(from recorded: [VaryingToken], _ live: [VaryingToken], at place: String) -> Bool {
        guard self.lessons != nil, place != "origin", !recorded.isEmpty, !live.isEmpty,
            max(recorded.count, live.count) <= Self.mostTokens,
            let hunks = self.hunks(recorded, live, isPath: place == "path"),
            let pieces = self.pieces(hunks, recorded, live, at: place),
            self.areSame(recorded, live, VaryingHole.all(of: pieces, in: recorded), place)
        else { return false }
        for (piece, hunk) in zip(pieces, hunks) {
            let texts = [recorded[hunk.recorded].bytes, live[hunk.live].bytes].map { ByteText.string(from: $0[...]) }
            _ = self.note(piece, texts[0], texts[1], at: place)
        }
        return true
    }

    /// Returns a piece for each hunk; `nil` if one of them cannot be told from the rest of the text.
    private func pieces(
        _ hunks: [Hunk],
        _ recorded: [VaryingToken],
        _ live: [VaryingToken],
        at place: String
    ) -> [VaryingPiece]? {
        guard !hunks.isEmpty, hunks.allSatisfy({ recorded[$0.recorded].bytes.count <= Self.longestPiece }),
            place != "path" || hunks.allSatisfy({ Self.isName(recorded[$0.recorded]) && Self.isName(live[$0.live]) })
        else { return nil }
        var pieces: [VaryingPiece] = []
        for hunk in hunks {
            let wider = Self.widths.lazy.compactMap { self.piece(hunk, recorded, live, among: hunks, width: $0) }
            // A piece is known by the text around it, which must not stand elsewhere.
            let unique = wider.first { VaryingHole.all(of: [$0], in: recorded).map(\.range) == [hunk.recorded] }
            guard let piece = unique ?? wider.first else { return nil }
            pieces.append(piece)
        }
        return VaryingHole.all(of: pieces, in: recorded).map(\.range) == hunks.map(\.recorded) ? pieces : nil
    }

    /// The numbers of tokens on each side that tell where a piece is, the first that do.
    private static let widths = [3, 8, 20]

    /// Returns true for a token that tells where in a text a piece is: one that does not vary by its form.
    private static func isLiteral(_ token: VaryingToken) -> Bool {
        switch token {
        case .separator: true
        case .word(let word): word.count < RandomWord.shortest || RandomWord.isChosen(word)
        case .uuid, .time, .local: false
        }
    }

    /// - Parameter width: the number of tokens on each side that tell where the piece is.
    private func piece(
        _ hunk: Hunk,
        _ recorded: [VaryingToken],
        _ live: [VaryingToken],
        among hunks: [Hunk],
        width: Int
    ) -> VaryingPiece? {
        let (one, other) = (recorded[hunk.recorded], live[hunk.live])
        let shape: VaryingPiece.Shape? =
            one.count > 2 && one.count == other.count && Self.haveSameItems(one, other)
            ? .order : .of(one.bytes, other.bytes)
        guard let shape else { return nil }
        func isLiteral(_ index: Int) -> Bool {
            Self.isLiteral(recorded[index]) && !hunks.contains { $0.recorded.contains(index) }
        }
        let start = hunk.recorded.lowerBound
        var before = (max(0, start - width)..<start).reversed().prefix(while: isLiteral).count
        let end = hunk.recorded.upperBound
        var after = (end..<min(recorded.count, end + width)).prefix(while: isLiteral).count
        // A text is easier to read without spaces at its ends.
        if before > 1, recorded[start - before] == .separator(ASCII.space) { before -= 1 }
        if after > 1, recorded[end + after - 1] == .separator(ASCII.space) { after -= 1 }
        guard before > 0 || start == 0, after > 0 || end == recorded.count else { return nil }
        let piece = VaryingPiece(
            shape,
            before: ByteText.string(from: recorded[(start - before)..<start].bytes[...]),
            after: ByteText.string(from: recorded[end..<(end + after)].bytes[...])
        )
        // Text such as `<text>` beside it reads as another piece.
        return VaryingPiece(piece.description) == piece ? piece : nil
    }

    // MARK: Differences

    /// Returns true for a part of a path that was made for the run: a plain word says what is asked for.
    private static func isName(_ tokens: ArraySlice<VaryingToken>) -> Bool {
        let bytes = tokens.bytes
        return !bytes.contains(ASCII.slash) && bytes.contains { (0x30...0x39).contains($0) || "-_".utf8.contains($0) }
    }

    /// - Parameter isPath: true for a path, of which most may differ.
    private func hunks(_ recorded: [VaryingToken], _ live: [VaryingToken], isPath: Bool) -> [Hunk]? {
        guard var hunks = self.rawHunks(recorded, live) else { return nil }
        if hunks.isEmpty { return [] }
        // Items in another order.
        if let first = hunks.first, let last = hunks.last, hunks.count > 1 {
            let whole = first.joined(to: last)
            let (one, other) = (recorded[whole.recorded], live[whole.live])
            if one.count == other.count, Self.haveSameItems(one, other) { return [Self.withAllItems(whole, recorded)] }
        }
        // Two texts that share but a few words say nothing of what stays the same.
        let differing = hunks.reduce(0) { $0 + recorded[$1.recorded].bytes.count }
        if !isPath, differing * 2 > recorded.bytes.count {
            return [Hunk(recorded: 0..<recorded.count, live: 0..<live.count)]
        }
        hunks = hunks.map { Self.widened($0, recorded, live) }
        // Words of one name.
        var merged: [Hunk] = []
        func isNumber(_ hunk: Hunk) -> Bool {
            VaryingPiece.Shape.number.fits(live[hunk.live].bytes, for: recorded[hunk.recorded].bytes)
        }
        for hunk in hunks {
            guard let last = merged.last,
                !isNumber(last) || !isNumber(hunk) || hunk.recorded.lowerBound <= last.recorded.upperBound,
                recorded[min(last.recorded.upperBound, hunk.recorded.lowerBound)..<hunk.recorded.lowerBound]
                    .allSatisfy({ if case .separator(let byte) = $0 { byte != ASCII.lineFeed } else { false } })
            else {
                merged.append(hunk)
                continue
            }
            merged[merged.count - 1] = last.joined(to: hunk)
        }
        return merged
    }

    /// Adds the items of a list that stand in their old places, which are between the same separators.
    private static func withAllItems(_ hunk: Hunk, _ recorded: [VaryingToken]) -> Hunk {
        func isItem(_ index: Int) -> Bool {
            if recorded.indices.contains(index), case .word = recorded[index] { true } else { false }
        }
        let between = recorded[hunk.recorded].dropFirst().prefix { if case .separator = $0 { true } else { false } }
        // Spaces are between all words.
        guard isItem(hunk.recorded.lowerBound), between.contains(where: { $0 != .separator(ASCII.space) }) else {
            return hunk
        }
        let width = between.count + 1
        var (start, end) = (hunk.recorded.lowerBound, hunk.recorded.upperBound)
        while start >= width, recorded[start - between.count..<start].elementsEqual(between), isItem(start - width) {
            start -= width
        }
        while end + width <= recorded.count, recorded[end..<end + between.count].elementsEqual(between),
            isItem(end + between.count)
        {
            end += width
        }
        return hunk.widened(left: hunk.recorded.lowerBound - start, right: end - hunk.recorded.upperBound)
    }

    /// Adds the rest of a number with a fraction, and a neighbour to a part that one of the texts lacks.
    private static func widened(_ hunk: Hunk, _ recorded: [VaryingToken], _ live: [VaryingToken]) -> Hunk {
        var hunk = hunk
        func canGrow(left: Int = 0, right: Int = 0) -> Bool {
            min(hunk.recorded.lowerBound, hunk.live.lowerBound) >= left
                && hunk.recorded.upperBound + right <= recorded.count && hunk.live.upperBound + right <= live.count
        }
        // `0.53` and `3.03e+07` are several tokens.
        let reach = 0...4
        let wider = reach.flatMap { left in reach.map { (left: left, right: $0) } }
            .sorted { $0.left + $0.right > $1.left + $1.right }
            .lazy.filter { canGrow(left: $0.left, right: $0.right) }
            .map { [hunk] in hunk.widened(left: $0.left, right: $0.right) }
        let number = wider.first {
            VaryingPiece.Shape.number.fits(live[$0.live].bytes, for: recorded[$0.recorded].bytes)
        }
        hunk = number ?? hunk
        if hunk.recorded.isEmpty || hunk.live.isEmpty {
            if canGrow(left: 1) {
                hunk = hunk.widened(left: 1)
            } else if canGrow(right: 1) {
                hunk = hunk.widened(right: 1)
            }
        }
        // Its place is known by literal text next to it.
        while canGrow(left: 1), !Self.isLiteral(recorded[hunk.recorded.lowerBound - 1]) { hunk = hunk.widened(left: 1) }
        while canGrow(right: 1), !Self.isLiteral(recorded[hunk.recorded.upperBound]) { hunk = hunk.widened(right: 1) }
        return hunk
    }

    /// The products of the lengths of two texts that are compared token by token, at most.
    private static let mostPairs = 4_000_000

    /// The parts that are not in a longest common subsequence.
    private func rawHunks(_ recorded: [VaryingToken], _ live: [VaryingToken]) -> [Hunk]? {
        let shared = zip(recorded, live).prefix { self.isAlike($0, $1) }.count
        let rest = min(recorded.count, live.count) - shared
        let common = zip(recorded.reversed(), live.reversed()).prefix(rest).prefix { self.isAlike($0, $1) }.count
        let ones = Array(recorded[shared..<recorded.count - common])
        let others = Array(live[shared..<live.count - common])
        guard ones.count * others.count <= Self.mostPairs else { return nil }
        let difference = others.difference(from: ones) { self.isAlike($0, $1) }
        var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var hunks: [Hunk] = []
        var (row, column) = (0, 0)
        while row < ones.count || column < others.count {
            let start = (row, column)
            while removed.contains(row) { row += 1 }
            while inserted.contains(column) { column += 1 }
            if (row, column) == start {
                (row, column) = (row + 1, column + 1)
            } else {
                hunks.append(Hunk(recorded: shared + start.0..<shared + row, live: shared + start.1..<shared + column))
            }
        }
        return hunks
    }

    /// Returns true for tokens that are the same, or vary by their form.
    private func isAlike(_ one: VaryingToken, _ other: VaryingToken) -> Bool {
        if one == other { return true }
        switch (one, other) {
        case (.uuid, .uuid), (.local, .local): return true
        case (.time(let first), .time(let second)):
            var copy = self
            return copy.isSame(first, second)
        case (.word(let first), .word(let second)):
            return RandomWord.difference(first, second).map { !$0.isBare } ?? false
        default: return false
        }
    }
}
