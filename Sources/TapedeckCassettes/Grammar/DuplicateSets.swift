import TapedeckCore

/// Finds sets that never answer, because an earlier one answers exactly the same requests.
///
/// Compares only sets with an exact URL, and only conditions on whole bodies.
struct DuplicateSets {
    /// Equal for two sets of which the second never answers.
    struct Key: Hashable {
        private var request: RequestKey
        private var priority: Int
        private var requires: Set<StateEntry>
        private var bodies: [BodyMatcher.Identity]

        init?(_ set: ResponseSet) {
            guard let exact = set.request.exact else { return nil }
            let bodies = set.request.body.map(\.identity)
            guard !bodies.contains(nil) else { return nil }
            self.request = RequestKey(method: exact.method, url: exact.url)
            self.priority = set.priority
            self.requires = Set(set.requires)
            self.bodies = bodies.compactMap { $0 }
        }
    }

    /// The first set of each key, by the key's hash, as the keys of a large cassette take much memory.
    private var first: [Int: Int32] = [:]

    mutating func reserveCapacity(_ capacity: Int) {
        self.first.reserveCapacity(capacity)
    }

    /// The earlier set that answers all that the last of `sets` would, if there is one.
    ///
    /// - Parameter hash: that of the last set's key.
    mutating func add(_ hash: Int, lastOf sets: [ResponseSet]) -> ResponseSet? {
        guard let last = sets.last else { return nil }
        if let number = self.first[hash] {
            let earlier = sets[Int(number)]
            return Key(earlier) == Key(last) ? earlier : nil
        }
        // A set that sometimes leaves a request to the next does not make that one redundant.
        if !last.variants.contains(where: { $0.behaviour.mayDecline }) { self.first[hash] = Int32(sets.count - 1) }
        return nil
    }
}

extension Behaviour {
    /// True if it does not answer all requests of its set.
    fileprivate var mayDecline: Bool {
        if self.after == .unmatched { return true }
        return switch self.answer {
        case .takes, .variant, .passthrough, .hold: false
        case .sequence(let parts): parts.contains { $0.mayDecline }
        case .random(let parts): parts.contains { $0.behaviour.mayDecline }
        case .conditional(_, let then, let otherwise): then.mayDecline || (otherwise?.mayDecline ?? true)
        }
    }
}
