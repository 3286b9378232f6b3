import TapedeckControlAPI
import TapedeckControlClient
import TapedeckLocking

/// The expectations of a test.
extension Tapedeck {
    /// Expects requests, whatever answers them: at least one, or as many as `count` says. Checked when the session ends;
    /// a failure is reported at this line. Each answer may take as long as `time`, from the end of the request's head to the
    /// end of the answer.
    public func expect(
        _ matcher: RequestMatcher,
        _ count: ExpectedCount = .atLeast(1),
        answeredWithin time: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        self.expect(.count(matcher, count, within: time), at: CodePlace(fileID, filePath, line, column))
    }

    package func expect(
        _ matcher: RequestMatcher,
        _ count: ExpectedCount,
        answeredWithin time: Duration?,
        at place: CodePlace
    ) {
        self.expect(.count(matcher, count, within: time), at: place)
    }

    /// Expects requests that a condition of one's own holds for. A failure has its reasons for those it does not hold for.
    public func expect(
        where condition: some RequestCondition,
        _ count: ExpectedCount = .atLeast(1),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        self.expect(.condition(condition, count), at: CodePlace(fileID, filePath, line, column))
    }

    package func expect(where condition: some RequestCondition, _ count: ExpectedCount, at place: CodePlace) {
        self.expect(.condition(condition, count), at: place)
    }

    /// Expects requests in this order; others may come before, between and after them. Checked when the session ends; a
    /// failure is reported at this line.
    public func expect(
        inOrder matchers: [RequestMatcher],
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        self.expect(inOrder: matchers, at: CodePlace(fileID, filePath, line, column))
    }

    package func expect(inOrder matchers: [RequestMatcher], at place: CodePlace) {
        self.expect(.order(matchers), at: place)
    }

    private func expect(_ kind: Ledger.Expectation.Kind, at place: CodePlace) {
        let isOver = self.ledger.withLock { ledger in
            ledger.expectations.append(Ledger.Expectation(kind: kind, place: place))
            return ledger.isOver
        }
        guard isOver else { return }
        let message = "the session \"\(self.name)\" has ended, so this expectation is not checked"
        TestIssue(.expectation, message, at: place).report()
    }

    /// Waits until `count` requests match, including earlier ones, whatever their outcome; at most for `timeout`, which
    /// is 5 seconds by default and at most 5 minutes. The deck answers as soon as they are there: nothing polls.
    ///
    /// - Returns: the matching requests, oldest first.
    /// - Throws: ``TapedeckFailure`` if they do not come; the test has then failed at this line.
    @discardableResult
    public func waitFor(
        _ matcher: RequestMatcher,
        count: Int = 1,
        timeout: Duration = .seconds(5),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> [Tapedeck.Exchange] {
        try await self.waitFor(matcher, count: count, timeout: timeout, at: CodePlace(fileID, filePath, line, column))
    }

    package func waitFor(
        _ matcher: RequestMatcher,
        count: Int,
        timeout: Duration,
        at place: CodePlace
    ) async throws -> [Tapedeck.Exchange] {
        let result = try await self.ask(at: place) { try $0.wait(for: matcher.json, count: count, within: timeout) }
        if result.isMet { return try await self.requests(matching: matcher) }
        let end = result.reason == "ended" ? "the session ended" : "\(timeout) went by"
        let message =
            "waited for \(ExpectedCount.requests(count)) to match \(matcher), and \(end) with \(result.count)"
            + self.seen(try await self.requests())
        let issue = try await self.issue(message, at: place)
        throw TapedeckFailure([issue], isReported: issue.report())
    }

    /// Watches for some time, at most 5 minutes, and fails the test at this line if a matching request comes, or any
    /// request without a `matcher`.
    public func expectQuiet(
        for time: Duration,
        _ matcher: RequestMatcher? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws {
        try await self.expectQuiet(for: time, matcher, at: CodePlace(fileID, filePath, line, column))
    }

    package func expectQuiet(for time: Duration, _ matcher: RequestMatcher?, at place: CodePlace) async throws {
        let result = try await self.ask(at: place) { session in
            let before = try session.seen()
            return try session.wait(for: matcher?.json ?? "{}", within: time, never: true, after: before)
        }
        guard !result.isMet else { return }
        let came = result.entries.map { Tapedeck.Exchange($0) }
        let what = matcher.map { " that matches \($0)" } ?? ""
        let message = "expected no request\(what) for \(time), and saw \(result.count)" + self.seen(came)
        let issue = try await self.issue(message, at: place)
        guard issue.report() else { throw TapedeckFailure([issue], isReported: false) }
    }

    /// Expects that requests of a block that match, or any where there is no `matcher`, are answered by nothing on tape.
    /// They are then no failure; that there is none is one, at this line.
    @discardableResult
    public func withExpectedUnmatched<Value>(
        _ matcher: RequestMatcher? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await self.withExpectedUnmatched(matcher, at: CodePlace(fileID, filePath, line, column), body)
    }

    @discardableResult
    package func withExpectedUnmatched<Value>(
        _ matcher: RequestMatcher?,
        at place: CodePlace,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let before = try await self.ask(at: place) { try $0.seen() }
        let value: Value
        do {
            value = try await body()
        } catch {
            // The test's own error counts, or just the 501.
            _ = try? await self.pardonUnmatched(matcher, after: before)
            throw error
        }
        guard try await !self.pardonUnmatched(matcher, after: before) else { return value }
        let came = try await self.ask { try $0.exchanges(after: before, bodies: false) }
        let what = matcher.map { " that matches \($0)" } ?? ""
        let message = "expected a request\(what) that nothing on tape answers, and there was none" + self.seen(came)
        let issue = try await self.issue(message, at: place)
        guard issue.report() else { throw TapedeckFailure([issue], isReported: false) }
        return value
    }

    /// - Returns: whether there were any.
    private func pardonUnmatched(_ matcher: RequestMatcher?, after number: Int) async throws -> Bool {
        let unmatched = try await self.ask { session in
            try session.exchanges(matching: matcher, outcome: .unmatched, after: number, bodies: false)
        }
        self.ledger.withLock { $0.pardoned.formUnion(unmatched.map(\.number)) }
        return !unmatched.isEmpty
    }

    // MARK: In words

    /// An issue without the secrets of the session's requests.
    private func issue(_ message: String, at place: CodePlace) async throws -> TestIssue {
        let shown = try await self.ask { try $0.shown([message]) }
        return TestIssue(.expectation, shown.first ?? message, at: place)
    }

    /// The maximum number of requests in a failure.
    private static let shownLimit = 20

    /// The requests that there were, for the end of a message.
    func seen(_ exchanges: [Tapedeck.Exchange]) -> String {
        guard !exchanges.isEmpty else { return "\n  no request came at all" }
        let shown = exchanges.suffix(Self.shownLimit)
        let left = exchanges.count - shown.count
        let lines = shown.map { "\n    \($0.number)  \($0)" }.joined()
        return "\n  the requests were:" + (left > 0 ? "\n    … \(left) before these" : "") + lines
    }
}
