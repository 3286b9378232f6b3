import Foundation
import Testing

@testable import TapedeckRedaction

@Suite struct DocumentationTests {
    @Test func `The page on redaction lists all rules`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/redaction.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "## ").first { $0.hasPrefix("Built-in rules") })
        let ids = section.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("| `") else { return nil }
            return line.split(separator: "`").dropFirst().first.map(String.init)
        }
        #expect(ids == RedactionRules.builtInIDs)
    }
}
