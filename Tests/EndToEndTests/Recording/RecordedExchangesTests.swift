import Foundation
import Testing

/// The exchanges that are recorded, and their content.
@Suite(.ownThreads) struct RecordedExchangesTests {
    @Test func `a retried request is takes in order, or only the one that worked`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        func run(_ mode: [String], key: String) throws -> Program.Result {
            let url = origin.url("/flaky?key=\(key)&fails=2")
            return try folder.tapedeck(mode + ["--", "curl", "-sS", url, url, url])
        }
        let tries = "{\"try\":1}{\"try\":2}{\"try\":3}"
        let live = try run(["record", "all"], key: "a")
        #expect(live.outputText == tries)
        #expect(live.errorText.contains("3 exchanges recorded"))
        #expect(try run(["replay", "all"], key: "a").outputText == tries)

        let kept = try run(["record", "good", "--no-record-faults"], key: "b")
        #expect(kept.outputText == tries)
        #expect(kept.errorText.contains("1 exchange recorded"), "\(kept.errorText)")
        #expect(kept.errorText.contains("2 exchanges not recorded: failed exchanges are left out"))
        #expect(try run(["replay", "good"], key: "b").outputText.hasPrefix("{\"try\":3}"))
    }

    @Test func `faults are failures, whether or not a response had begun`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("record", "x", "--no-record-faults")
        for path in ["/reset", "/truncate", "/no-answer", "/json"] {
            _ = try folder.curl(deck, origin.url(path))
        }
        let summary = try deck.stop().errorText
        #expect(summary.contains("1 exchange recorded"), "\(summary)")
        #expect(summary.contains("3 exchanges not recorded: failed exchanges are left out"))
        let text = try folder.read("cassettes/x.yaml")
        #expect(text.contains("/json"))
        #expect(!text.contains("fault"))
    }

    @Test func `a body that is too large is passed on whole, and leaves no file`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("record", "x", "--max-body", "300000")
        let whole = try folder.curl(deck, origin.url("/binary?size=300000"))
        let large = try folder.curl(deck, origin.url("/binary?size=2000000"))
        let head = try folder.curl(deck, "-I", origin.url("/binary?size=2000000"))
        #expect(whole.output.count == 300_000)
        #expect(large.output.count == 2_000_000)
        #expect(head.exitCode == 0)
        let summary = try deck.stop().errorText
        #expect(summary.contains("2 exchanges recorded"), "\(summary)")
        #expect(summary.contains("1 exchange not recorded: its body is larger than 300000 bytes"), "\(summary)")
        #expect(try folder.names(in: "cassettes/x").count == 1)
    }

    @Test func `a body whose length shows only at its end is left out all the same`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let direct = try folder.run(Curl.direct(origin) + [origin.url("/chunked")])
        let deck = try folder.serve("record", "x", "--max-body", "3b")
        let live = try folder.curl(deck, origin.url("/chunked"))
        let untilClose = try folder.curl(deck, origin.url("/until-close"))
        #expect(live.output.count > 3)
        expectSame(live.output, direct.output)
        #expect(untilClose.output.count > 3)
        let summary = try deck.stop().errorText
        #expect(summary.contains("2 exchanges not recorded: its body is larger than 3b"), "\(summary)")
        #expect(!folder.exists("cassettes/x.yaml"))
    }

    @Test func `only the chosen statuses are recorded, and five excluded ones are named`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let paths = (410...416).map { "/status/\($0)" } + ["/status/404", "/json"]
        let urls = paths.map { origin.url($0) }
        let result = try folder.tapedeck(["record", "x", "--status", "2xx,404", "--", "curl", "-sS"] + urls)
        #expect(result.errorText.contains("2 exchanges recorded"), "\(result.errorText)")
        #expect(result.errorText.contains("7 exchanges not recorded: only the statuses 2xx,404 are recorded"))
        #expect(result.errorText.contains("  GET \(origin.url("/status/414"))\n"))
        #expect(!result.errorText.contains("/status/415"))
        #expect(result.errorText.contains("  and 2 more\n"))
    }

    @Test func `a cassette describes the request, and nothing of the recording machine`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/json")
        let headers = ["-H", "Accept: application/json", "-H", "X-Request-Id: 7", "-A", "app/1"]
        try folder.tapedeck(["record", "x", "--", "curl", "-sS", url] + headers)
        let usual = try folder.read("cassettes/x.yaml")
        let noted = "            request:\n              headers:\n                - Accept: application/json\n"
        #expect(usual.contains(noted))
        #expect(!usual.contains("app/1"))
        #expect(!usual.contains("X-Request-Id"))
        try folder.tapedeck(["record", "x", "--keep-headers", "x-request-id", "--", "curl", "-sS", url] + headers)
        #expect(try folder.read("cassettes/x.yaml").contains("- X-Request-Id: '7'\n"))
    }
}
