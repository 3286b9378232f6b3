import Foundation
import TapedeckControlAPI
import TapedeckDeck
import TestShare
import Testing

/// Imports real files of other tools, if there is a folder of them next to the repository.
@Suite struct CorpusTests {
    /// `TAPEDECK_CORPORA`, else `../shared/corpora` next to the package, or `nil`.
    private static let folder: String? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path =
            ProcessInfo.processInfo.environment["TAPEDECK_CORPORA"]
            ?? package.deletingLastPathComponent().appendingPathComponent("shared/corpora").path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }()

    private static let formats: [String] =
        (folder.flatMap { folder in
            try? FileManager.default.contentsOfDirectory(atPath: folder)
        } ?? []).filter { !$0.contains(".") }.sorted()

    @Test(arguments: some(of: formats))
    func everyEntryIsPlayedOrReported(_ format: String) throws {
        let folder = try #require(Self.folder)
        let out = FileManager.default.temporaryDirectory.appendingPathComponent("corpus-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: out) }
        var options = CassetteImport.Options(paths: ["\(folder)/\(format)"])
        options.out = out
        var configuration = DeckConfiguration.passthrough()
        configuration.readProject(named: nil, unless: true)
        let report = try CassetteImport(options, configuration: configuration, now: 1_750_000_000).report
        #expect(report.entries == report.played + report.leftOut.count)
        #expect(report.cassettes.map(\.played).reduce(0, +) == report.played)
        for cassette in report.cassettes {
            let check = try CassetteCheck(cassette.path, folder: nil)
            #expect(check.errors == 0, "\(cassette.path): \(check.lines)")
        }
    }
}
