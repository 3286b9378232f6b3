import Foundation
import TapedeckCassettes
import TapedeckCodings
import TapedeckControlAPI
import TapedeckCore
import TapedeckDeck
import TestShare
import Testing

@testable import TapedeckImport

/// Files of every format on the whole way, from a file on disk to the answers that a cassette plays.
@Suite struct PlayedTests {
    /// A table of files, with the files that those name.
    struct Table: Sendable, CustomTestStringConvertible {
        let format: String
        let files: [RecordedFile]
        var sides: [String: [UInt8]] = [:]

        var testDescription: String { self.format }
    }

    static let tables = [
        Table(format: "har", files: HARTests.files, sides: ["b.txt": Array("side".utf8)]),
        Table(format: "polly", files: PollyTests.files), Table(format: "mitmproxy", files: MitmproxyTests.files),
        Table(format: "vcr", files: VCRTests.files), Table(format: "vcrpy", files: VCRPyTests.files),
        Table(format: "go-vcr", files: GoVCRTests.files), Table(format: "betamax", files: BetamaxTests.files),
        Table(format: "tape", files: BetamaxTests.tapes, sides: BetamaxTests.sides),
        Table(format: "nock", files: NockTests.files), Table(format: "azure", files: AzureTests.files),
    ]

    static let stubs = [
        ("wiremock", WireMockTests.cases), ("hoverfly", HoverflyTests.cases), ("mockserver", MockServerTests.cases),
        ("postman", PostmanTests.cases), ("openapi", OpenAPITests.cases),
    ]

    /// A folder of a test's own, without rules of redaction: bodies must come back byte for byte.
    private static func inFolder(_ work: (_ folder: String, DeckConfiguration) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("played-\(UUID().uuidString)").path
        try FileContents.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileContents.replace("\(folder)/tapedeck.yaml", with: Array("redact: off\n".utf8))
        var configuration = DeckConfiguration.passthrough()
        configuration.readProject(named: "\(folder)/tapedeck.yaml", unless: false)
        try work(folder, configuration)
    }

    private static func takeUp(
        _ bytes: [UInt8],
        _ sides: [String: [UInt8]],
        _ folder: String,
        _ configuration: DeckConfiguration
    ) throws -> ImportReport {
        try FileContents.makeFolder("\(folder)/in/__files")
        try FileContents.replace("\(folder)/in/file", with: bytes)
        try FileContents.makeFolder("\(folder)/in/tape")
        for (name, bytes) in sides { try FileContents.replace("\(folder)/in/\(name)", with: bytes) }
        var options = CassetteImport.Options(paths: ["\(folder)/in/file"])
        options.out = "\(folder)/out.yaml"
        return try CassetteImport(options, configuration: configuration, now: 1_750_000_000).report
    }

    @Test func everyFormatHasAtLeastTwentyFiles() {
        for table in Self.tables { #expect(table.files.count >= 20, "\(table.format): \(table.files.count)") }
        for (format, cases) in Self.stubs { #expect(cases.count >= 20, "\(format): \(cases.count)") }
    }

    @Test(arguments: tables) func everyEntryIsPlayedByteForByteOrReported(_ table: Table) throws {
        for file in some(of: table.files) {
            try Self.inFolder { folder, configuration in
                let report = try Self.takeUp(file.text, table.sides, folder, configuration)
                let leftOut = file.outcomes.filter { if case .leftOut = $0 { true } else { false } }
                #expect(report.entries == file.outcomes.count, "\(file.quirk)")
                #expect(report.leftOut.count == leftOut.count, "\(file.quirk): \(report.lines)")
                #expect(report.entries == report.played + report.leftOut.count, "\(file.quirk)")
                #expect(report.unread.isEmpty, "\(file.quirk): \(report.lines)")
                let read = ImportFile(path: "file", bytes: file.text) { table.sides[$0] }
                let exchanges = try ImportFormats.plain.recognising(read)?.read(read).exchanges ?? []
                let wanted = exchanges.compactMap { try? $0.result.get() }.filter { $0.status > 0 }.map { exchange in
                    Self.line(exchange.status, ContentCoder.decoded(exchange.body, exchange.headers, limit: 1 << 20))
                }
                #expect(try Self.answers("\(folder)/out.yaml") == wanted.sorted(), "\(file.quirk)")
            }
        }
    }

    @Test(arguments: stubs) func everyStubIsPlayedOrReported(_ format: String, _ cases: [StubCase]) throws {
        for stub in some(of: cases) {
            try Self.inFolder { folder, configuration in
                let sides: [String: [UInt8]] = ["b.json": [1, 2, 255], "__files/b.json": [1, 2, 255]]
                let report = try Self.takeUp(Array(stub.text.utf8), sides, folder, configuration)
                #expect(report.entries == 1, "\(stub.quirk)")
                #expect(report.played == (stub.leftOut == nil ? 1 : 0), "\(stub.quirk): \(report.lines)")
                #expect(report.leftOut.count == 1 - report.played, "\(stub.quirk)")
                guard let body = stub.body, report.played == 1 else { return }
                let played = try Self.answers("\(folder)/out.yaml")
                #expect(played.contains { $0.hasSuffix(" \(body)") }, "\(stub.quirk): \(played)")
            }
        }
    }

    /// The answers of a cassette, in order of their texts.
    private static func answers(_ path: String) throws -> [String] {
        guard FileContents.exists(path) else { return [] }
        let cassette = try CassetteStore { "\($0.count)" }.load(CassetteLocation(path, folder: ""))
        let takes = cassette.responseSets.flatMap { $0.variants }.flatMap { $0.behaviour.allTakes }.filter {
            $0.fault == nil
        }
        return try takes.flatMap { take in
            let line =
                switch take.body {
                case .none: self.line(take.status, [])
                case .inline(let body): self.line(take.status, body.decoded)
                case .file(let file): self.line(take.status, try file.contents())
                }
            return Array(repeating: line, count: take.times)
        }
        .sorted()
    }

    private static func line(_ status: Int, _ body: [UInt8]) -> String { "\(status) \(body)" }
}
