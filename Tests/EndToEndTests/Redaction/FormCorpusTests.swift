import Foundation
import TestShare
import Testing

/// Secrets in every form that the documentation claims (kind, place and encoding), or in a quarter of them.
@Suite(.ownThreads) struct FormCorpusTests {
    /// Both, or one of them in each run: TLS makes no difference to redaction, but each is to be tried.
    private static let schemes = some(of: Origin.Scheme.allCases)

    private static func record(_ corpus: FormCorpus) -> [String] {
        ["record", "forms", "--loopback", "--upstream-ca", corpus.authorityPath, "-v"]
    }

    /// Records every form and ends as a run does.
    private static func recorded(_ corpus: FormCorpus) throws -> (lines: [FormCorpus.Line], log: Data) {
        let client = corpus.client(over: Self.schemes)
        let result = try corpus.folder.run([Tapedeck.path] + Self.record(corpus) + ["--"] + client)
        #expect(result.exitCode == 0, "\(result.errorText.suffix(2_000))")
        return (try FormCorpus.lines(result.output), result.errors)
    }

    @Test(arguments: seeds(1))
    func `No form of a secret reaches cassette, log or report, and replay answers with any secrets`(
        seed: UInt64
    ) throws {
        let corpus = try FormCorpus(in: try TestFolder(), seed: seed)
        let forms = try corpus.forms()
        #expect(forms.count >= rounds(200))
        #expect(Set(forms).count == forms.count)

        let (lines, log) = try Self.recorded(corpus)
        #expect(lines.count == Self.schemes.count * forms.count)
        // The client's data are never altered.
        for line in lines where line.isRight != true || line.isSame != true {
            Issue.record("\(line.summary)")
        }
        try corpus.folder.write(log, to: "cassettes/record.log")
        try corpus.expectNone(in: "cassettes")
        try corpus.stop()

        for other in some(of: [seed, seed + 1_000_000]) {
            let result = try corpus.folder.run(
                [Tapedeck.path, "replay", "forms", "--"] + corpus.client(seed: other, over: Self.schemes),
                environment: ["TAPEDECK_REPORT": corpus.folder / "cassettes/report.json"]
            )
            #expect(result.exitCode == 0, "\(result.errorText.suffix(2_000))")
            let played = try FormCorpus.lines(result.output)
            #expect(played.count == lines.count)
            for line in played where line.isRight != true || line.hasPlaceholder != false {
                Issue.record("\(line.summary)")
            }
        }
        // A replay writes reports, a recording none.
        #expect(try corpus.folder.names(in: "cassettes").contains { $0.hasPrefix("report") })
        try corpus.expectNone(in: "cassettes")
    }

    @Test(arguments: seeds(1))
    func `After a kill neither the journal nor its cassette nor reports contain a secret`(seed: UInt64) throws {
        let corpus = try FormCorpus(in: try TestFolder(), seed: seed)
        // Over HTTP alone: what is written of an exchange does not depend on TLS.
        let forms = try corpus.forms()
        let recording = try corpus.folder.serve("record", "forms", "--upstream-ca", corpus.authorityPath, "-v")
        let options = ["--hold", "--proxy", recording.url, "--ca", recording.authorityPath]
        let client = try corpus.folder.start(corpus.client(over: [.http]) + options, input: nil)
        try client.waitForOutput("all forms") { text in text.utf8.count { $0 == 0x0A } == forms.count ? true : nil }
        try recording.crash()
        client.closeInput()
        try client.result()
        #expect(corpus.folder.exists("cassettes/forms.journal"))
        try corpus.folder.write(Data(recording.program.errorsSoFar.utf8), to: "cassettes/record.log")
        try corpus.expectNone(in: "cassettes")
        try corpus.stop()

        // Recovers the journal; a 501, the log and the journal report the requests for other paths.
        let replay = try corpus.folder.serve("replay", "forms", "-v")
        let missed = try corpus.folder.run(
            corpus.client(over: [.http]) + ["--miss", "--proxy", replay.url, "--ca", replay.authorityPath]
        )
        let lines = try FormCorpus.lines(missed.output)
        #expect(lines.count == forms.count)
        #expect(lines.allSatisfy { $0.status == 501 })
        #expect(!corpus.folder.exists("cassettes/forms.journal"))
        let journal = try corpus.folder.tapedeck(
            "journal",
            "--session",
            "default",
            "--limit",
            "1000",
            environment: ["TAPEDECK_URL": try #require(replay.controlURL)]
        )
        #expect(journal.outputText.contains("/miss/f"))
        try corpus.folder.write(journal.output + journal.errors, to: "cassettes/journal.txt")
        try corpus.folder.write(missed.output, to: "cassettes/said.txt")
        let shown = try corpus.folder.run(try corpus.shown(replay))
        #expect(shown.outputText.contains("{{secret."))
        if forms.contains("authorization Bearer") {
            #expect(shown.outputText.contains("Authorization: Bearer {{secret."))
        }
        try corpus.folder.write(shown.output, to: "cassettes/shown.txt")
        try corpus.folder.write(try replay.stop().errors, to: "cassettes/replay.log")
        try corpus.expectNone(in: "cassettes")
    }

    @Test(arguments: seeds(1))
    func `Ordinary answers replay byte for byte from one cassette`(seed: UInt64) throws {
        let corpus = try FormCorpus(in: try TestFolder(), seed: seed)
        let recorded = try corpus.folder.run(
            [Tapedeck.path] + Self.record(corpus) + ["--"] + corpus.client("--ordinary")
        )
        #expect(recorded.exitCode == 0, "\(recorded.errorText.suffix(2_000))")
        try corpus.stop()
        let played = try corpus.folder.run(
            [Tapedeck.path, "replay", "forms", "--"] + corpus.client("--ordinary")
        )
        #expect(played.exitCode == 0, "\(played.errorText.suffix(2_000))")
        let lines = try FormCorpus.lines(played.output)
        #expect(lines.count >= rounds(200))
        for line in lines where line.isRight != true || line.isSame != true { Issue.record("\(line.summary)") }
    }
}
