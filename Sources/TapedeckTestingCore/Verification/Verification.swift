import TapedeckControlAPI
import TapedeckControlClient

/// The check of a session at its end. Everything here blocks.
struct Verification {
    /// Unmatched requests that are told one by one.
    private static let unmatchedLimit = 10

    let deck: Tapedeck
    let ledger: Ledger

    /// In the order in which a reader wants them: what the test expected, what went wrong on the way, what nothing
    /// answered, what nobody used.
    func issues() throws -> [TestIssue] {
        try self.issues(among: try self.deck.session.exchanges(bodies: false))
    }

    /// - Parameter seen: every request so far.
    func issues(among seen: [Exchange]) throws -> [TestIssue] {
        let session = self.deck.session
        let expectations = try self.ledger.expectations.compactMap { expectation -> TestIssue? in
            do {
                return try self.check(expectation.kind, session, seen).map { TestIssue($0, at: expectation.place) }
            } catch let error as ControlError where error.problem != nil {
                // Such as a pattern that is none: nothing that keeps the others from being looked at.
                return TestIssue("the deck does not understand what is expected: \(error)", at: expectation.place)
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
        _ seen: [Exchange]
    ) throws -> String? {
        switch kind {
        case .count(let matcher, let count):
            let found = try session.exchanges(matching: matcher, bodies: false).count
            guard !count.holds(for: found) else { return nil }
            return "expected \(count) to match \(matcher), and saw \(found)" + self.deck.seen(seen)
        case .order(let matchers):
            return try self.checkOrder(matchers, session, seen)
        }
    }

    private func checkOrder(
        _ matchers: [RequestMatcher],
        _ session: SessionClient,
        _ seen: [Exchange]
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

    private func unimplemented(_ seen: [Exchange]) -> [TestIssue] {
        self.ledger.added.compactMap { added in
            guard case .unimplemented(let reason) = added.kind else { return nil }
            let hits = seen.filter { $0.played?.set == added.name && !self.ledger.pardoned.contains($0.number) }
            guard !hits.isEmpty else { return nil }
            let why = reason.isEmpty ? "" : ": \(reason)"
            let times = ExpectedCount.requests(hits.count)
            return TestIssue(
                "\(added.request) is unimplemented\(why), and was asked for by \(times)" + self.deck.seen(hits),
                at: added.place
            )
        }
    }

    /// Of requests that a test holds and never let go: one for each place that holds some.
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
            let own = held.filter { $0.set == hold.name }.map { Exchange($0.entry) }
            guard !own.isEmpty else { return nil }
            let remedy = "release each, let it go, or stop() to hold no more"
            return TestIssue(
                "\(ExpectedCount.requests(own.count)) for \(hold.request) still held at the end; \(remedy)"
                    + self.deck.seen(own),
                at: hold.place
            )
        }
    }

    private func unmatched(_ seen: [Exchange]) -> [TestIssue] {
        guard self.deck.options.allowsUnmatched != true else { return [] }
        let unmatched = seen.filter { $0.outcome == .unmatched && !self.ledger.pardoned.contains($0.number) }
        var issues = unmatched.prefix(Self.unmatchedLimit).map { exchange in
            TestIssue(
                "nothing on tape answers \(exchange.method) \(exchange.shownURL): \(exchange.mismatch ?? "")",
                at: self.deck.place
            )
        }
        let left = unmatched.count - issues.count
        if left > 0 {
            issues.append(
                TestIssue("nothing on tape answers \(ExpectedCount.requests(left)) more", at: self.deck.place)
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
            issues.append(TestIssue("the recording could not be saved: \(failure)", at: place))
        }
        if self.deck.mode.records {
            issues += report.troubles.map { TestIssue("\($0.request) was not recorded: \($0.message)", at: place) }
        }
        issues += report.cutOffSets.map {
            TestIssue("the pattern of \"\($0)\" took too long and was cut off; make it simpler", at: place)
        }
        if self.deck.options.requiresUse == true, self.deck.mode.plays {
            let stubs = Dictionary(self.ledger.added.map { ($0.name, $0) }) { first, _ in first }
            issues += report.unusedSets.map { name in
                guard let stub = stubs[name] else {
                    return TestIssue("no request asked for the response set \"\(name)\"", at: place)
                }
                return TestIssue("no request asked for the stub of \(stub.request)", at: stub.place)
            }
        }
        return issues
    }
}
