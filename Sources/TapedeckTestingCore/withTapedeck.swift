/// Gives a block a session of a deck, and checks at its end what was expected, what nothing answered and, if asked for,
/// what was not used. Works in any test framework, and in none.
///
/// ```swift
/// try await withTapedeck("github", select: ["login": "offline"]) { deck in
///     let api = GitHub(session: deck.urlSession())
///     await #expect(throws: URLError.self) { try await api.login() }
/// }
/// ```
///
/// Problems fail the running test, each as its own issue, at the line of the expectation or, for unmatched requests, at
/// this call. Inside another `withTapedeck` or a suite's trait these options are added to the outer ones; the session
/// is a new one.
///
/// The cassettes are names or paths, relative to `folder`, which is relative to this file's folder; or they are in memory.
/// ``TapedeckOptions`` says what the other options do. The session is called `name`; without one, after this file and
/// function.
///
/// - Returns: the value that `body` returns.
/// - Throws: what `body` throws, ``TapedeckError`` when there is no deck, no cassette or no such variant, and
///   ``TapedeckFailure`` when something is wrong and no test framework can be told.
@discardableResult
public func withTapedeck<Value>(
    _ cassettes: CassetteReference...,
    folder: String? = nil,
    select: [String: String] = [:],
    profiles: [String] = [],
    state: [String: String] = [:],
    seed: UInt64? = nil,
    mode: TapedeckMode? = nil,
    recordingVariant: String? = nil,
    missing: MissingCassette? = nil,
    allowsUnmatched: Bool? = nil,
    requiresUse: Bool? = nil,
    deck: DeckChoice? = nil,
    name: String? = nil,
    function: String = #function,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Tapedeck) async throws -> Value
) async throws -> Value {
    let options = TapedeckOptions(
        cassettes: cassettes,
        folder: folder,
        select: select,
        profiles: profiles,
        state: state,
        seed: seed,
        mode: mode,
        recordingVariant: recordingVariant,
        missing: missing,
        allowsUnmatched: allowsUnmatched,
        requiresUse: requiresUse,
        deck: deck,
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column
    )
    let place = CodePlace(fileID, filePath, line, column)
    return try await withTapedeck(options, name: name ?? "\(fileID) \(function)", at: place, body)
}

/// Runs a block with a session and shared options.
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
    return try await withTapedeck(options, name: name ?? "\(fileID) \(function)", at: place, body)
}

private func withTapedeck<Value>(
    _ options: TapedeckOptions,
    name: String,
    at place: CodePlace,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Tapedeck) async throws -> Value
) async throws -> Value {
    let merged = TapedeckOptions.inherited?.with(options) ?? options
    let deck = try await open(merged, name, place)
    let result: Result<Value, any Error>
    do {
        result = .success(
            try await TapedeckOptions.$inherited.withValue(merged) {
                try await Tapedeck.$bound.withValue(deck) { try await body(deck) }
            }
        )
    } catch {
        result = .failure(error)
    }
    let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
    let failure = await deck.finish(after: error)
    let value = try result.get()
    if let failure { throw failure }
    return value
}

private func open(_ options: TapedeckOptions, _ name: String, _ place: CodePlace) async throws -> Tapedeck {
    do {
        return try await TapedeckScope.open(options, name: name, at: place)
    } catch let skipped as TapedeckScope.Skipped {
        try IssueReporter.registered?.skip(TestIssue(skipped.description, at: place))
        throw skipped
    }
}

extension TapedeckOptions {
    /// Those of the suite, or of the scope around this one.
    @TaskLocal package static var inherited: TapedeckOptions?
}

extension Tapedeck {
    /// Ends the session and has the test told what is wrong.
    ///
    /// - Returns: what is to be thrown, as nobody could be told.
    func finish(after error: (any Error)?) async -> TapedeckFailure? {
        let outcome = await TapedeckScope.close(self, after: error)
        // A test that was cancelled or skipped has nothing more to say.
        if let error, Task.isCancelled || IssueReporter.registered?.isSkip(error) ?? false { return nil }
        var isReported = true
        for issue in outcome.issues where !issue.report() { isReported = false }
        if error != nil || !outcome.issues.isEmpty { TestIssue.attach(outcome.traffic, name: "tapedeck.txt") }
        guard !isReported else { return nil }
        return TapedeckFailure(outcome.issues, isReported: false)
    }
}
