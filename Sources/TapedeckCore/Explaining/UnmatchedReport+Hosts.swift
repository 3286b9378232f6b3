extension UnmatchedReport {
    /// Says that recordings leave the origin out, where that is why nothing is on tape for it.
    package mutating func explainUnrecorded(by rules: HostRules) {
        guard self.reason == .noMatch, self.nearest.isEmpty, !self.mode.dialsOut else { return }
        switch rules.verdict(on: self.request.url.origin) {
        case .usual: break
        case .passThrough(.loopback):
            self.unrecorded = "which is on this machine: that is recorded only with --loopback"
        case .passThrough(.notOnly):
            self.unrecorded = "which is not recorded: `only` does not name it"
        case .passThrough(.except(let pattern)):
            self.unrecorded = "which is not recorded: `except` has \(pattern)"
        case .passThrough(.passthrough(let pattern)):
            self.unrecorded = "which is not recorded: `passthrough` has \(pattern)"
        case .block(let pattern):
            self.unrecorded = "which is never asked: `block` has \(pattern)"
        }
    }
}
