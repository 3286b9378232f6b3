import TapedeckCassettes
import Testing

/// Expected messages about a cassette. A `§` marks the place of the message.
enum ExpectedDiagnostic {
    static func diagnostics(_ text: String) -> [Diagnostic] {
        CassetteReader.read(Array(text.utf8), name: "test", path: "tapes/test.yaml").diagnostics
    }

    /// Checks that exactly this is reported, at this place.
    static func expect(
        _ marked: String,
        _ message: String,
        _ severity: Diagnostic.Severity = .error,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try #require(marked.split(separator: "§", omittingEmptySubsequences: false).first)
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = Diagnostic(
            severity: severity,
            path: "tapes/test.yaml",
            line: lines.count,
            column: (lines.last?.unicodeScalars.count ?? 0) + 1,
            message: message
        )
        let found = self.diagnostics(marked.replacing("§", with: ""))
        #expect(found == [expected], sourceLocation: sourceLocation)
    }

    /// Expects a message whose end another part of the program writes.
    static func expect(
        _ marked: String,
        beginning start: String,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let message = self.diagnostics(marked.replacing("§", with: "")).first?.message ?? ""
        #expect(message.hasPrefix(start) && message != start, sourceLocation: sourceLocation)
        try self.expect(marked, message, .error, sourceLocation)
    }
}
