import Foundation
import TapedeckLocking
import TapedeckTestingCore
import Testing

/// One test case of Swift Testing, from the making of its session to its end.
struct TestCaseScope {
    private let test: Test
    private let testCase: Test.Case
    /// The outer ones first.
    private let traits: [TapedeckOptions]
    private let options: TapedeckOptions

    init(_ test: Test, _ testCase: Test.Case) {
        self.test = test
        self.testCase = testCase
        // A suite's traits are in front of its tests'.
        self.traits = test.traits.compactMap { $0 as? TapedeckOptions }
        self.options = self.traits.dropFirst().reduce(self.traits.first ?? TapedeckOptions()) { $0.with($1) }
    }

    func run(_ body: @Sendable () async throws -> Void) async throws {
        guard let deck = try await self.open() else { return }
        let thrown = Locked<(any Error)?>(nil)
        let hasFailed = await FailureWatch.run(in: self.test) {
            do {
                try await TapedeckOptions.$inherited.withValue(self.options) {
                    try await Tapedeck.$bound.withValue(deck) {
                        try await TapedeckScope.watching(deck) { try await body() }
                    }
                }
            } catch {
                thrown.withLock { $0 = error }
            }
        }
        let outcome = await TapedeckScope.close(deck, after: nil)
        try self.tell(outcome, thrown.withLock { $0 }, hasFailed: hasFailed)
    }

    // MARK: The start

    /// - Returns: `nil` without a session, for which the test has failed.
    /// - Throws: the error that cancels the test.
    private func open() async throws -> Tapedeck? {
        let (options, place) = (self.options, self.place)
        let name = TestCaseName.of(self.test, self.testCase)
        do {
            try self.checkName()
            return try await TapedeckScope.open(options, name: name, at: place)
        } catch let error as TapedeckError {
            TestIssue(error.message, at: self.place(of: error)).report()
            return nil
        }
    }

    /// Checks that a cassette that is named after the case is no other case's too.
    private func checkName() throws(TapedeckError) {
        guard self.options.cassettes.contains(where: \.isNamedAfterTest),
            let type = TestCaseName.typeWithoutText(in: self.testCase)
        else { return }
        throw TapedeckError(
            .badOptions,
            "a cassette cannot be named after an argument of the class \(type), as its instances have the same text; make it "
                + "CustomTestStringConvertible, or name the cassette"
        )
    }

    /// The line for failures of the session as a whole: the test, because a suite's line would not identify the test.
    private var place: CodePlace {
        guard let last = self.traits.last, !last.isInAttribute, let place = last.place else {
            return CodePlace(self.test.sourceLocation)
        }
        return place
    }

    /// The line for a session that could not be created: the innermost trait whose words the error repeats.
    private func place(of error: TapedeckError) -> CodePlace {
        let own = CodePlace(self.test.sourceLocation)
        guard let culprit = self.traits.last(where: { $0.isNamed(in: error) }),
            let place = culprit.place
        else { return self.place }
        // The test's own trait is between the beginning of the attribute and the function.
        if culprit.isInAttribute, place.fileID == own.fileID, place.line >= own.line { return own }
        return place
    }

    // MARK: The end

    /// Reports problems to the test: the body's error, which is usually the cause, then those of the session.
    ///
    /// - Throws: the body's error, if there is no other problem.
    private func tell(_ outcome: TapedeckScope.Outcome, _ thrown: (any Error)?, hasFailed: Bool) throws {
        // A test that was skipped has nothing more to say. For one that ran out of time its traffic says why, and nothing
        // else here does: its time limit is an issue of the test runner, and what it throws is whatever was interrupted.
        if let thrown, Task.isCancelled {
            if !thrown.isTestingsOwn { TestIssue.attach(outcome.traffic, name: "tapedeck.txt") }
            throw thrown
        }
        // After everything that is reported here.
        defer {
            if hasFailed || thrown != nil || !outcome.issues.isEmpty || Task.isCancelled {
                TestIssue.attach(outcome.traffic, name: "tapedeck.txt")
            }
        }
        let isTold =
            thrown.map { $0 is ExpectationFailedError || ($0 as? TapedeckFailure)?.isReported ?? false } ?? true
        if let thrown, !isTold {
            if let error = thrown as? TapedeckError, let place = error.place {
                TestIssue(error.message, at: place).report()
            } else {
                if outcome.issues.isEmpty { throw thrown }
                Issue.record(thrown, sourceLocation: self.test.sourceLocation)
            }
        }
        for issue in outcome.issues { issue.report() }
    }
}

extension TapedeckOptions {
    /// True if an error is about a cassette, variant or profile that is named here.
    fileprivate func isNamed(in error: TapedeckError) -> Bool {
        let files = self.cassettes.map { reference -> [String] in
            switch reference {
            case .named(let name): ["/\(name).yaml", "/\(name)"]
            case .url(let url): [url.path]
            case .namedAfterTest: []
            case .inMemory(_, let name): name.map { ["\($0).yaml"] } ?? []
            case .files(let files): Array(files.keys)
            case .stored(let name, _): ["\(name) in ", "\(name).yaml"]
            }
        }
        let words =
            self.select.keys.map { "\"\($0)\"" } + self.select.values.map { "\"\($0)\"" }
            + self.profiles.map { "\"\($0)\"" } + files.flatMap { $0 }
        if words.contains(where: { error.description.contains($0) }) { return true }
        switch error.kind {
        case .recordingRefused: return self.mode.map { $0 != .replay } ?? false
        case .noDeck: return self.deck != nil
        default: return false
        }
    }
}
