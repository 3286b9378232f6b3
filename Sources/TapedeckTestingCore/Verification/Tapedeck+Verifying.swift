import TapedeckLocking

extension Tapedeck {
    /// Checks now what is otherwise checked when the session ends: expectations, unimplemented routes, stubs that threw
    /// and unmatched requests. Reported problems are not reported again at the end.
    ///
    /// Inside `withKnownIssue` these failures are known issues.
    ///
    /// - Throws: ``TapedeckFailure`` if there is a problem and no test framework to report it to; ``TapedeckError`` if
    ///   the deck cannot be reached.
    public func verify(isolation: isolated (any Actor)? = #isolation) async throws {
        let ledger = self.ledger.withLock { ledger in
            let whole = ledger
            ledger.expectations = []
            ledger.troubles = []
            return whole
        }
        let (issues, seen) = try await self.ask { session in
            let seen = try session.exchanges(bodies: false)
            let issues = try Verification(deck: self, ledger: ledger).issues(among: seen)
            return (try issues.shown(by: session), seen.map(\.number))
        }
        self.ledger.withLock { $0.pardoned.formUnion(seen) }
        var isReported = true
        for issue in issues where !issue.report() { isReported = false }
        guard isReported else { throw TapedeckFailure(issues, isReported: false) }
    }
}
