import Foundation
import Testing

/// The matching rules of a recording (`match:`, `ignore:`), written in the cassette beforehand.
@Suite(.ownThreads) struct MatchingRulesTests {
    private static func withoutDates(_ cassette: String) -> [Substring] {
        cassette.split(separator: "\n").filter { !$0.contains("recorded: ") }
    }

    @Test func `a parameter that changes with every run is left out of recording and replay`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(
            "tapedeck: 1\nignore: { query: [ts], json: [$.nonce] }\nresponseSets: []\n",
            to: "cassettes/x.yaml"
        )
        func run(_ mode: String, ts: String) throws -> Program.Result {
            let url = origin.url("/json?ts=\(ts)&q=a")
            let body = #"{"nonce":"\#(ts)","name":"ada"}"#
            return try folder.tapedeck(mode, "x", "--", "curl", "-sS", url, "-d", body, origin.url("/form?ts=\(ts)"))
        }
        let live = try run("record", ts: "1")
        #expect(live.exitCode == 0, "\(live.errorText)")
        let first = try folder.read("cassettes/x.yaml")
        #expect(first.contains("ignore: { query: [ts], json: [$.nonce] }"))
        #expect(first.contains("url: \(origin.url("/json?q=a"))\n"), "\(first)")
        _ = try run("record", ts: "2")
        let second = try folder.read("cassettes/x.yaml")
        #expect(
            Self.withoutDates(second).filter { !$0.contains("nonce") && !$0.contains("ts=") }
                == Self.withoutDates(first).filter { !$0.contains("nonce") && !$0.contains("ts=") }
        )
        try origin.stop()
        let replayed = try run("replay", ts: "3")
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        #expect(replayed.errorText.contains("replay: 2 requests played, 0 unmatched, 0 connections opened upstream"))
    }

    @Test func `match without body makes one set of all bodies`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write("tapedeck: 1\nmatch: [method, url]\nresponseSets: []\n", to: "cassettes/x.yaml")
        let url = origin.url("/counter")
        func run(_ mode: String, _ bodies: [String]) throws -> Program.Result {
            let requests = bodies.flatMap { ["-d", $0, url, "--next", "-sS"] }.dropLast(2)
            return try folder.tapedeck([mode, "x", "--", "curl", "-sS"] + requests)
        }
        let live = try run("record", ["one", "two"])
        #expect(live.outputText == #"{"count":1}{"count":2}"#)
        try origin.stop()
        let replayed = try run("replay", ["three", "four", "five"])
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        #expect(replayed.outputText == #"{"count":1}{"count":2}{"count":2}"#)
    }

    @Test func `match on the path makes a cassette for every origin`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write("tapedeck: 1\nmatch: [method, path, query]\nresponseSets: []\n", to: "cassettes/x.yaml")
        let live = try folder.tapedeck("record", "x", "--", "curl", "-sS", origin.url("/counter?key=k"))
        try origin.stop()
        let replayed = try folder.tapedeck(
            "replay",
            "x",
            "--",
            "curl",
            "-sS",
            "https://elsewhere.example/counter?key=k"
        )
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        expectSame(replayed.output, live.output)
        let cassette = try folder.read("cassettes/x.yaml")
        #expect(cassette.contains("      url: /counter?key=k\n"), "\(cassette)")
    }

    @Test func `match on headers records an answer for each, but no secret of them`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write("tapedeck: 1\nmatch: [method, url, headers]\nresponseSets: []\n", to: "cassettes/x.yaml")
        let url = origin.url("/counter")
        func run(_ mode: String) throws -> Program.Result {
            let languages = ["de", "fr", "de"].flatMap {
                ["-H", "Accept-Language: \($0)", "-H", "Authorization: Bearer abc-\($0)", url, "--next", "-sS"]
            }
            return try folder.tapedeck([mode, "x", "--", "curl", "-sS"] + languages.dropLast(2))
        }
        let live = try run("record")
        #expect(live.outputText == #"{"count":1}{"count":2}{"count":3}"#, "\(live.errorText)")
        try origin.stop()
        let replayed = try run("replay")
        expectSame(replayed.output, live.output)
        let cassette = try folder.read("cassettes/x.yaml")
        #expect(cassette.lowercased().contains("accept-language: de"), "\(cassette)")
        #expect(!cassette.contains("abc-"))
    }

    @Test func `a generalised set records matching exchanges again`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.tapedeck("record", "x", "--", "curl", "-sS", origin.url("/json"))
        let recorded = try folder.read("cassettes/x.yaml")
        let general = recorded.replacing(
            "url: \(origin.url("/json"))\n",
            with: "urlTemplate: \(origin.base(.http))/{page}\n"
        )
        #expect(general != recorded)
        try folder.write(general, to: "cassettes/x.yaml")
        let live = try folder.tapedeck("record", "x", "--", "curl", "-sS", origin.url("/json-pretty"))
        let again = try folder.read("cassettes/x.yaml")
        #expect(again.contains("urlTemplate: \(origin.base(.http))/{page}\n"), "\(again)")
        #expect(again.contains("url: \(origin.url("/json-pretty"))\n"), "\(again)")
        try origin.stop()
        let replayed = try folder.tapedeck("replay", "x", "--", "curl", "-sS", origin.url("/any"))
        expectSame(replayed.output, live.output)
    }

    @Test func `a recording reports whether the cassette changed`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let command = ["--", "curl", "-sS", origin.url("/json")]
        let first = try folder.tapedeck(["record", "x"] + command)
        #expect(first.errorText.contains("wrote cassettes/x.yaml\n"), "\(first.errorText)")
        let second = try folder.tapedeck(["append", "x"] + command)
        #expect(
            second.errorText.contains(
                "nothing was recorded: 1 request played from the tape; cassettes/x.yaml is as it was\n"
            )
        )
    }
}
