import Foundation
import Testing

/// The article "Your first test" shows code that is compiled and run, and the cassette that it plays.
struct ArticleTests {
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: self.repository.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the blocks of code of a language.
    private static func blocks(_ language: String) throws -> [String] {
        let article = try self.text("Sources/TapedeckTestingCore/TapedeckTestingCore.docc/YourFirstTest.md")
        return article.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap { rest in
            rest.firstRange(of: "\n```\n").map { String(rest[..<$0.lowerBound]) }
        }
    }

    @Test func `the Swift of the article is that of a test that runs`() throws {
        let source = try Self.text("Tests/TapedeckTestingTests/YourFirstTest.swift")
        // The manifest is not part of a test.
        let blocks = try Self.blocks("swift").filter { !$0.contains(".product(") }
        #expect(blocks.count == 2)
        for block in blocks {
            let isThere = source.contains("\n\(block)\n")
            #expect(isThere, "not in YourFirstTest.swift:\n\(block)")
        }
    }

    @Test func `the cassette of the article is the one that the test plays`() throws {
        let cassette = try Self.text("Tests/TapedeckTestingTests/Fixtures/weather.yaml")
        let blocks = try Self.blocks("yaml")
        #expect(blocks.map { $0 + "\n" } == [cassette])
    }
}
