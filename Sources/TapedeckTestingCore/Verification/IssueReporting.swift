import Foundation
import IssueReporting

extension TestIssue {
    /// Fails the running test: by its framework itself, where TapedeckTesting is linked; else by IssueReporting.
    ///
    /// - Returns: whether the framework itself took it. IssueReporting does not say whether anybody heard: in release
    ///   builds, and without its test support, nobody does.
    func report() -> Bool {
        if IssueReporter.registered?.report(self) ?? false { return true }
        if let literals = self.place.literals {
            reportIssue(
                self.message,
                fileID: literals.fileID,
                filePath: literals.filePath,
                line: UInt(self.place.line),
                column: UInt(self.place.column)
            )
        } else {
            reportIssue("\(self.place.fileID):\(self.place.line): \(self.message)")
        }
        return false
    }

    /// Keeps a text with the running test, or prints it where that cannot be.
    package static func attach(_ text: String, name: String) {
        if IssueReporter.registered?.attach(text, name) ?? false { return }
        FileHandle.standardError.write(Data("\(name):\n\(text)\n".utf8))
    }
}

/// The problems of a session, thrown if no test framework is linked, and by waits that time out.
public struct TapedeckFailure: Error, Sendable, CustomStringConvertible {
    /// The problems, each with its place and what to do about it.
    public let issues: [String]
    /// True if the running test has failed for it already.
    package let isReported: Bool

    package init(_ issues: [TestIssue], isReported: Bool) {
        self.issues = issues.map { "\($0.place.fileID):\($0.place.line): \($0.message)" }
        self.isReported = isReported
    }

    public var description: String { self.issues.joined(separator: "\n") }
}
