import TapedeckControlClient
import TapedeckLocking

/// A place in the source of a test.
package struct CodePlace: Sendable {
    /// `Module/File.swift`.
    package var fileID: String
    package var filePath: String
    package var line: Int
    package var column: Int
    /// The place as literals, for APIs that accept only these.
    package var literals: Literals?

    package struct Literals: Sendable {
        package var fileID: StaticString
        package var filePath: StaticString
    }

    package init(fileID: String, filePath: String, line: Int, column: Int) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }

    package init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
        self.init(fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
        self.literals = Literals(fileID: fileID, filePath: filePath)
    }
}

/// Something that is wrong with a test, or worth knowing of one that failed.
package struct TestIssue: Sendable {
    package var kind: TapedeckFailure.Kind
    package var message: String
    package var place: CodePlace
    package var severity = TapedeckOptions.Severity.error
    /// The request that it is about, if it is about one.
    var exchange: Tapedeck.Exchange?

    package init(
        _ kind: TapedeckFailure.Kind,
        _ message: String,
        at place: CodePlace,
        severity: TapedeckOptions.Severity = .error
    ) {
        self.kind = kind
        self.message = message
        self.place = place
        self.severity = severity
    }

    package init(_ message: String, at place: CodePlace) {
        self.init(.session, message, at: place)
    }

    func about(_ exchange: Tapedeck.Exchange) -> TestIssue {
        var copy = self
        copy.exchange = exchange
        return copy
    }
}

extension [TestIssue] {
    /// Returns the issues with placeholders in place of the secrets of a session's requests, which may also occur in a
    /// test's texts, such as a matcher, or in an error of its code. Blocks.
    func shown(by session: SessionClient) throws -> [TestIssue] {
        guard !self.isEmpty else { return [] }
        var issues = self
        for (index, message) in try session.shown(self.map(\.message)).enumerated() where index < issues.count {
            issues[index].message = message
        }
        return issues
    }
}

/// Reports issues to a test framework; registered if one is linked.
package struct IssueReporter: Sendable {
    /// Fails the running test; returns `false` when no test of its framework runs here.
    package var report: @Sendable (TestIssue) -> Bool
    /// Attaches a text to the running test; returns `false` if it would not be visible.
    package var attach: @Sendable (_ text: String, _ name: String) -> Bool
    /// Returns the name of the running test case, with its arguments; `nil` when no test of its framework runs here.
    package var testName: @Sendable () -> String?
    /// Returns true if an error skips a test.
    package var isSkip: @Sendable (any Error) -> Bool
    /// Returns true if the framework has reported an error before it was thrown.
    package var isTold: @Sendable (any Error) -> Bool
    /// Runs a block of the running test, and returns true if the test failed in it: in what framework knows of.
    package var watch: @Sendable (_ block: @Sendable () async -> Void) async -> Bool

    package init(
        report: @escaping @Sendable (TestIssue) -> Bool,
        attach: @escaping @Sendable (_ text: String, _ name: String) -> Bool,
        testName: @escaping @Sendable () -> String?,
        isSkip: @escaping @Sendable (any Error) -> Bool,
        isTold: @escaping @Sendable (any Error) -> Bool,
        watch: @escaping @Sendable (_ block: @Sendable () async -> Void) async -> Bool
    ) {
        self.report = report
        self.attach = attach
        self.testName = testName
        self.isSkip = isSkip
        self.isTold = isTold
        self.watch = watch
    }

    private static let slot = Locked<IssueReporter?>(nil)

    /// `nil` where no test framework is linked.
    package static var registered: IssueReporter? { self.slot.withLock { $0 } }

    package static func register(_ reporter: IssueReporter) {
        self.slot.withLock { $0 = reporter }
    }
}
