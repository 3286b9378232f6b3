import TapedeckLocking
import TapedeckTestingCore
import Testing

extension TestIssue {
    /// - Returns: whether there was a test to fail.
    func recordInSwiftTesting() -> Bool {
        guard let test = Test.current else { return false }
        self.record(in: test)
        return true
    }

    func record(in test: Test) {
        Issue.record(
            "\(self.message)",
            severity: self.severity == .warning ? .warning : .error,
            sourceLocation: self.location(in: test)
        )
    }

    /// Its place; the test's own when the issue has none that Swift Testing would take.
    func location(in test: Test) -> SourceLocation {
        SourceLocation(self.place) ?? test.sourceLocation
    }
}

extension SourceLocation {
    /// - Returns: `nil` for an invalid place, for which Swift Testing would end the process.
    init?(_ place: CodePlace) {
        guard place.fileID.contains("/"), !place.fileID.hasPrefix("/"), place.line > 0, place.column > 0 else {
            return nil
        }
        self.init(fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
    }
}

extension CodePlace {
    init(_ location: SourceLocation) {
        self.init(
            fileID: location.fileID,
            filePath: location.filePath,
            line: location.line,
            column: location.column
        )
    }
}

extension Error {
    /// True for the errors that skip or cancel a test: Swift Testing has no public type for them.
    var isTestingsOwn: Bool {
        String(reflecting: type(of: self)).hasPrefix("Testing.") && !(self is ExpectationFailedError)
    }
}

/// The destination of attachments.
enum Attachments {
    /// Without a folder for them Swift Testing drops them, so that they had better be printed.
    static let areKept = CommandLine.arguments.contains { $0.hasPrefix("--") && $0.contains("attachments-path") }
}

/// Sees the issues of a block of a test, and leaves them as they are.
enum FailureWatch {
    /// Returns true if the test failed in the block.
    static func run(in test: Test, _ block: @Sendable () async -> Void) async -> Bool {
        let hasFailed = Locked(false)
        let watch = IssueHandlingTrait.filterIssues { issue in
            if issue.isFailure { hasFailed.withLock { $0 = true } }
            return true
        }
        try? await watch.provideScope(for: test, testCase: Test.Case.current) { await block() }
        return hasFailed.withLock { $0 }
    }
}
