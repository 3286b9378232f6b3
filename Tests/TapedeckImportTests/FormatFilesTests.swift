import Foundation
import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckDeck
import Testing

/// Files of the formats in `Files`, as they would be written by their tools (`samples`) and as nobody should (`hostile`): what
/// an import says of each, and the answers that then play. `outcomes.txt` beside them has the expected text;
/// `TAPEDECK_WRITE_GOLDENS=1` writes it anew.
@Suite struct FormatFilesTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Files"
    static let formats = FileContents.names(in: folder).sorted()

    @Test(arguments: formats) func everyFileHasItsOutcome(_ format: String) throws {
        let outcomes = try ["samples", "hostile"].map { try Self.outcomes("\(Self.folder)/\(format)/\($0)") }
        let text = outcomes.joined(separator: "\n")
        let golden = "\(Self.folder)/\(format)/outcomes.txt"
        if ProcessInfo.processInfo.environment["TAPEDECK_WRITE_GOLDENS"] != nil {
            try FileContents.replace(golden, with: Array(text.utf8))
        }
        let expected = String(decoding: try FileContents.read(golden), as: UTF8.self)
        let lines = (text.split(separator: "\n"), expected.split(separator: "\n"))
        #expect(lines.0.difference(from: lines.1).map { "\($0)" } == [])
    }

    @Test(arguments: formats) func atLeastTwentyHostileFiles(_ format: String) {
        #expect(FileContents.names(in: "\(Self.folder)/\(format)/hostile").count >= 20)
    }

    /// What the import of each file or folder in a folder says.
    private static func outcomes(_ folder: String) throws -> String {
        var text = ""
        for name in FileContents.names(in: folder).sorted() {
            let out = FileManager.default.temporaryDirectory.appendingPathComponent("formats-\(UUID().uuidString)").path
            defer { FileContents.removeTree(out) }
            try FileContents.makeFolder(out)
            try FileContents.replace("\(out)/tapedeck.yaml", with: Array("redact: off\n".utf8))
            var configuration = DeckConfiguration.passthrough()
            configuration.readProject(named: "\(out)/tapedeck.yaml", unless: false)
            var options = CassetteImport.Options(paths: ["\(folder)/\(name)"])
            options.out = "\(out)/tapes"
            let report = try CassetteImport(options, configuration: configuration, now: 1_750_000_000).report
            text += "\(name)\n"
            for line in report.lines {
                // The list of formats grows.
                let line = line.replacing("\(folder)/", with: "").replacing("\(out)/", with: "")
                text += "  \(line.firstRange(of: "is none of these").map { String(line[..<$0.upperBound]) } ?? line)\n"
            }
            for cassette in report.cassettes { text += try self.answers(cassette.path) }
        }
        return text
    }

    private static func answers(_ path: String) throws -> String {
        let cassette = try CassetteStore { "\($0.count)" }.load(CassetteLocation(path, folder: ""))
        var text = ""
        for set in cassette.responseSets {
            for variant in set.variants {
                for take in variant.behaviour.allTakes {
                    let answer = take.isFaultAlone ? "\(take.fault?.rawValue ?? "")" : "\(take.status)"
                    let body = String(decoding: try self.body(take.body).prefix(60), as: UTF8.self)
                    text += "    \(set.name) -> \(answer) \(body.debugDescription)\n"
                }
            }
        }
        return text
    }

    private static func body(_ body: StoredBody) throws -> [UInt8] {
        switch body {
        case .none: []
        case .inline(let body): body.decoded
        case .file(let file): try file.contents()
        }
    }
}
