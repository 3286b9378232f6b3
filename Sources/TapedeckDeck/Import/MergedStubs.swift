import TapedeckCore

/// Response sets in which several with the same request are merged into one with several variants.
struct MergedStubs {
    private(set) var sets: [ResponseSet] = []
    /// For each of the sets, the numbers of its original sets.
    private(set) var members: [[Int]] = []

    init(_ given: [ResponseSet]) {
        var places: [String: [Int]] = [:]
        for (number, set) in given.enumerated() {
            // Few sets share methods and a kind of URL, so that few are compared.
            let key = "\(set.request.methods) \(set.request.url)"
            let same = places[key, default: []].first { self.sets[$0].answersLike(set) }
            guard let same else {
                places[key, default: []].append(self.sets.count)
                self.sets.append(set)
                self.members.append([number])
                continue
            }
            for var variant in set.variants {
                variant.name = Self.unused(variant.name, among: self.sets[same].variants)
                self.sets[same].variants.append(variant)
            }
            self.members[same].append(number)
        }
    }

    /// Gives the sets priorities with which the first that matches answers.
    mutating func order() {
        for (index, priority) in ListedOrder.priorities(of: self.sets).enumerated() {
            self.sets[index].priority = priority
        }
    }

    private static func unused(_ name: String, among variants: [Variant]) -> String {
        let taken = Set(variants.map(\.name))
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name) (\(number))") { number += 1 }
        return "\(name) (\(number))"
    }
}

extension ResponseSet {
    /// True if another set would never answer after this one: it has the same request, and this one always answers.
    fileprivate func answersLike(_ other: ResponseSet) -> Bool {
        self.request == other.request && self.priority == other.priority && self.requires == other.requires
            && self.sets == other.sets && self.variants.allSatisfy { $0.behaviour.after == .repeatLast }
    }
}
