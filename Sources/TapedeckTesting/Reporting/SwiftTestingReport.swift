import TapedeckTestingCore
import Testing

extension TestIssue {
    /// - Returns: whether there was a test to fail.
    func recordInSwiftTesting() -> Bool {
        guard let test = Test.current else { return false }
        Issue.record("\(self.message)", sourceLocation: self.location(in: test))
        return true
    }

    /// Where it is; the test's own place when the issue has none that Swift Testing would take.
    func location(in test: Test) -> SourceLocation {
        SourceLocation(self.place) ?? test.sourceLocation
    }
}

extension SourceLocation {
    /// - Returns: `nil` for a place that is none: Swift Testing ends the process for those.
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

/// The destination of attachments.
enum Attachments {
    /// Without a folder for them Swift Testing drops them, so that they had better be printed.
    static let areKept = CommandLine.arguments.contains { $0.hasPrefix("--") && $0.contains("attachments-path") }
}
