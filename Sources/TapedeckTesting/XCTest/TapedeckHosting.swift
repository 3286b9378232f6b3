public import TapedeckTestingCore
public import XCTest

/// Gives tests of XCTest their session where the test case has a base class already.
///
/// ```swift
/// final class LoginTests: AppTestCase, TapedeckHosting {
///     func testOffline() async throws {
///         let deck = try await self.startTapedeck("github", select: ["login": "offline"])
///         …
///     }
/// }
/// ```
public protocol TapedeckHosting: XCTestCase {}

extension TapedeckHosting {
    /// Starts a session that ends with the running test, and is checked then. From a test method or from `setUp`.
    ///
    /// `Tapedeck.current` is not set: use what is returned.
    ///
    /// The cassettes are names or paths, relative to `folder`, which is relative to this file's folder; or they are in memory.
    /// `TapedeckOptions` says what the other options do. The session is called `name`; without one, after the test.
    ///
    /// - Throws: `TapedeckError` when there is no deck, no cassette or no such variant; `XCTSkip`.
    public func startTapedeck(
        _ cassettes: CassetteReference...,
        folder: String? = nil,
        select: [String: String] = [:],
        profiles: [String] = [],
        state: [String: String] = [:],
        seed: UInt64? = nil,
        mode: TapedeckMode? = nil,
        missing: MissingCassette? = nil,
        allowsUnmatched: Bool? = nil,
        requiresUse: Bool? = nil,
        deck: DeckChoice? = nil,
        name: String? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Tapedeck {
        let options = TapedeckOptions(
            cassettes: cassettes,
            folder: folder,
            select: select,
            profiles: profiles,
            state: state,
            seed: seed,
            mode: mode,
            missing: missing,
            allowsUnmatched: allowsUnmatched,
            requiresUse: requiresUse,
            deck: deck,
            fileID: fileID,
            filePath: filePath,
            line: line,
            column: column
        )
        return try await self.startTapedeck(options, name: name, fileID: fileID, filePath: filePath, line: line)
    }

    /// Starts a session with shared options.
    public func startTapedeck(
        _ options: TapedeckOptions,
        name: String? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Tapedeck {
        let place = CodePlace(fileID, filePath, line, column)
        let name = name ?? self.name
        do {
            let deck = try await TapedeckScope.open(options, name: name, at: place)
            self.watch(deck)
            return deck
        } catch let skipped as TapedeckScope.Skipped {
            throw XCTSkip(TestIssue(skipped.description, at: place))
        }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func startTapedeck(
        _ options: TapedeckOptions,
        name: String? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws -> Tapedeck {
        let place = CodePlace(fileID, filePath, line, column)
        do {
            let deck = try TapedeckScope.open(options, name: name ?? self.name, at: place)
            self.watch(deck)
            return deck
        } catch let skipped as TapedeckScope.Skipped {
            throw XCTSkip(TestIssue(skipped.description, at: place))
        }
    }

    /// A test's blocks run behind it, when what it threw is told already.
    private func watch(_ deck: Tapedeck) {
        self.addTeardownBlock {
            let outcome = await TapedeckScope.close(deck, after: nil)
            // A test that was skipped has nothing more to say.
            if RunningTestCase.watch.isSkipped { return }
            for issue in outcome.issues { _ = RunningTestCase.watch.record(issue) }
            if RunningTestCase.watch.hasFailed { TestIssue.attach(outcome.traffic, name: "tapedeck.txt") }
        }
    }
}
