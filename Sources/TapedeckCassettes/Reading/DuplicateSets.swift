import TapedeckCore

/// Finds sets that never answer, because an earlier one answers exactly the same requests.
///
/// Compares only sets with an exact URL, and only conditions on whole bodies.
struct DuplicateSets {
    private struct Key: Hashable {
        var request: RequestKey
        var priority: Int
        var requires: Set<StateEntry>
        var bodies: [BodyMatcher.Identity]
    }

    private var names: [Key: String] = [:]

    /// The name of the earlier set that answers all that `set` would, if there is one.
    mutating func add(_ set: ResponseSet) -> String? {
        guard let exact = set.request.exact else { return nil }
        let bodies = set.request.body.map(\.identity)
        guard !bodies.contains(nil) else { return nil }
        let key = Key(
            request: RequestKey(method: exact.method, url: exact.url),
            priority: set.priority,
            requires: Set(set.requires),
            bodies: bodies.compactMap { $0 }
        )
        if let earlier = self.names[key] { return earlier }
        // A set that sometimes leaves a request to the next does not make that one redundant.
        if !set.variants.contains(where: { $0.behaviour.mayDecline }) { self.names[key] = set.name }
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
