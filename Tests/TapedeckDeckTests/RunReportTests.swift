import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import Testing

@testable import TapedeckDeck

@Suite struct RunReportTests {
    private func report(exitCode: Int = 0, incomplete: String? = nil) -> RunReport {
        let sets = [
            CassetteUsage.SetUsage(
                name: "a \"b\"",
                request: "GET https://a.test/",
                asked: 3,
                variants: ["b": 2, "offline": 1]
            )
        ]
        return RunReport(
            mode: "replay",
            command: "swift",
            exitCode: exitCode,
            incomplete: incomplete,
            written: "2026-01-01T00:00:00Z",
            usage: [CassetteUsage(path: "none/such.yaml", sets: sets)]
        )
    }

    @Test func `a report reads back as written`() throws {
        let file = ProcessEnvironment.temporaryFolder("tapedeck-report") + "/r.json"
        defer { FileContents.removeFolder(FilePath.folder(of: file)) }
        var report = self.report(exitCode: 70, incomplete: "half")
        report.played = 3
        try report.write(to: file)
        #expect(try RunReport(file: file) == report)
        #expect(report.cassettes.map(\.path) == ["none/such.yaml"])
    }

    @Test func `prune accepts only a successful full run`() {
        #expect(self.report().doubt == nil)
        #expect(self.report(exitCode: 1).doubt?.contains("exit code 1") == true)
        #expect(self.report(incomplete: "it ran with --filter").doubt?.contains("--filter") == true)
    }

    @Test func `every process has its own file`() {
        #expect(RunReport.file("out/report.json", process: 7) == "out/report-7.json")
        #expect(RunReport.file("out.d/report", process: 7) == "out.d/report-7")
        #expect(RunReport.file(".report", process: 7) == ".report-7")
    }

    @Test(arguments: ["", "{}", "[1]", "no JSON", #"{"tapedeckReport": 9}"#, #"{"tapedeckReport": 1, "mode": "x"}"#])
    func `an invalid report is refused`(text: String) throws {
        let file = ProcessEnvironment.temporaryFolder("tapedeck-no-report-\(text.utf8.count)") + "/r.json"
        defer { FileContents.removeFolder(FilePath.folder(of: file)) }
        try FileContents.makeFolder(FilePath.folder(of: file))
        try FileContents.replace(file, with: Array(text.utf8), waitsForDisk: false)
        #expect(throws: DeckError.self) { try RunReport(file: file) }
    }
}
