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

    /// Whether the body must be read before ``answer(_:key:body:)`` can be asked.
    package func needsBody(_ key: RequestKey) -> Bool {
        self.mode.plays && self.tape.needsBody(key)
    }

    /// What is to be done about a request, by mode and by what is on tape:
    ///
    /// | mode | on tape | not on tape |
    /// |---|---|---|
    /// | replay | play | reject |
    /// | append | play | forward and record |
    /// | record | forward and record | forward and record |
    /// | passthrough | forward | forward |
    ///
    /// - Parameter request: asked for only when a report is to be written.
    package mutating func answer(
        key: RequestKey,
        body: ObservedBody? = nil,
        request: () -> RequestLine
    ) -> Decision {
        guard self.mode.plays else { return .forward(record: self.mode.records) }
        if let entry = self.tape.match(key, body: body) {
            return .play(self.nextTake(of: entry))
        }
        guard !self.mode.dialsOut else { return .forward(record: self.mode.records) }
        return .reject(self.miss(request()))
    }

    /// Notes a request that cannot be answered for a reason of its own.
    package mutating func miss(_ request: RequestLine) -> UnmatchedReport {
        let report = UnmatchedReport(
            request: request,
            session: self.name,
            mode: self.mode,
            cassettes: self.tape.cassettes,
            candidates: self.tape.entries.count,
            nearest: NearMisses(tape: self.tape).find(request)
        )
        self.unmatchedCount += 1
        if self.unmatched.count < Self.unmatchedLimit {
            self.unmatched.append(report)
        }
        return report
    }

    /// Takes play in order, the last one repeats.
    private mutating func nextTake(of entry: Int) -> Int {
        let set = self.tape.entries[entry]
        let position = self.played[entry]
        self.played[entry] = position + 1
        return set.takeNumber(variant: 0, position: position)
    }
}
