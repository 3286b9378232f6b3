import Foundation
import TestShare
import Testing

/// Some seventy secrets in every place and form in which a recording could store them.
@Suite(.ownThreads) struct CorpusTests {
    private static let record = ["record", "corpus", "--loopback", "--record-faults"]

    private static func recorded(seed: UInt64) throws -> (corpus: Corpus, lines: [Corpus.Line], log: Data) {
        let folder = try TestFolder()
        try folder.write(Corpus.cassette, to: "cassettes/corpus.yaml")
        let corpus = try Corpus(in: folder)
        let (lines, result) = try corpus.run(Self.record, seed: seed)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.errorText.contains("\(lines.count) exchanges recorded"), "\(result.errorText)")
        return (corpus, lines, result.errors)
    }

    @Test(arguments: seeds(1))
    func `No planted secret reaches the cassette, a body file or a log, and replay answers with any secrets`(
        seed: UInt64
    ) throws {
        let (corpus, recorded, log) = try Self.recorded(seed: seed)
        #expect(recorded.count == 50)
        let secrets = try corpus.secrets(seed: seed)
        #expect(secrets.count >= 60)
        try corpus.folder.write(log, to: "cassettes/record.log")
        try corpus.expectNone(in: "cassettes", seed: seed)
        // The live answers were not touched: the client got its real token.
        let login = try #require(recorded.first { $0.case == "login" }?.text)
        #expect(login.contains(try #require(secrets["login-access-token"])))
        #expect(!corpus.folder.exists("cassettes/corpus.journal"))

        try corpus.stop()
        for other in some(of: [seed, seed + 1]) {
            let (played, result) = try corpus.run(["replay", "corpus"], seed: other)
            #expect(result.exitCode == 0, "\(result.errorText)")
            #expect(played.map(\.case) == recorded.map(\.case))
            for (line, before) in zip(played, recorded) {
                #expect(!line.unmatched, "\(line.case): \(line.text ?? "")")
                #expect(line.status == before.status, "\(line.case)")
            }
            #expect(result.errorText.contains("0 unmatched"), "\(result.errorText)")
        }
    }

    @Test(.long, arguments: seeds(1))
    func `After a kill neither the journal nor its cassette contains a secret`(seed: UInt64) throws {
        let folder = try TestFolder()
        try folder.write(Corpus.cassette, to: "cassettes/corpus.yaml")
        let corpus = try Corpus(in: folder)
        let environment = try corpus.environment(seed: seed)
        let recording = try folder.serve(
            "record",
            "corpus",
            "--loopback",
            "--record-faults",
            "-v",
            environment: environment
        )
        let client = try folder.start(
            corpus.client(seed: seed, ["--proxy", recording.url, "--stop-after", "50"]),
            input: nil
        )
        try client.waitForOutput("all cases") { text in text.count { $0 == "\n" } == 50 ? true : nil }
        try corpus.waitUntilSearchedAgain("cassettes/corpus.journal/exchanges", seed: seed)
        try recording.crash()
        client.closeInput()
        try client.result()
        #expect(folder.exists("cassettes/corpus.journal"))
        try folder.write(Data(recording.program.errorsSoFar.utf8), to: "cassettes/record.log")
        try corpus.expectNone(in: "cassettes", seed: seed)
        try corpus.stop()
        // Recovers the journal.
        let (played, result) = try corpus.run(["replay", "corpus"], seed: seed)
        #expect(played.filter(\.unmatched).map(\.case).isEmpty, "\(result.errorText)")
        #expect(!folder.exists("cassettes/corpus.journal"))
        try corpus.expectNone(in: "cassettes", seed: seed)
    }

    @Test(.long, arguments: seeds(1))
    func `The same traffic with other secrets, in another order, gives the same file`(seed: UInt64) throws {
        let folder = try TestFolder()
        let corpus = try Corpus(in: folder)
        func record(seed: UInt64, _ options: [String]) throws -> String {
            try folder.write(Corpus.cassette, to: "cassettes/corpus.yaml")
            let (_, result) = try corpus.run(Self.record, seed: seed, options)
            #expect(result.exitCode == 0, "\(result.errorText)")
            return try folder.read("cassettes/corpus.yaml")
                .replacing(#/recorded: .*/#, with: "recorded:")
        }
        let first = try record(seed: seed, [])
        let second = try record(seed: seed + 1, ["--order", "shuffled"])
        expectSame(Data(second.utf8), Data(first.utf8))
    }

    @Test(.long, arguments: seeds(1))
    func `An unmatched request's secrets are in no text about it`(seed: UInt64) throws {
        let (corpus, _, _) = try Self.recorded(seed: seed)
        let folder = corpus.folder
        let secrets = try corpus.secrets(seed: seed)
        let key = try #require(secrets["unmatched-key"])
        let password = try #require(secrets["unmatched-password"])
        let replay = try folder.serve("replay", "corpus", "-v")
        let body = String(decoding: try JSONEncoder().encode(["user": "bob", "password": password]), as: UTF8.self)
        let answers = try [
            folder.curl(replay, "-i", "\(corpus.url)/query?api_key=\(key)&page=2"),
            folder.curl(replay, "-i", "-H", "Authorization: Bearer \(key)", "-b", "sid=\(key)", "\(corpus.url)/other"),
            folder.curl(replay, "-i", "-H", "Content-Type: application/json", "-d", body, "\(corpus.url)/log-in"),
            folder.curl(replay, "-i", "-d", "user=bob&client_secret=\(key)", "\(corpus.url)/oauth/other"),
        ]
        for (number, answer) in answers.enumerated() {
            #expect(answer.outputText.hasPrefix("HTTP/1.1 501 "), "\(answer.outputText)")
            try folder.write(answer.output, to: "said/\(number).txt")
        }
        let journal = try folder.tapedeck(
            "journal",
            "--session",
            "default",
            environment: [
                "TAPEDECK_URL": try #require(replay.controlURL)
            ]
        )
        try folder.write(journal.output + journal.errors, to: "said/journal.txt")
        try folder.write(try replay.stop().errors, to: "said/log.txt")
        try corpus.expectNone(in: "said", seed: seed)
    }
}
