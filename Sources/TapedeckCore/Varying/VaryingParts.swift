/// Tells which differences between a request and a recorded one are of values that vary from run to run, so that a miss
/// names the others.
package struct VaryingParts: Sendable {
    let run: VaryingRun
    let bindings: ValueBindings

    package init(_ run: VaryingRun, _ bindings: ValueBindings) {
        (self.run, self.bindings) = (run, bindings)
    }

    /// Returns a function that is true for two texts at a place that differ only in such values.
    func comparison(
        with entry: Tape.Entry,
        on tape: Tape
    ) -> (_ place: String, _ wanted: String, _ came: String) -> Bool {
        guard let take = entry.set.firstRecordedTake else { return { _, _, _ in false } }
        let runs = VaryingComparison.Runs(
            recorded: take.recordedTime,
            recordedZone: take.recordedZone,
            now: self.run.now,
            start: self.run.start,
            zone: self.run.zone,
            surroundings: BothSurroundings(
                recorded: tape.cassettes[entry.cassette].surroundings,
                live: self.run.surroundings
            )
        )
        return { [bindings] place, wanted, came in
            var comparison = VaryingComparison(runs, bindings)
            return comparison.isSame(Self.unquoted(wanted), Self.unquoted(came), at: place) && comparison.isSettled
        }
    }

    /// The content of a string of JSON.
    private static func unquoted(_ text: String) -> String {
        text.utf8.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
    }
}
