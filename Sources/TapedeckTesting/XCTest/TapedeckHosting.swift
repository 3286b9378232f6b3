public import TapedeckTestingCore
public import XCTest

/// Gives tests of XCTest their session where the test case has a base class already.
///
/// ```swift
/// final class LoginTests: AppTestCase, TapedeckHosting {
///     func testOffline() async throws {
///         let deck = try await self.startTapedeck(.cassette("github").select("offline", for: "login"))
///         …
///     }
/// }
/// ```
public protocol TapedeckHosting: XCTestCase {}

extension TapedeckHosting {
    /// Starts a session that ends with the running test, and is checked then. Call it from a test method or from
    /// `setUp`.
    ///
    /// `Tapedeck.current` is not set: use the returned value.
    ///
    /// The cassettes are names or paths, relative to `folder`, which is relative to this file's folder; or they are in
    /// memory. For other options there is the method with `TapedeckOptions`. The session is called `name`; by default after the test.
    ///
    /// - Throws: `TapedeckError` if there is no deck, or the cassette or variant does not exist.
    public func startTapedeck(
        _ cassettes: CassetteReference...,
        folder: String? = nil,
        name: String? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Tapedeck {
        let options = TapedeckOptions(cassettes, folder: folder, at: CodePlace(fileID, filePath, line, column))
        return try await self.startTapedeck(
            options,
            name: name,
            fileID: fileID,
            filePath: filePath,
            line: line,
            column: column
        )
    }

    /// Starts a session with options.
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
        let name = name ?? self.sessionName
        let deck = try await TapedeckScope.open(options, name: name, at: place)
        self.watch(deck)
        return deck
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
        let deck = try TapedeckScope.open(options, name: name ?? self.sessionName, at: place)
        self.watch(deck)
        return deck
    }

    /// A test's teardown blocks run after the test, when its error has been reported already.
    private func watch(_ deck: Tapedeck) {
        self.addTeardownBlock {
            let outcome = await TapedeckScope.close(deck, after: nil)
            // A test that was skipped has nothing more to say.
            if RunningTestCase.watch.isSkipped { return }
            for issue in outcome.issues { issue.report() }
            if RunningTestCase.watch.hasFailed { TestIssue.attach(outcome.traffic, name: "tapedeck.txt") }
        }
    }
}
