import TapedeckCassettes
import TapedeckCore

extension MaintenanceReport {
    /// More values than this are not shown of one take. 10.
    private static let shownValues = 10

    /// The changes by response set, as lines for a terminal; empty without changes.
    package var changeLines: [String] {
        var lines: [String] = []
        for change in self.changes {
            lines.append(change.takes > 1 ? "\(change.set), take \(change.take)" : change.set)
            lines += change.differences.filter { $0.kind == .shape }.map { "  \($0.summary)" }
            let values = change.differences.filter { $0.kind == .value }
            lines += values.prefix(Self.shownValues).map { "  \($0.summary)" }
            if values.count > Self.shownValues {
                lines.append("  ~ and \(values.count - Self.shownValues) more values")
            }
        }
        return lines
    }

    /// The failures, the skipped requests, and the total.
    package func noteLines(_ command: String) -> [String] {
        var lines = self.failures.map { "\(Self.failureWord(self)): \"\($0.set)\": \($0.why)" }
        var reasons: [(why: String, sets: [String])] = []
        for skipped in self.skipped {
            if let index = reasons.firstIndex(where: { $0.why == skipped.why }) {
                reasons[index].sets.append(skipped.set)
            } else {
                reasons.append((skipped.why, [skipped.set]))
            }
        }
        for (why, sets) in reasons {
            lines.append("not asked again: \(Spelling.list(sets)): \(why)")
        }
        lines.append("\(command): " + self.sums.joined(separator: ", "))
        if let saved = self.saved {
            lines.append(saved.changed ? "wrote \(self.path)" : "\(self.path) is unchanged")
            lines += saved.effect.lines
        }
        return lines
    }

    private static func failureWord(_ report: MaintenanceReport) -> String {
        report.saved == nil ? "not compared" : "failed"
    }

    private var sums: [String] {
        let shapes = Set(self.changes.filter(\.isShape).map(\.set)).count
        let values = Set(self.changes.map(\.set)).count - shapes
        var parts = [
            "sent \(Plural.text(self.requests, "request", "requests")) of "
                + Plural.text(self.sets, "response set", "response sets")
        ]
        if shapes > 0 { parts.append("\(shapes) with another shape") }
        if values > 0 { parts.append("\(values) with other values only") }
        if !self.failures.isEmpty { parts.append("\(self.failures.count) without an answer") }
        if shapes == 0, values == 0, self.failures.isEmpty, self.requests > 0 { parts.append("nothing has changed") }
        return parts
    }
}
