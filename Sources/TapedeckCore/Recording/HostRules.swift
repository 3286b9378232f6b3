/// The hosts that are recorded, passed through and blocked: settings of a deck, for all its sessions.
package struct HostRules: Sendable, Equatable {
    /// If not empty, only these are recorded, and all others are passed through.
    package var only: [HostPattern] = []
    /// Not recorded but passed through.
    package var except: [HostPattern] = []
    /// Passed through in every mode that may contact origins.
    package var passthrough: [HostPattern] = []
    /// Refused wherever an origin would be asked.
    package var block: [HostPattern] = []
    /// True if servers on this machine are recorded without being named.
    package var recordsLoopback = true

    package init() {}

    /// The reason why something is passed through.
    package enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// A pattern of ``HostRules/passthrough``.
        case passthrough(String)
        /// A pattern of ``HostRules/except``.
        case except(String)
        /// Not listed in ``HostRules/only``.
        case notOnly
        /// It is on this machine, which is recorded only with an option.
        case loopback
        /// It is on this machine, and the session plays and does not record.
        case local

        /// True if a request to `origin` that passes for this reason stays on this machine, whatever resolvers, proxies
        /// and options say about its host. Hosts that options name use those.
        package func isLocal(_ origin: Origin) -> Bool {
            switch self {
            case .loopback, .local: true
            case .notOnly: origin.isLoopback
            case .passthrough, .except: false
            }
        }

        /// In a few words, with what to change.
        package var description: String {
            switch self {
            case .passthrough(let pattern): "passthrough \(pattern)"
            case .except(let pattern): "except \(pattern)"
            case .notOnly: "not among those to record only"
            case .loopback: "on this machine; --loopback records it"
            case .local: "on this machine"
            }
        }
    }

    /// The treatment of requests to an origin.
    package enum Verdict: Sendable, Hashable {
        /// The session's usual treatment.
        case usual
        case passThrough(Reason)
        /// With the pattern.
        case block(String)
    }

    /// Returns the treatment of an origin in a session that records. Blocking wins over passing through, and that over
    /// recording.
    package func verdict(on origin: Origin) -> Verdict {
        if let pattern = self.block.first(where: { $0.matches(origin) }) { return .block(pattern.source) }
        if let pattern = self.passthrough.first(where: { $0.matches(origin) }) {
            return .passThrough(.passthrough(pattern.source))
        }
        if let pattern = self.except.first(where: { $0.matches(origin) }) {
            return .passThrough(.except(pattern.source))
        }
        if !self.only.isEmpty {
            return self.only.contains { $0.matches(origin) } ? .usual : .passThrough(.notOnly)
        }
        return self.recordsLoopback || !origin.isLoopback ? .usual : .passThrough(.loopback)
    }
}

extension HostRules.Verdict {
    /// Returns the verdict for a session of `mode`: the same rules apply to recording and replay.
    ///
    /// A session that plays refuses requests that a recording would have recorded, and passes those that a recording
    /// would have passed, with one exception: it connects to hosts beyond this machine only if they are named
    /// (`passthrough`, `except`), not because `only` names others.
    ///
    /// - Parameters:
    ///   - origin: the origin that the verdict is about.
    ///   - isAsked: true if the deck stands for the origin, as with a base URL. Such an origin is recorded and played
    ///     like any other.
    package func applied(to origin: Origin, in mode: Mode, isAsked: Bool) -> HostRules.Verdict {
        switch (self, mode) {
        case (.block, _), (.usual, _), (.passThrough(.passthrough), _), (.passThrough(.except), .replay): self
        case (.passThrough, .passthrough): .usual
        case (.passThrough(.loopback), .replay), (.passThrough(.notOnly), .replay):
            origin.isLoopback && !isAsked ? .passThrough(.local) : .usual
        case (.passThrough(.loopback), _) where isAsked: .usual
        case (.passThrough, _): self
        }
    }
}

extension Origin {
    /// True if its host always means this machine: an address in any spelling, or a name (RFC 6761 section 6.3).
    package var isLoopback: Bool {
        NetworkAddress.spelled(self.host).contains { $0.isLoopback || $0.isUnspecified }
    }
}
