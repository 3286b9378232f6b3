import Foundation
import IssueReporting

extension TestIssue {
    /// Fails the running test: by its framework itself, where TapedeckTesting is linked; else by IssueReporting. Reporters
    /// that were set with `withIssueReporters` or `IssueReporters.current` take its place.
    ///
    /// - Returns: whether somebody took it for sure. IssueReporting does not report success: in release builds, and
    ///   without its test support, it fails no test.
    @discardableResult
    package func report() -> Bool {
        var isTaken = false
        for reporter in IssueReporters.current {
            if reporter is _DefaultReporter {
                if IssueReporter.registered?.report(self) ?? false {
                    isTaken = true
                } else {
                    self.report(to: reporter)
                }
            } else {
                self.report(to: reporter)
                isTaken = true
            }
        }
        return isTaken
    }

    private func report(to reporter: any IssueReporting.IssueReporter) {
        let severity: IssueSeverity = self.severity == .warning ? .warning : .error
        let place = self.place
        guard let literals = place.literals else {
            // Only literals can be places there.
            reporter.reportIssue(
                "\(place.fileID):\(place.line): \(self.message)",
                severity: severity,
                fileID: "",
                filePath: "",
                line: 0,
                column: 0
            )
            return
        }
        reporter.reportIssue(
            self.message,
            severity: severity,
            fileID: literals.fileID,
            filePath: literals.filePath,
            line: UInt(place.line),
            column: UInt(place.column)
        )
    }

    /// Keeps a text with the running test, or prints it where that cannot be.
    package static func attach(_ text: String, name: String) {
        if IssueReporter.registered?.attach(text, name) ?? false { return }
        FileHandle.standardError.write(Data("\(name):\n\(text)\n".utf8))
    }
}

/// The problems of a session, thrown if no test framework is linked, and by waits that time out.
public struct TapedeckFailure: Error, Sendable, CustomStringConvertible {
    /// The subject of an issue.
    public enum Kind: Sendable {
        /// An expectation does not hold, or what was waited for did not come.
        case expectation
        /// Nothing on tape answered a request.
        case unmatched
        /// A request came that was said to be unimplemented.
        case unimplemented
        /// A stub threw, or a request was still held at the end.
        case stub
        /// Nothing asked for a response set or stub.
        case unused
        /// A recording is not as it was meant.
        case recording
        /// The session as a whole: the deck cannot be asked, a cassette cannot be used.
        case session
    }

    /// One problem.
    public struct Issue: Sendable, CustomStringConvertible {
        /// Its subject.
        public let kind: Kind
        /// The problem and its remedy.
        public let message: String
        /// The file, as `Module/File.swift`.
        public let fileID: String
        /// The line in that file.
        public let line: Int
        /// The request that it is about, if it is about one.
        public let exchange: Tapedeck.Exchange?

        /// Place and message.
        public var description: String { "\(self.fileID):\(self.line): \(self.message)" }
    }

    /// The problems, in the order of the report.
    public let issues: [Issue]
    /// True if the running test has failed for it already.
    package let isReported: Bool

    package init(_ issues: [TestIssue], isReported: Bool) {
        self.issues = issues.map { issue in
            Issue(
                kind: issue.kind,
                message: issue.message,
                fileID: issue.place.fileID,
                line: issue.place.line,
                exchange: issue.exchange
            )
        }
        self.isReported = isReported
    }

    public var description: String { self.issues.map(\.description).joined(separator: "\n") }
}
