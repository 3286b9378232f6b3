/// Gives a block a session of a deck, and at its end checks expectations, unmatched requests and, if requested, unused
/// sets. Works in any test framework, and in none.
///
/// ```swift
/// try await withTapedeck(.cassette("github").select("offline", for: "login")) { deck in
///     let api = GitHub(session: deck.urlSession())
///     await #expect(throws: URLError.self) { try await api.login() }
/// }
/// ```
///
/// Problems fail the running test, each as a separate issue, at the line of the expectation or, for unmatched requests,
/// at this call. Inside another `withTapedeck` or a suite's trait these options are added to the outer ones; the
/// session is a new one.
///
/// The cassettes are names or paths, relative to `folder`, which is relative to this file's folder; or they are in
/// memory. For other options there is the function with ``TapedeckOptions``. The session is called `name`; by default after the running test
/// case, or outside of one after this file and function.
///
/// - Returns: the value that `body` returns.
/// - Throws: errors of `body`, ``TapedeckError`` if there is no deck, or the cassette or variant does not exist, and
///   ``TapedeckFailure`` if there is a problem and no test framework to report it to.
@discardableResult
public func withTapedeck<Value>(
    _ cassettes: CassetteReference...,
    folder: String? = nil,
    name: String? = nil,
    function: String = #function,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Tapedeck) async throws -> Value
) async throws -> Value {
    let place = CodePlace(fileID, filePath, line, column)
    let options = TapedeckOptions(cassettes, folder: folder, at: place)
    return try await withTapedeck(options, name: name ?? Tapedeck.testName ?? "\(fileID) \(function)", at: place, body)
}

/// Gives a block a session with options.
@discardableResult
public func withTapedeck<Value>(
    _ options: TapedeckOptions,
    name: String? = nil,
    function: String = #function,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Tapedeck) async throws -> Value
) async throws -> Value {
    let place = CodePlace(fileID, filePath, line, column)
    return try await withTapedeck(options, name: name ?? Tapedeck.testName ?? "\(fileID) \(function)", at: place, body)
}

private func withTapedeck<Value>(
    _ options: TapedeckOptions,
    name: String,
    at place: CodePlace,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Tapedeck) async throws -> Value
) async throws -> Value {
    let merged = TapedeckOptions.inherited?.with(options) ?? options
    let deck = try await TapedeckScope.open(merged, name: name, at: place)
    let (result, hasFailed) = await withoutActuallyEscaping(body) { body in
        let run = WatchedBlock<Value> {
            // On the actor of the caller, as the block is.
            _ = isolation
            return try await TapedeckOptions.$inherited.withValue(merged) {
                try await Tapedeck.$bound.withValue(deck) {
                    try await TapedeckScope.watching(deck) { try await body(deck) }
                }
            }
        }
        let hasFailed = await run.run()
        return (run.result ?? .failure(CancellationError()), hasFailed)
    }
    let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
    let failure = await deck.finish(after: error, hasFailed: hasFailed)
    let value = try result.get()
    if let failure { throw failure }
    return value
}

/// A block that runs once while its test's framework is watched for failures, on the actor of whoever made it.
private final class WatchedBlock<Value>: @unchecked Sendable {
    // Proof of @unchecked Sendable: `run` hands itself to the framework, which calls it once and waits for it, so that at no
    // time two use it; the block runs on its own actor.
    private var block: (() async throws -> Value)?
    private(set) var result: Result<Value, any Error>?

    init(_ block: @escaping () async throws -> Value) {
        self.block = block
    }

    /// Returns true if the test failed meanwhile, as far as its framework tells.
    func run(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        guard let reporter = IssueReporter.registered else {
            await self.perform(isolation: isolation)
            return false
        }
        return await reporter.watch { await self.perform(isolation: isolation) }
    }

    private func perform(isolation: isolated (any Actor)?) async {
        guard let block = self.block else { return }
        // Released here, because references to this object may outlive the block.
        self.block = nil
        do {
            self.result = .success(try await block())
        } catch {
            self.result = .failure(error)
        }
    }
}

extension TapedeckOptions {
    /// Those of the suite, or of the scope around this one.
    @TaskLocal package static var inherited: TapedeckOptions?
}

extension Tapedeck {
    /// The name of the running test case, as far as a test framework is linked.
    fileprivate static var testName: String? { IssueReporter.registered?.testName() }

    /// Ends the session and reports its issues. Returns the failure to throw, if no framework took them.
    ///
    /// - Parameter hasFailed: the test has failed in the block.
    func finish(after error: (any Error)?, hasFailed: Bool) async -> TapedeckFailure? {
        let outcome = await TapedeckScope.close(self, after: error)
        // A test that was skipped has nothing more to say. For one that ran out of time its traffic says why.
        if let error, IssueReporter.registered?.isSkip(error) ?? false { return nil }
        if error != nil, Task.isCancelled {
            TestIssue.attach(outcome.traffic, name: "tapedeck.txt")
            return nil
        }
        var isReported = true
        for issue in outcome.issues where !issue.report() { isReported = false }
        if error != nil || hasFailed || Task.isCancelled || !outcome.issues.isEmpty {
            TestIssue.attach(outcome.traffic, name: "tapedeck.txt")
        }
        guard !isReported else { return nil }
        return TapedeckFailure(outcome.issues, isReported: false)
    }
}
