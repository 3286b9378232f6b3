/// A difference between two runs of a program, in a place of a request.
struct VaryingLesson {
    var place: String
    var piece: VaryingPiece
    var recorded: String
    var live: String
}

/// Places that are known to vary.
extension VaryingComparison {
    private func pieces(at place: String) -> [VaryingPiece] {
        self.learned.lazy.filter { $0.place == place }.flatMap(\.pieces)
    }

    /// Returns true if two texts differ only in pieces that are known to vary, and in values that vary by their form.
    mutating func isLearned(_ recorded: [VaryingToken], _ live: [VaryingToken], at place: String) -> Bool {
        let pieces = self.pieces(at: place)
        guard !pieces.isEmpty else { return false }
        return self.areSame(recorded, live, VaryingHole.all(of: pieces, in: recorded), place)
    }

    /// Returns true for numbers at a place that is known to vary. Notes it as one if that is to be learned.
    mutating func isLearned(_ recorded: JSONNumber, _ live: JSONNumber, at place: String) -> Bool {
        let isKnown = self.pieces(at: place).contains { $0.isWhole && $0.shape != .order && $0.shape != .hex }
        if isKnown {
            self.note(place)
        } else {
            guard self.note(VaryingPiece(.number), recorded.spelling, live.spelling, at: place) else { return false }
        }
        self.bindMember(recorded.spelling, live.spelling, at: place)
        return true
    }

    /// Binds a short value, which an answer may have in a member of the same name.
    private mutating func bindMember(_ recorded: String, _ live: String, at place: String) {
        guard let member = RandomPlace.member(of: place) else { return }
        var pair = ValueBindings.Pair(recorded: recorded, live: live, place: place, isOfSurroundings: true)
        pair.member = member
        self.add(pair)
    }

    /// The longest text that answers are searched for, in bytes.
    private static let longestEcho = 1_000

    /// Binds a text as a whole, of which pieces vary, as an answer may contain all of it.
    mutating func bindWhole(_ recorded: String, _ live: String, at place: String) {
        // A secret is not put into an answer.
        guard recorded.utf8.count <= Self.longestEcho, place != "path", !place.hasPrefix("query "), place != "body",
            !live.contains(SecretPlaceholder.start)
        else { return }
        guard recorded.utf8.count >= ValueBindings.shortest else {
            self.bindMember(recorded, live, at: place)
            return
        }
        self.add(ValueBindings.Pair(recorded: recorded, live: live, place: place, isOfSurroundings: true))
    }

    /// - Returns: false if nothing is to be learned.
    private mutating func note(_ piece: VaryingPiece, _ recorded: String, _ live: String, at place: String) -> Bool {
        guard self.lessons != nil else { return false }
        self.lessons?.append(VaryingLesson(place: place, piece: piece, recorded: recorded, live: live))
        self.note(place)
        return true
    }

    private mutating func areSame(
        _ recorded: [VaryingToken],
        _ live: [VaryingToken],
        _ holes: [VaryingHole],
        _ place: String
    ) -> Bool {
        guard !holes.isEmpty else { return false }
        let before = self
        var steps = 0
        if self.areSame(recorded[...], live[...], holes[...], place, &steps) { return true }
        self = before
        return false
    }

    /// Ways to divide a text among its holes that are tried, at most.
    private static let mostSteps = 10_000

    private mutating func areSame(
        _ recorded: ArraySlice<VaryingToken>,
        _ live: ArraySlice<VaryingToken>,
        _ holes: ArraySlice<VaryingHole>,
        _ place: String,
        _ steps: inout Int
    ) -> Bool {
        guard let hole = holes.first else { return self.areSame(Array(recorded), Array(live), place) }
        let start = live.startIndex + hole.range.lowerBound - recorded.startIndex
        // Each hole has at least one token.
        let others = holes.dropFirst()
        let leftover = recorded.endIndex - hole.range.upperBound - others.reduce(0) { $0 + $1.range.count - 1 }
        let most = live.endIndex - start - leftover
        guard most > 0,
            self.areSame(Array(recorded[..<hole.range.lowerBound]), Array(live[..<start]), place)
        else { return false }
        let wanted = recorded[hole.range]
        for count in others.isEmpty ? most...most : 1...most where count <= hole.mostTokens {
            steps += 1
            guard steps < Self.mostSteps else { return false }
            let found = live[start..<start + count]
            guard hole.shape.fits(found.bytes, for: wanted.bytes),
                hole.shape != .order || Self.haveSameItems(wanted, found)
            else { continue }
            let before = self
            if self.bind(wanted.bytes[...], found.bytes[...], hole.shape, at: place),
                self.areSame(recorded[hole.range.upperBound...], live[(start + count)...], others, place, &steps)
            {
                return true
            }
            self = before
        }
        return false
    }

    private static func haveSameItems(_ one: ArraySlice<VaryingToken>, _ other: ArraySlice<VaryingToken>) -> Bool {
        func sorted(_ tokens: ArraySlice<VaryingToken>) -> [[UInt8]] {
            tokens.map { Array($0.bytes) }.sorted { $0.lexicographicallyPrecedes($1) }
        }
        return sorted(one) == sorted(other)
    }

    /// Binds a piece that answers may contain. Of short texts, two that were equal once need not be so again.
    private mutating func bind(
        _ recorded: ArraySlice<UInt8>,
        _ live: ArraySlice<UInt8>,
        _ shape: VaryingPiece.Shape,
        at place: String
    ) -> Bool {
        // A number in a path names something.
        guard recorded != live, shape != .number || place == "path", shape != .order,
            !Array(live).containsBytes(Array(SecretPlaceholder.start.utf8)),
            recorded.count >= ValueBindings.shortestLearned
        else { return true }
        return self.pair(recorded, live, at: place, isLearned: true) || recorded.count < ValueBindings.shortest
    }

    // MARK: Lists

    mutating func areSame(_ recorded: [JSONValue], _ live: [JSONValue], at path: String) -> Bool {
        guard recorded.count == live.count else { return false }
        let before = self
        // What is in another order would seem to differ in each item.
        let lessons = self.lessons
        self.lessons = nil
        if self.areSameInOrder(recorded, live, at: path) {
            self.lessons = lessons
            return true
        }
        self = before
        let order = VaryingPiece(.order)
        if lessons != nil || self.pieces(at: path).contains(order) {
            self.lessons = nil
            if self.areSameInAnyOrder(recorded, live, at: path) {
                self.lessons = lessons
                self.note(path)
                if lessons != nil { _ = self.note(order, "", "", at: path) }
                return true
            }
            self = before
        }
        guard lessons != nil else { return false }
        return self.areSameInOrder(recorded, live, at: path)
    }

    private mutating func areSameInOrder(_ recorded: [JSONValue], _ live: [JSONValue], at path: String) -> Bool {
        zip(recorded, live).enumerated().allSatisfy { index, pair in
            self.isSame(pair.0, pair.1, at: "\(path)[\(index)]")
        }
    }

    /// Longer lists are compared in their order.
    private static let longestList = 500

    private mutating func areSameInAnyOrder(_ recorded: [JSONValue], _ live: [JSONValue], at path: String) -> Bool {
        func items(_ values: [JSONValue]) -> [[UInt8]] {
            values.map(\.compactText).sorted { $0.lexicographicallyPrecedes($1) }
        }
        if items(recorded) == items(live) { return true }
        guard recorded.count <= Self.longestList else { return false }
        var steps = 0
        return self.areSameInAnyOrder(recorded[...], live, at: path, &steps)
    }

    /// An item may be of one kind with several others, of which one alone lets the rest be the same.
    private mutating func areSameInAnyOrder(
        _ recorded: ArraySlice<JSONValue>,
        _ live: [JSONValue],
        at path: String,
        _ steps: inout Int
    ) -> Bool {
        guard let item = recorded.first else { return true }
        let before = self
        let equal = live.firstIndex(of: item).map { [$0] }
        for index in equal ?? Array(live.indices) {
            steps += 1
            guard steps < Self.mostSteps else { return false }
            if self.isSame(item, live[index], at: "\(path)[\(recorded.startIndex)]") {
                var rest = live
                rest.remove(at: index)
                if self.areSameInAnyOrder(recorded.dropFirst(), rest, at: path, &steps) { return true }
            }
            self = before
        }
        return false
    }

    /// Returns true for the values of one name that are the same or vary.
    mutating func areSame(_ recorded: [String], _ live: [String], at place: String) -> Bool {
        func areInOrder(_ comparison: inout VaryingComparison) -> Bool {
            zip(recorded, live).allSatisfy { comparison.isSame($0, $1, at: place) }
        }
        guard recorded.count > 1 else { return areInOrder(&self) }
        let order = VaryingPiece(.order)
        func items(_ texts: [String]) -> [[UInt8]] {
            texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        }
        if items(recorded) == items(live), !zip(recorded, live).allSatisfy({ $0.isSameText(as: $1) }) {
            if self.pieces(at: place).contains(order) {
                self.note(place)
                return true
            }
            if self.note(order, "", "", at: place) { return true }
        }
        return areInOrder(&self)
    }
}

/// Learning from two runs of one program.
extension VaryingComparison {
    /// A differing part of two texts.
    private struct Hunk {
        var recorded: Range<Int>
        var live: Range<Int>
    }

    /// The longest piece of a text that varies, in bytes.
    private static let longestPiece = 1_000
    /// Texts of more tokens are compared as they are.
    private static let mostTokens = 5_000

    /// Notes in which pieces two texts differ. Returns false if that is not to be learned, or if the two say different things.
    mutating func learn(from recorded: [VaryingToken], _ live: [VaryingToken], at place: String) -> Bool {
        guard self.lessons != nil, place != "origin", !recorded.isEmpty, !live.isEmpty,
            max(recorded.count, live.count) <= Self.mostTokens, let pieces = self.pieces(recorded, live, at: place)
        else { return false }
        let holes = VaryingHole.all(of: pieces, in: recorded)
        let before = self
        guard self.areSame(recorded, live, holes, place) else {
            self = before
            return false
        }
        // What was bound tells which live text stands for which recorded one.
        for (piece, hunk) in zip(pieces, self.hunks(recorded, live, isPath: place == "path") ?? []) {
            let texts = [recorded[hunk.recorded].bytes, live[hunk.live].bytes].map { ByteText.string(from: $0[...]) }
            _ = self.note(piece, texts[0], texts[1], at: place)
        }
        return true
    }

    private func pieces(_ recorded: [VaryingToken], _ live: [VaryingToken], at place: String) -> [VaryingPiece]? {
        guard let hunks = self.hunks(recorded, live, isPath: place == "path"), !hunks.isEmpty,
            hunks.allSatisfy({ recorded[$0.recorded].bytes.count <= Self.longestPiece }),
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
        return VaryingPiece(
            shape,
            before: ByteText.string(from: recorded[(start - before)..<start].bytes[...]),
            after: ByteText.string(from: recorded[end..<(end + after)].bytes[...])
        )
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
            let whole = Hunk(
                recorded: first.recorded.lowerBound..<last.recorded.upperBound,
                live: first.live.lowerBound..<last.live.upperBound
            )
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
            merged[merged.count - 1] = Hunk(
                recorded: last.recorded.lowerBound..<max(last.recorded.upperBound, hunk.recorded.upperBound),
                live: last.live.lowerBound..<max(last.live.upperBound, hunk.live.upperBound)
            )
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
        let moved = (start - hunk.recorded.lowerBound, end - hunk.recorded.upperBound)
        return Hunk(
            recorded: start..<end,
            live: hunk.live.lowerBound + moved.0..<hunk.live.upperBound + moved.1
        )
    }

    /// Adds the rest of a number with a fraction, and a neighbour to a part that one of the texts lacks.
    private static func widened(_ hunk: Hunk, _ recorded: [VaryingToken], _ live: [VaryingToken]) -> Hunk {
        var (one, other) = (hunk.recorded, hunk.live)
        // `0.53` and `3.03e+07` are several tokens.
        let reach = 0...4
        let wider = reach.flatMap { left in reach.map { right in (left, right) } }
            .sorted { $0.0 + $0.1 > $1.0 + $1.1 }
        for (left, right) in wider where one.lowerBound >= left && other.lowerBound >= left {
            guard one.upperBound + right <= recorded.count, other.upperBound + right <= live.count else { continue }
            let ranges = (
                one.lowerBound - left..<one.upperBound + right, other.lowerBound - left..<other.upperBound + right
            )
            let texts = (recorded[ranges.0].bytes, live[ranges.1].bytes)
            if VaryingPiece.Shape.number.fits(texts.1, for: texts.0) {
                (one, other) = ranges
                break
            }
        }
        if one.isEmpty || other.isEmpty {
            if one.lowerBound > 0, other.lowerBound > 0 {
                (one, other) = (one.lowerBound - 1..<one.upperBound, other.lowerBound - 1..<other.upperBound)
            } else if one.upperBound < recorded.count, other.upperBound < live.count {
                (one, other) = (one.lowerBound..<one.upperBound + 1, other.lowerBound..<other.upperBound + 1)
            }
        }
        // Its place is known by literal text next to it.
        while one.lowerBound > 0, other.lowerBound > 0, !Self.isLiteral(recorded[one.lowerBound - 1]) {
            (one, other) = (one.lowerBound - 1..<one.upperBound, other.lowerBound - 1..<other.upperBound)
        }
        while one.upperBound < recorded.count, other.upperBound < live.count, !Self.isLiteral(recorded[one.upperBound])
        {
            (one, other) = (one.lowerBound..<one.upperBound + 1, other.lowerBound..<other.upperBound + 1)
        }
        return Hunk(recorded: one, live: other)
    }

    /// The products of the lengths of two texts that are compared token by token, at most.
    private static let mostPairs = 4_000_000

    /// The parts that are not in a longest common subsequence.
    private func rawHunks(_ recorded: [VaryingToken], _ live: [VaryingToken]) -> [Hunk]? {
        let shared = zip(recorded, live).prefix { self.isAlike($0, $1) }.count
        let rest = (recorded.count - shared, live.count - shared)
        let common = zip(recorded.reversed(), live.reversed()).prefix(min(rest.0, rest.1))
            .prefix { self.isAlike($0, $1) }.count
        let (ones, others) = (recorded[shared..<recorded.count - common], live[shared..<live.count - common])
        guard ones.count * others.count <= Self.mostPairs else { return nil }
        let width = others.count + 1
        var lengths = [Int32](repeating: 0, count: (ones.count + 1) * width)
        for row in stride(from: ones.count - 1, through: 0, by: -1) {
            for column in stride(from: others.count - 1, through: 0, by: -1) {
                let place = row * width + column
                lengths[place] =
                    self.isAlike(ones[shared + row], others[shared + column])
                    ? lengths[place + width + 1] + 1 : max(lengths[place + width], lengths[place + 1])
            }
        }
        var hunks: [Hunk] = []
        var (row, column) = (0, 0)
        var (firstRow, firstColumn) = (0, 0)
        func close() {
            guard row > firstRow || column > firstColumn else { return }
            hunks.append(
                Hunk(
                    recorded: shared + firstRow..<shared + row,
                    live: shared + firstColumn..<shared + column
                )
            )
        }
        while row < ones.count, column < others.count {
            let place = row * width + column
            if self.isAlike(ones[shared + row], others[shared + column]),
                lengths[place] == lengths[place + width + 1] + 1
            {
                close()
                (row, column) = (row + 1, column + 1)
                (firstRow, firstColumn) = (row, column)
            } else if lengths[place + width] >= lengths[place + 1] {
                row += 1
            } else {
                column += 1
            }
        }
        (row, column) = (ones.count, others.count)
        close()
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
