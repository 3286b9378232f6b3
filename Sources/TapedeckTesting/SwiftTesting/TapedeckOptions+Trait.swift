public import TapedeckTestingCore
public import Testing

/// Options as a trait: every test case has a session of a deck, open while the body and all further traits run, and
/// `Tapedeck.current` is its deck. The options of a test and of the suites around it add up, the outer ones first.
extension TapedeckOptions: SuiteTrait, TestTrait, TestScoping {
    /// The test whose case has its session already.
    @TaskLocal private static var open: Test.ID?

    /// A suite's options hold for the tests in it, and for those of suites in it.
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

extension Trait where Self == TapedeckOptions {
    /// Gives every test case of a suite, or of one test, a session.
    ///
    /// ```swift
    /// @Suite(.tapedeck(folder: "Fixtures"))
    /// struct LoginTests {
    ///     @Test(.cassette("github").select("offline", for: "login"))
    ///     func showsOfflineBanner() async throws { … }
    /// }
    /// ```
    ///
    /// The cassettes are names or paths, or in memory, the first one on top; those of a test's own `.cassette(…)` lie over
    /// them. `folder` is absolute or relative to the folder of this file, which is the default. The methods of
    /// `TapedeckOptions` add the other options.
    public static func tapedeck(
        _ cassettes: CassetteReference...,
        folder: String? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        TapedeckOptions(cassettes, folder: folder, at: CodePlace(fileID, filePath, line, column)).inAttribute
    }

    /// Gives each test a session with shared options. Failures are reported at the line of the options.
    public static func tapedeck(_ options: TapedeckOptions) -> Self { options }

    /// Has a test, or every test of a suite, play a cassette. Those of several traits lie one over the other, the last on top.
    ///
    /// The cassettes are as for `.tapedeck(…)`. Without any, each test has a cassette of its own,
    /// `CassetteReference.namedAfterTest`, unless a trait further inside names one.
    public static func cassette(
        _ cassettes: CassetteReference...,
        folder: String? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        TapedeckOptions.cassette(cassettes, folder: folder, at: CodePlace(fileID, filePath, line, column)).inAttribute
    }
}

extension TapedeckOptions {
    fileprivate var inAttribute: Self {
        var copy = self
        copy.isInAttribute = true
        return copy
    }
}
