/// Everything about a session that changes, and every decision it takes. A value: whoever holds it serialises access.
package struct SessionState: Sendable {
    /// How many unmatched requests are kept word for word; the rest are counted.
    private static let unmatchedLimit = 100

    package let name: String
    package let mode: Mode
    package let tape: Tape
    /// How often each entry of the tape was played, which is also where its next take stands.
    package private(set) var played: [Int]
    /// The first of the requests that nothing answered.
    package private(set) var unmatched: [UnmatchedReport] = []
    package private(set) var unmatchedCount = 0

    package init(name: String, mode: Mode, tape: Tape) {
        self.name = name
        self.mode = mode
        self.tape = tape
        self.played = Array(repeating: 0, count: tape.entries.count)
    }

    /// What is to be done about a request, by mode and by what is on tape; `nil` is a miss:
    ///
    /// | mode | on tape | not on tape |
    /// |---|---|---|
    /// | replay | play | miss |
    /// | append | play | forward and record |
    /// | record | forward and record | forward and record |
    /// | passthrough | forward | forward |
    ///
    /// A miss is explained by ``Tape/explainMiss(_:session:mode:)``, which takes its time and changes nothing, and then
    /// noted with ``note(_:)``.
    package mutating func answer(key: RequestKey, body: ObservedBody? = nil) -> Decision? {
        guard self.mode.plays else { return .forward(record: self.mode.records) }
        if let entry = self.tape.match(key, body: body) {
            return .play(self.nextTake(of: entry))
        }
        return self.mode.dialsOut ? .forward(record: self.mode.records) : nil
    }

    /// Notes a request that nothing answered.
    package mutating func note(_ report: UnmatchedReport) {
        self.unmatchedCount += 1
        if self.unmatched.count < Self.unmatchedLimit {
            self.unmatched.append(report)
        }
    }

    /// Takes play in order, the last one repeats.
    private mutating func nextTake(of entry: Int) -> Int {
        let position = self.played[entry]
        self.played[entry] = position + 1
        return self.tape.takeNumber(entry: entry, position: position)
    }
}
