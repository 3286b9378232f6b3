public import TapedeckTestingCore
public import Testing

/// Gives every test case a session of a deck; made by `.tapedeck(…)` and `.cassette(…)`.
///
/// The traits of a test and of the suites around it add up, the outer ones first: there is one session for each test case,
/// open while the body and all further traits run, and `Tapedeck.current` is its deck.
public struct TapedeckTrait: SuiteTrait, TestTrait, TestScoping {
    package let options: TapedeckOptions
    /// True if the options are a value with a known place. To the compiler, options written in `@Test(…)` or
    /// `@Suite(…)` itself are at the function or type behind it.
    let isValue: Bool

    /// The test whose case has its session already.
    @TaskLocal private static var open: Test.ID?

    /// A suite's trait holds for the tests in it, and for those of suites in it.
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // The first trait opens the session, so that also other traits behind it have it.
        guard let testCase, Self.open != test.id else { return try await function() }
        let scope = TestCaseScope(test, testCase)
        try await Self.$open.withValue(test.id) { try await scope.run(function) }
    }
}

extension Trait where Self == TapedeckTrait {
    /// Gives every test case of a suite, or of one test, a session.
    ///
    /// ```swift
    /// @Suite(.tapedeck(folder: "Fixtures"))
    /// struct LoginTests {
    ///     @Test(.cassette("github", select: ["login": "offline"]))
    ///     func showsOfflineBanner() async throws { … }
    /// }
    /// ```
    ///
    /// `folder` is the folder of the cassettes, absolute or relative to the folder of this file, which is the default.
    /// `cassettes` are names or paths of cassettes, or cassettes in memory, that every test plays, the first one on top;
    /// those of a test's own `.cassette(…)` lie over them. `TapedeckOptions` describes the other options.
    public static func tapedeck(
        folder: String? = nil,
        cassettes: [CassetteReference] = [],
        select: [String: String] = [:],
        profiles: [String] = [],
        state: [String: String] = [:],
        seed: UInt64? = nil,
        mode: TapedeckMode? = nil,
        recordingVariant: String? = nil,
        allowsUnmatched: Bool? = nil,
        unused: TapedeckOptions.Severity? = nil,
        exclusive: Bool? = nil,
        sharedURLSession: Bool? = nil,
        deck: DeckChoice? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        TapedeckTrait(
            options: TapedeckOptions(
                cassettes: cassettes,
                folder: folder,
                select: select,
                profiles: profiles,
                state: state,
                seed: seed,
                mode: mode,
                recordingVariant: recordingVariant,
                allowsUnmatched: allowsUnmatched,
                unused: unused,
                exclusive: exclusive,
                sharedURLSession: sharedURLSession,
                deck: deck,
                fileID: fileID,
                filePath: filePath,
                line: line,
                column: column
            ),
            isValue: false
        )
    }

    /// Gives each test a session with shared options. Failures are reported at the line of the options.
    public static func tapedeck(_ options: TapedeckOptions) -> Self {
        TapedeckTrait(options: options, isValue: true)
    }

    /// Has a test, or every test of a suite, play a cassette. Those of several traits lie one over the other, the last on top.
    ///
    /// `references` are names or paths of cassettes, or cassettes in memory, the first one on top; without any, each test has a
    /// cassette of its own, `CassetteReference.namedAfterTest`, unless a trait further inside names one. They are in `folder`,
    /// absolute or relative to the folder of this file, which is the default unless a suite has another. `TapedeckOptions`
    /// describes the other options.
    public static func cassette(
        _ references: CassetteReference...,
        folder: String? = nil,
        select: [String: String] = [:],
        profiles: [String] = [],
        state: [String: String] = [:],
        seed: UInt64? = nil,
        mode: TapedeckMode? = nil,
        recordingVariant: String? = nil,
        allowsUnmatched: Bool? = nil,
        unused: TapedeckOptions.Severity? = nil,
        exclusive: Bool? = nil,
        sharedURLSession: Bool? = nil,
        deck: DeckChoice? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        var options = TapedeckOptions(
            cassettes: references.isEmpty ? [.namedAfterTest] : references,
            folder: folder,
            select: select,
            profiles: profiles,
            state: state,
            seed: seed,
            mode: mode,
            recordingVariant: recordingVariant,
            allowsUnmatched: allowsUnmatched,
            unused: unused,
            exclusive: exclusive,
            sharedURLSession: sharedURLSession,
            deck: deck,
            fileID: fileID,
            filePath: filePath,
            line: line,
            column: column
        )
        options.hasDefaultCassette = references.isEmpty
        return TapedeckTrait(options: options, isValue: false)
    }
}
