import IssueReporting
import Synchronization
import TapedeckTestingCore
import Testing

/// Issues that go to reporters of a test's own.
@Suite(.timeLimit(.minutes(20)))
struct ReporterTests {
    private final class Notes: IssueReporting.IssueReporter {
        let told = Mutex<[(message: String, severity: IssueSeverity, line: UInt)]>([])

        func reportIssue(
            _ message: @autoclosure () -> String?,
            severity: IssueSeverity,
            fileID: StaticString,
            filePath: StaticString,
            line: UInt,
            column: UInt
        ) {
            let message = message() ?? ""
            self.told.withLock { $0.append((message, severity, line)) }
        }
    }

    @Test func `reporters of a scope get its issues, and the test does not fail`() async throws {
        let notes = Notes()
        let line = UInt(#line + 2)
        try await withIssueReporters([notes]) {
            try await withTapedeck(.cassette(.shop).unused(.warning)) { deck in
                deck.expect(.get("/price"), .exactly(2))
                _ = try await AppClient(deck).get(Shop.price)
                _ = try await AppClient(deck).get("https://shop.example/nothing")
            }
        }
        let told = notes.told.withLock { $0 }
        #expect(told.map(\.line) == [line + 1, line, line, line])
        #expect(told.first?.message.hasPrefix("expected exactly 2 requests to match GET /price, and saw 1") == true)
        #expect(told.dropFirst().first?.message.hasPrefix("nothing on tape answers GET") == true)
        #expect(told.map { $0.severity == .warning } == [false, false, true, true])
    }

    @Test func `beside the default, a reporter gets what the test fails with`() async throws {
        let notes = Notes()
        let told = try await issues {
            try await withIssueReporters([.default, notes]) {
                try await withTapedeck { deck in deck.expect(.get("/price")) }
            }
        }
        #expect(told.count == 1)
        #expect(notes.told.withLock { $0 }.map(\.message) == told.map(\.message))
    }

    @Test func `an unused set is a warning if configured`() async throws {
        let warnings = Mutex<[Issue.Severity]>([])
        try await withKnownIssue(isIntermittent: true) {
            try await withTapedeck(.cassette(.shop).unused(.warning)) { deck in
                _ = try await AppClient(deck).get(Shop.price)
            }
        } matching: { issue in
            warnings.withLock { $0.append(issue.severity) }
            return true
        }
        #expect(warnings.withLock { $0 } == [.warning, .warning])
    }
}
