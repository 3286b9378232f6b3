/// Which hosts are recorded, which are passed through and which are blocked: settings of a deck, for all its sessions.
package struct HostRules: Sendable, Equatable {
    /// Where it is not empty, only these are recorded, and all others passed through.
    package var only: [HostPattern] = []
    /// Not recorded but passed through.
    package var except: [HostPattern] = []
    /// Passed through whatever a session does, as long as it may ask origins at all.
    package var passthrough: [HostPattern] = []
    /// Refused wherever an origin would be asked.
    package var block: [HostPattern] = []
    /// Whether what is on this machine is recorded though nobody asks for it by name.
    package var recordsLoopback = true

    package init() {}

    /// Why something is passed through.
    package enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// A pattern of ``HostRules/passthrough``.
        case passthrough(String)
        /// A pattern of ``HostRules/except``.
        case except(String)
        /// None of ``HostRules/only``.
        case notOnly
        /// It is on this machine.
        case loopback

        /// In a few words, with what to change.
        package var description: String {
            switch self {
            case .passthrough(let pattern): "passthrough \(pattern)"
            case .except(let pattern): "except \(pattern)"
            case .notOnly: "not among those to record only"
            case .loopback: "on this machine; --loopback records it"
            }
        }
    }

    /// What is done about requests to an origin.
    package enum Verdict: Sendable, Hashable {
        /// What the session does.
        case usual
        case passThrough(Reason)
        /// With the pattern.
        case block(String)
    }

    /// What is done about an origin in a session that records. What is blocked is blocked whatever else is said of it;
    /// then what is to be passed through counts, and only then what is to be recorded.
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
    /// What is left of it in a session that does not record: only what is said of a host whatever a session does.
    package var withoutRecording: HostRules.Verdict {
        switch self {
        case .usual, .block, .passThrough(.passthrough): self
        case .passThrough: .usual
        }
    }

    /// What is left of it for a request that asks for an origin of this machine by name.
    package var withLoopback: HostRules.Verdict {
        self == .passThrough(.loopback) ? .usual : self
    }
}

extension Origin {
    /// Whether its host always means this machine: an address in any spelling, or a name (RFC 6761 section 6.3).
    package var isLoopback: Bool {
        NetworkAddress.spelled(self.host).contains { $0.isLoopback || $0.isUnspecified }
    }
}
