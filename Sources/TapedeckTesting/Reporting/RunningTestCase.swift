import Foundation
import TapedeckLocking
import TapedeckTestingCore
import XCTest

/// Knows the running test case of XCTest. A process runs one at a time, so the task or thread of the caller does not
/// matter.
final class RunningTestCase: NSObject, XCTestObservation, Sendable {
    static let watch = RunningTestCase()

    private struct Running: @unchecked Sendable {
        // Proof of @unchecked Sendable: only these members of the test case are used: its name, which is constant, its
        // recording, as XCTFail does from any thread, and whether its run has failed or was skipped.
        let testCase: XCTestCase
    }

    private let running = Locked<Running?>(nil)

    func testCaseWillStart(_ testCase: XCTestCase) {
        let running = Running(testCase: testCase)
        self.running.withLock { $0 = running }
    }

    func testCaseDidFinish(_: XCTestCase) {
        self.running.withLock { $0 = nil }
    }

    /// The name of the session of the running test case; `nil` if none runs.
    var sessionName: String? { self.running.withLock { $0 }?.testCase.sessionName }

    /// True if the running test case has failed.
    var hasFailed: Bool { self.running.withLock { $0 }?.testCase.testRun?.totalFailureCount ?? 0 > 0 }

    /// True if the running test case was skipped. A test case that XCTest skips because its `setUp` threw has failed.
    var isSkipped: Bool {
        guard let run = self.running.withLock({ $0 })?.testCase.testRun else { return false }
        return run.hasBeenSkipped && run.totalFailureCount == 0
    }

    /// Fails the test case that runs.
    ///
    /// - Returns: whether there is one.
    func record(_ issue: TestIssue) -> Bool {
        // Not under the lock: a test case may override what records.
        guard let testCase = self.running.withLock({ $0 })?.testCase else { return false }
        testCase.record(issue)
        return true
    }
}
