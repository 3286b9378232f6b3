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
        guard recorded.utf8.count <= Self.longestEcho, !RandomPlace.isOfURL(place), place != "body",
            !SecretPlaceholder.mayBe(in: live)
        else { return }
        guard recorded.utf8.count >= ValueBindings.shortest else {
            self.bindMember(recorded, live, at: place)
            return
        }
        self.add(ValueBindings.Pair(recorded: recorded, live: live, place: place, isOfSurroundings: true))
    }

    /// - Returns: false if nothing is to be learned.
    mutating func note(_ piece: VaryingPiece, _ recorded: String, _ live: String, at place: String) -> Bool {
        guard self.lessons != nil else { return false }
        self.lessons?.append(VaryingLesson(place: place, piece: piece, recorded: recorded, live: live))
        self.note(place)
        return true
    }

    mutating func areSame(
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

    static func haveSameItems(_ one: ArraySlice<VaryingToken>, _ other: ArraySlice<VaryingToken>) -> Bool {
        Self.haveSameItems(one.map { Array($0.bytes) }, other.map { Array($0.bytes) })
    }

    /// Returns true for the same items in any order.
    private static func haveSameItems(_ one: [[UInt8]], _ other: [[UInt8]]) -> Bool {
        func sorted(_ items: [[UInt8]]) -> [[UInt8]] { items.sorted { $0.lexicographicallyPrecedes($1) } }
        return one.count == other.count && sorted(one) == sorted(other)
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
        // Each item of a list in another order would seem to differ.
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
        if Self.haveSameItems(recorded.map(\.compactText), live.map(\.compactText)) { return true }
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
        let (ones, others) = (recorded.map { Array($0.utf8) }, live.map { Array($0.utf8) })
        if ones != others, Self.haveSameItems(ones, others) {
            if self.pieces(at: place).contains(order) {
                self.note(place)
                return true
            }
            if self.note(order, "", "", at: place) { return true }
        }
        return areInOrder(&self)
    }
}
