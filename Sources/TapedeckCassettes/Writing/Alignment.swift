/// Which items of a list stay, which go, and which come.
enum Alignment {
    enum Step {
        /// The item at the first place becomes that at the second.
        case keep(Int, Int)
        case add(Int)

        var old: Int? { if case .keep(let old, _) = self { old } else { nil } }
    }

    /// Beyond so many items that differ, all of them are exchanged.
    private static let limit = 2_000

    /// In the order of the new items. Items without an equal are taken for each other where as many go as come.
    static func steps(from old: [String], to new: [String]) -> [Step] {
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var end = 0
        while end < min(old.count, new.count) - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        var steps = (0..<start).map { Step.keep($0, $0) }
        steps += self.middle(old, start..<old.count - end, new, start..<new.count - end)
        steps += (0..<end).reversed().map { Step.keep(old.count - 1 - $0, new.count - 1 - $0) }
        return steps
    }

    private static func middle(_ old: [String], _ before: Range<Int>, _ new: [String], _ after: Range<Int>) -> [Step] {
        // Items of unique names can have changed places.
        let places = Dictionary(before.map { (old[$0], $0) }) { _, _ in -1 }
        var pairs: [(Int, Int)] = []
        if before.count == after.count, after.allSatisfy({ places[new[$0], default: -1] >= 0 }),
            places.count == before.count
        {
            return after.map { .keep(places[new[$0], default: 0], $0) }
        }
        if before.count + after.count <= self.limit {
            var (left, right) = (Set(before), Set(after))
            for change in new[after].difference(from: old[before]) {
                switch change {
                case .remove(let offset, _, _): left.remove(before.lowerBound + offset)
                case .insert(let offset, _, _): right.remove(after.lowerBound + offset)
                }
            }
            pairs = Array(zip(left.sorted(), right.sorted()))
        } else {
            var last = -1
            for index in after {
                guard let place = places[new[index]], place > last else { continue }
                pairs.append((place, index))
                last = place
            }
        }
        var steps: [Step] = []
        var (from, to) = (before.lowerBound, after.lowerBound)
        for (place, index) in pairs + [(before.upperBound, after.upperBound)] {
            let isExchange = place - from == index - to
            for number in to..<index { steps.append(isExchange ? .keep(from + number - to, number) : .add(number)) }
            if place < before.upperBound { steps.append(.keep(place, index)) }
            (from, to) = (place + 1, index + 1)
        }
        return steps
    }
}
