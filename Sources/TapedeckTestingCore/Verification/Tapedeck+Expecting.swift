import TapedeckControlAPI
import TapedeckControlClient
import TapedeckLocking

/// The expectations of a test.
extension Tapedeck {
    /// Expects requests, whatever answers them: at least one, or as many as `count` says. Checked when the session ends;
    /// a failure is told at this line.
    public func expect(
        _ matcher: RequestMatcher,
        _ count: ExpectedCount = .atLeast(1),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        self.expect(.count(matcher, count), at: CodePlace(fileID, filePath, line, column))
    }

    /// Expects requests one after the other, others before, between and behind them notwithstanding. Checked when the
    /// session ends; a failure is told at this line.
    public func expect(
        inOrder matchers: [RequestMatcher],
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        self.expect(.order(matchers), at: CodePlace(fileID, filePath, line, column))
    }

    private func expect(_ kind: Ledger.Expectation.Kind, at place: CodePlace) {
        let isOver = self.ledger.withLock { ledger in
            ledger.expectations.append(Ledger.Expectation(kind: kind, place: place))
            return ledger.isOver
        }
        guard isOver else { return }
        _ = TestIssue("the session \"\(self.name)\" is over, so that nobody checks what is expected of it", at: place)
            .report()
    }

    /// Waits until `count` requests match, those included that came before, whatever answers them; at most for `timeout`,
    /// which is 5 seconds unless told otherwise, and at most 5 minutes. The deck tells when they are there: nothing polls.
    ///
    /// - Returns: the requests that match, oldest first.
    /// - Throws: ``TapedeckFailure`` when they do not come; the test has then failed at this line.
    @discardableResult
    public func waitFor(
        _ matcher: RequestMatcher,
        count: Int = 1,
        timeout: Duration = .seconds(5),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> [Exchange] {
        let result = try await self.ask { try $0.wait(for: matcher.json, count: count, within: timeout) }
        if result.isMet { return try await self.requests(matching: matcher) }
        let end = result.reason == "ended" ? "the session ended" : "\(timeout) went by"
        let message =
            "waited for \(ExpectedCount.requests(count)) to match \(matcher), and \(end) with \(result.count)"
            + self.seen(try await self.requests())
        let issue = try await self.issue(message, at: CodePlace(fileID, filePath, line, column))
        throw TapedeckFailure([issue], isReported: issue.report())
    }

    /// Watches for some time, at most 5 minutes, and fails the test at this line when a request comes that matches, or any
    /// request where there is no `matcher`.
    public func expectQuiet(
        for time: Duration,
        _ matcher: RequestMatcher? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws {
        let result = try await self.ask { session in
            let before = try session.seen()
            return try session.wait(for: matcher?.json ?? "{}", within: time, never: true, after: before)
        }
        guard !result.isMet else { return }
        let came = result.entries.map { Exchange($0) }
        let what = matcher.map { " that matches \($0)" } ?? ""
        let message = "expected no request\(what) for \(time), and saw \(result.count)" + self.seen(came)
        let issue = try await self.issue(message, at: CodePlace(fileID, filePath, line, column))
        guard issue.report() else { throw TapedeckFailure([issue], isReported: false) }
    }

    /// Expects that requests of a block that match, or any where there is no `matcher`, are answered by nothing on tape.
    /// They are then no failure; that there is none is one, at this line.
    public func withExpectedUnmatched<Value>(
        _ matcher: RequestMatcher? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let before = try await self.ask { try $0.seen() }
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
        let issue = try await self.issue(message, at: CodePlace(fileID, filePath, line, column))
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
        return TestIssue(shown.first ?? message, at: place)
    }

    /// How many requests a failure shows.
    private static let shownLimit = 20

    /// The requests that there were, for the end of a message.
    func seen(_ exchanges: [Exchange]) -> String {
        guard !exchanges.isEmpty else { return "\n  no request came at all" }
        let shown = exchanges.suffix(Self.shownLimit)
        let left = exchanges.count - shown.count
        let lines = shown.map { "\n    \($0.number)  \($0)" }.joined()
        return "\n  the requests were:" + (left > 0 ? "\n    … \(left) before these" : "") + lines
    }
}
