extension UnmatchedReport {
    /// Notes which rule keeps the origin out of recordings, if one does.
    package mutating func explainUnrecorded(by rules: HostRules) {
        guard self.reason == .noMatch, !self.mode.dialsOut else { return }
        if case .passThrough(let reason) = rules.verdict(on: self.request.url.origin) { self.unrecorded = reason }
    }
}

extension HostRules.Reason {
    /// Why nothing is on tape for an origin, as the end of a sentence.
    var lack: String {
        switch self {
        case .loopback, .local: "which is on this machine: that is recorded only with --loopback"
        case .notOnly: "which is not recorded: `only` does not name it"
        case .except(let pattern): "which is not recorded: `except` has \(pattern)"
        case .passthrough(let pattern): "which is not recorded: `passthrough` has \(pattern)"
        }
    }
}
