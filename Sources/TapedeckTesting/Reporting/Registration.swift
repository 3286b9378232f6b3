import CTapedeckTesting
import TapedeckTestingCore
import Testing
import XCTest

/// Called by the C part of this module before `main`.
@_cdecl("tapedeck_register_issue_reporter")
func registerIssueReporter() {
    Tapedeck.registerWithSharedSession()
    XCTestObservationCenter.shared.addTestObserver(RunningTestCase.watch)
    IssueReporter.register(
        IssueReporter(
            report: { issue in
                if Test.current != nil { return issue.recordInSwiftTesting() }
                return RunningTestCase.watch.record(issue)
            },
            attach: { text, name in
                guard Test.current != nil else { return false }
                Attachment.record(text, named: name)
                return Attachments.areKept
            },
            testName: {
                guard let test = Test.current else { return RunningTestCase.watch.sessionName }
                return Test.Case.current.map { TestCaseName.of(test, $0) }
            },
            isSkip: { $0 is XCTSkip || $0.isTestingsOwn },
            isTold: { $0 is ExpectationFailedError },
            watch: { block in
                guard let test = Test.current else {
                    await block()
                    return RunningTestCase.watch.hasFailed
                }
                return await FailureWatch.run(in: test, block)
            }
        )
    )
}
