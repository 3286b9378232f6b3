import TapedeckControlAPI
import TapedeckControlClient

/// The check of a session at its end. Everything here blocks.
struct Verification {
    /// The maximum number of unmatched requests that are listed one by one.
    private static let unmatchedLimit = 10

    let deck: Tapedeck
    let ledger: Ledger

    /// Returns the issues in reading order: expectations, errors during the test, unmatched requests, unused sets.
    func issues() throws -> [TestIssue] {
        try self.issues(among: try self.deck.session.exchanges(bodies: false))
    }

    /// - Parameter seen: every request so far.
    func issues(among seen: [Tapedeck.Exchange]) throws -> [TestIssue] {
        let session = self.deck.session
        let expectations = try self.ledger.expectations.compactMap { expectation -> TestIssue? in
            do {
                return try self.check(expectation.kind, session, seen).map {
                    TestIssue(.expectation, $0, at: expectation.place)
                }
            } catch let error as ControlError where error.problem != nil {
                // Such as a pattern that is none: nothing that keeps the others from being looked at.
                return TestIssue(
                    .expectation,
                    "the deck does not understand what is expected, \(expectation.words): \(error)",
                    at: expectation.place
                )
            } catch let error where !(error is ControlError) {
                // Of a condition of the test's own.
                return TestIssue(.expectation, "\(expectation.words) threw \(error)", at: expectation.place)
            }
        }
        var issues = expectations
        issues += self.unimplemented(seen)
        issues += self.ledger.troubles
        issues += self.unmatched(seen)
        return issues
    }

    // MARK: Expectations

    private func check(
        _ kind: Ledger.Expectation.Kind,
        _ session: SessionClient,
        _ seen: [Tapedeck.Exchange]
    ) throws -> String? {
        switch kind {
        case .count(let matcher, let count, let time):
            let found = try session.exchanges(matching: matcher, bodies: false)
            guard count.holds(for: found.count) else {
                return "expected \(count) to match \(matcher), and saw \(found.count)" + self.deck.seen(seen)
            }
            return time.flatMap { self.checkLatency(of: found, matcher, $0) }
        case .condition(let condition, let count):
            return try self.check(condition, count, session)
        case .order(let matchers):
            return try self.checkOrder(matchers, session, seen)
        }
    }

    private func checkLatency(of found: [Tapedeck.Exchange], _ matcher: RequestMatcher, _ time: Duration) -> String? {
        let late = found.filter { $0.duration.map { $0 > time } ?? true }
        guard !late.isEmpty else { return nil }
        let lines = late.map { exchange in
            let took = exchange.duration.map { "took \($0)" } ?? "is not answered"
            return "\n    \(exchange.number)  \(exchange) \(took)"
        }
        return "expected \(matcher) to be answered within \(time); \(ExpectedCount.requests(late.count)) took longer:"
            + lines.joined()
    }

    private func check(
        _ condition: any RequestCondition,
        _ count: ExpectedCount,
        _ session: SessionClient
    ) throws -> String? {
        let asked = try session.exchanges(matching: condition.matcher == .any ? nil : condition.matcher)
        let reasons = try asked.map { ($0, try condition.reason($0.request)) }
        let found = reasons.filter { $0.1 == nil }.count
        guard !count.holds(for: found) else { return nil }
        let lines = reasons.map { exchange, reason in
            "\n    \(exchange.number)  \(exchange)" + (reason.map { ": \($0)" } ?? "")
        }
        return "expected \(count) to meet \(condition.words), and saw \(found)"
            + (lines.isEmpty ? "\n  no request came for it" : "\n  asked about:" + lines.joined())
    }

    private func checkOrder(
        _ matchers: [RequestMatcher],
        _ session: SessionClient,
        _ seen: [Tapedeck.Exchange]
    ) throws -> String? {
        var last = 0
        for (index, matcher) in matchers.enumerated() {
            let next = try session.exchanges(matching: matcher, after: last, bodies: false).first
            guard let next else {
                let before = index == 0 ? "" : " behind request \(last), which was \(matchers[index - 1])"
                let order = matchers.map(\.description).joined(separator: ", then ")
                return "expected \(order); no request matches \(matcher)\(before)" + self.deck.seen(seen)
            }
            last = next.number
        }
        return nil
    }

    // MARK: What came

    private func unimplemented(_ seen: [Tapedeck.Exchange]) -> [TestIssue] {
        self.ledger.added.compactMap { added in
            guard case .unimplemented(let reason) = added.kind else { return nil }
            let hits = seen.filter { $0.played?.set == added.name && !self.ledger.pardoned.contains($0.number) }
            guard !hits.isEmpty else { return nil }
            let why = reason.isEmpty ? "" : ": \(reason)"
            let times = ExpectedCount.requests(hits.count)
            return TestIssue(
                .unimplemented,
                "\(added.request) is unimplemented\(why), and was requested by \(times)" + self.deck.seen(hits),
                at: added.place
            ).about(hits[0])
        }
    }

    /// Returns the issues for requests that a test held and never released: one for each place that holds some.
    func issuesOfHeld() throws -> [TestIssue] {
        let holds = self.ledger.added.filter { if case .hold = $0.kind { true } else { false } }
        guard !holds.isEmpty else { return [] }
        var held: [HeldModel] = []
        while true {
            let page = try self.deck.session.held(after: held.last?.version ?? 0)
            guard !page.held.isEmpty else { break }
            held += page.held
        }
        return holds.compactMap { hold in
            let own = held.filter { $0.set == hold.name }.map { Tapedeck.Exchange($0.entry) }
            guard !own.isEmpty else { return nil }
            let remedy = "release each, let it go, or stop() to hold no more"
            return TestIssue(
                .stub,
                "\(ExpectedCount.requests(own.count)) for \(hold.request) still held at the end; \(remedy)"
                    + self.deck.seen(own),
                at: hold.place
            )
        }
    }

    private func unmatched(_ seen: [Tapedeck.Exchange]) -> [TestIssue] {
        guard self.deck.options.allowsUnmatched != true else { return [] }
        let unmatched = seen.filter { $0.outcome == .unmatched && !self.ledger.pardoned.contains($0.number) }
        // A client that tries again asks for nothing else.
        var misses: [(words: String, reason: String, requests: [Tapedeck.Exchange])] = []
        for exchange in unmatched {
            let words = "\(exchange.method) \(exchange.request.shownURL)"
            let reason = self.ledger.mismatch(of: exchange) ?? ""
            if let index = misses.firstIndex(where: { $0.words == words && $0.reason == reason }) {
                misses[index].requests.append(exchange)
            } else {
                misses.append((words, reason, [exchange]))
            }
        }
        let remedy = self.deck.remedyOfMiss.map { "\n    \($0)" } ?? ""
        var issues = misses.prefix(Self.unmatchedLimit).map { miss in
            let count = miss.requests.count
            let times = count == 1 ? "" : ", requested \(count) times"
            return TestIssue(
                .unmatched,
                "nothing on tape answers \(miss.words)\(times): \(miss.reason)\(remedy)",
                at: self.deck.place
            ).about(miss.requests[0])
        }
        let left = misses.dropFirst(Self.unmatchedLimit).reduce(0) { $0 + $1.requests.count }
        if left > 0 {
            issues.append(
                TestIssue(
                    .unmatched,
                    "nothing on tape answers \(ExpectedCount.requests(left)) more",
                    at: self.deck.place
                )
            )
        }
        return issues
    }

    // MARK: What the session says once it has ended

    /// - Parameter report: the final one.
    func issues(of report: ReportModel) -> [TestIssue] {
        let place = self.deck.place
        var issues: [TestIssue] = []
        if let failure = report.saveFailure ?? report.saved?.failure {
            issues.append(TestIssue(.recording, "the recording could not be saved: \(failure)", at: place))
        }
        let problems = report.saved?.problems ?? []
        // A failure that the program has tried again is none of the recording's, which has the answer.
        let isWhole = report.saved.map { _ in problems.isEmpty } ?? self.ledger.hasFinishedRecording
        if self.deck.deckMode.records, !isWhole {
            let troubles = report.troubles.map { "the recording lacks an answer of \($0.request): \($0.message)" }
            issues += (troubles.isEmpty ? problems : troubles).map { TestIssue(.recording, $0, at: place) }
        }
        issues += report.cutOffSets.map {
            TestIssue(.session, "the pattern of \"\($0)\" took too long and was cut off; make it simpler", at: place)
        }
        if let severity = self.deck.options.unused, self.deck.deckMode.plays {
            let stubs = Dictionary(self.ledger.added.map { ($0.name, $0) }) { first, _ in first }
            issues += report.unusedSets.map { name in
                guard let stub = stubs[name] else {
                    let message = "no request used the response set \"\(name)\""
                    return TestIssue(.unused, message, at: place, severity: severity)
                }
                let message = "no request used the stub of \(stub.request)"
                return TestIssue(.unused, message, at: stub.place, severity: severity)
            }
        }
        return issues
    }
}
