import TapedeckLocking
import TapedeckTestingCore
import Testing

/// One test case of Swift Testing, from the making of its session to its end.
struct TestCaseScope {
    private let test: Test
    private let testCase: Test.Case
    /// The outer ones first.
    private let traits: [TapedeckTrait]
    private let options: TapedeckOptions

    init(_ test: Test, _ testCase: Test.Case) {
        self.test = test
        self.testCase = testCase
        // A suite's traits are in front of its tests'.
        self.traits = test.traits.compactMap { $0 as? TapedeckTrait }
        let parts = self.traits.map(\.options)
        self.options = parts.dropFirst().reduce(parts.first ?? TapedeckOptions()) { $0.with($1) }
    }

    func run(_ body: @Sendable () async throws -> Void) async throws {
        guard let deck = try await self.open() else { return }
        let failed = Locked(false)
        // Sees the issues of this case alone, and leaves them as they are.
        let watch = IssueHandlingTrait.filterIssues { issue in
            if issue.isFailure { failed.withLock { $0 = true } }
            return true
        }
        var thrown: (any Error)?
        do {
            try await watch.provideScope(for: self.test, testCase: self.testCase) {
                try await TapedeckOptions.$inherited.withValue(self.options) {
                    try await Tapedeck.$bound.withValue(deck) { try await body() }
                }
            }
        } catch {
            thrown = error
        }
        let outcome = await TapedeckScope.close(deck, after: nil)
        try self.tell(outcome, thrown, hasFailed: failed.withLock { $0 })
    }

    // MARK: The start

    /// - Returns: `nil` when there is no session, which the test has failed for.
    /// - Throws: what skips or cancels the test.
    private func open() async throws -> Tapedeck? {
        let (options, place) = (self.options, self.place)
        let name = TestCaseName.of(self.test, self.testCase)
        do {
            return try await TapedeckScope.open(options, name: name, at: place)
        } catch let skipped as TapedeckScope.Skipped {
            let reason = TestIssue(skipped.description, at: place)
            try Test.cancel("\(reason.message)", sourceLocation: reason.location(in: self.test))
        } catch let error as TapedeckError {
            let issue = TestIssue(error.description, at: self.place(of: error))
            Issue.record("\(issue.message)", sourceLocation: issue.location(in: self.test))
            return nil
        }
    }

    /// Where failures of the session as a whole are told: at the test, as a suite's line would not say which test it is.
    private var place: CodePlace {
        guard let last = self.traits.last, last.isValue, let place = last.options.place else {
            return CodePlace(self.test.sourceLocation)
        }
        return place
    }

    /// Where a session that could not be made is told: at the trait whose words the error repeats, the innermost of them.
    private func place(of error: TapedeckError) -> CodePlace {
        let own = CodePlace(self.test.sourceLocation)
        guard let culprit = self.traits.last(where: { $0.options.isNamed(in: error) }),
            let place = culprit.options.place
        else { return self.place }
        // The test's own: it stands between the beginning of the attribute and the function.
        if !culprit.isValue, place.fileID == own.fileID, place.line >= own.line { return own }
        return place
    }

    // MARK: The end

    /// Has the test told what is wrong: what the body threw, which is the cause as a rule, then what the session says.
    ///
    /// - Throws: what the body threw, where that is all there is to say.
    private func tell(_ outcome: TapedeckScope.Outcome, _ thrown: (any Error)?, hasFailed: Bool) throws {
        // A test that was cancelled or skipped has nothing more to say; for one that ran out of time its traffic tells why.
        if let thrown, Task.isCancelled {
            if thrown is CancellationError { TestIssue.attach(outcome.traffic, name: "tapedeck.txt") }
            throw thrown
        }
        // Behind all that is told here.
        defer {
            if hasFailed || thrown != nil || !outcome.issues.isEmpty {
                TestIssue.attach(outcome.traffic, name: "tapedeck.txt")
            }
        }
        let isTold =
            thrown.map { $0 is ExpectationFailedError || ($0 as? TapedeckFailure)?.isReported ?? false } ?? true
        if let thrown, !isTold {
            if outcome.issues.isEmpty { throw thrown }
            Issue.record(thrown, sourceLocation: self.test.sourceLocation)
        }
        for issue in outcome.issues {
            Issue.record("\(issue.message)", sourceLocation: issue.location(in: self.test))
        }
    }
}

extension TapedeckOptions {
    /// True if an error is about a cassette, variant or profile that is named here.
    fileprivate func isNamed(in error: TapedeckError) -> Bool {
        let files = self.cassettes.map { reference in
            switch reference {
            case .named(let name): ["/\(name).yaml", "/\(name)"]
            case .inMemory(_, let name): ["\(name).yaml"]
            case .files(let files): Array(files.keys)
            }
        }
        let words =
            self.select.keys.map { "\"\($0)\"" } + self.select.values.map { "\"\($0)\"" }
            + self.profiles.map { "\"\($0)\"" } + files.flatMap { $0 }
        if words.contains(where: { error.description.contains($0) }) { return true }
        switch error.kind {
        case .recordingRefused: return self.mode?.records ?? false
        case .noDeck: return self.deck != nil
        default: return false
        }
    }
}
