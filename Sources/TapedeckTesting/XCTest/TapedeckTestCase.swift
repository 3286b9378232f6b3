import TapedeckLocking
public import TapedeckTestingCore
public import XCTest

/// A test case of XCTest whose test methods each have a session of a deck, from before `setUp` to after `tearDown`.
///
/// ```swift
/// final class LoginTests: TapedeckTestCase {
///     override class var tapedeck: TapedeckOptions { .cassette("github", folder: "Fixtures") }
///
///     func testOffline() async throws {
///         try await self.deck.select("offline", for: "login")
///         …
///     }
/// }
/// ```
///
/// Problems with the session as a whole are reported at the line of the `TapedeckOptions`. A test case with another
/// base class uses ``TapedeckHosting``.
open class TapedeckTestCase: XCTestCase {
    private var session: Tapedeck?

    /// The options of the sessions of this class's tests. The default has no cassettes.
    open class var tapedeck: TapedeckOptions { TapedeckOptions() }

    /// The options of the running test method's session: ``tapedeck`` unless overridden, such as by the test's `name`.
    open func tapedeckOptions() -> TapedeckOptions { type(of: self).tapedeck }

    /// The deck of the running test method. To be used by it, `setUp` and `tearDown` alone.
    public final var deck: Tapedeck {
        guard let session = self.session else {
            preconditionFailure("\(self.name) uses its deck while it is not running")
        }
        return session
    }

    #if canImport(Darwin)
    open override func record(_ issue: XCTIssue) {
        // The test has failed for it, at the line that waited.
        if let failure = issue.associatedError as? TapedeckFailure, failure.isReported { return }
        super.record(issue)
    }
    #else
    public required init(name: String, testClosure: @escaping XCTestCaseClosure) {
        super.init(name: name) { testCase in
            do {
                try testClosure(testCase)
            } catch let failure as TapedeckFailure where failure.isReported {
                // The test has failed for it, at the line of what waited in vain.
            } catch let error as TapedeckError {
                guard let place = error.place else { throw error }
                TestIssue(error.message, at: place).report()
            }
        }
    }
    #endif

    open override func invokeTest() {
        let options = self.tapedeckOptions()
        let place = options.place ?? .unknown
        do {
            // On the main thread, which belongs to XCTest and not to Swift's tasks.
            let deck = try TapedeckScope.open(options, name: self.sessionName, at: place)
            self.session = deck
            defer { self.session = nil }
            TapedeckOptions.$inherited.withValue(options) {
                Tapedeck.$bound.withValue(deck) { super.invokeTest() }
            }
            self.end(deck)
        } catch {
            TestIssue((error as? TapedeckError)?.message ?? "\(error)", at: place).report()
        }
    }

    /// Ends the session. The test's own error was reported before, so that the session's problems come after it.
    private func end(_ deck: Tapedeck) {
        guard let outcome = MainThread.wait({ await TapedeckScope.close(deck, after: nil) }) else {
            self.record(
                TestIssue("the session did not end within a minute: something in the test still answers", at: .unknown)
            )
            return
        }
        // A test that was skipped has nothing more to say.
        if RunningTestCase.watch.isSkipped { return }
        for issue in outcome.issues { issue.report() }
        if RunningTestCase.watch.hasFailed { TestIssue.attach(outcome.traffic, name: "tapedeck.txt") }
    }
}

extension CodePlace {
    /// As XCTest writes it.
    static let unknown = CodePlace(fileID: "<unknown>", filePath: "<unknown>", line: 0, column: 0)
}

/// Waits on XCTest's thread.
enum MainThread {
    /// Waits for something asynchronous, while the main actor keeps running.
    ///
    /// - Returns: `nil` if a minute has passed.
    static func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value? {
        let result = Locked<Value?>(nil)
        let done = XCTestExpectation(description: "the session has ended")
        Task.detached {
            let value = await work()
            result.withLock { $0 = value }
            done.fulfill()
        }
        _ = XCTWaiter().wait(for: [done], timeout: 60)
        return result.withLock { $0 }
    }
}
