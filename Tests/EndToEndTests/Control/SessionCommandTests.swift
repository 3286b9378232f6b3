import Foundation
import Testing

/// Sessions made on the command line.
@Suite(.ownThreads) struct SessionCommandTests {
    @Test func `two sessions play different variants at one port, and the default one a third`() throws {
        let deck = try SteeredDeck()
        let none = try deck.steered("session", "create", "--name", "none", "--select", "users=none", "users")
        let two = try deck.steered("session", "create", "--select", "a=b=two", "users")
        #expect(none.hasPrefix("none-"))
        #expect(try deck.get(SteeredDeck.users, session: none) == "nobody")
        #expect(try deck.get(SteeredDeck.users, session: two) == "ada")
        #expect(try deck.get(SteeredDeck.ab, session: two) == "two")
        #expect(try deck.get(SteeredDeck.users) == "ada")
        let list = try deck.steered("session", "list")
        for id in ["default", none, two] { #expect(list.contains("\n\(id) "), "\(list)") }
    }

    @Test func `the guide of a new session holds a proxy that belongs to it`() throws {
        let deck = try SteeredDeck()
        let result = try deck.steer("session", "create", "users", "--select", "users=none")
        let proxy = try #require(result.errorText.firstMatch(of: #/http_proxy=(\S+)/#).map { String($0.1) })
        let answer = try deck.folder.run(["curl", "-q", "-sS", "--proxy", proxy, SteeredDeck.users])
        #expect(answer.outputText == "nobody", "\(answer.errorText)")
    }

    @Test func `a port of a session's own needs no name, and is one of a base URL, too`() throws {
        let deck = try SteeredDeck()
        let result = try deck.steer(
            "session",
            "create",
            "users",
            "--select",
            "users=none",
            "--port",
            "0",
            "--reverse",
            "http://api.example.com"
        )
        let url = try #require(result.errorText.firstMatch(of: #/by its port:  (\S+)/#).map { String($0.1) })
        let proxied = try deck.folder.run(["curl", "-q", "-sS", "--proxy", url, SteeredDeck.users])
        #expect(proxied.outputText == "nobody", "\(proxied.errorText)")
        let reversed = try deck.folder.run(["curl", "-q", "-sS", "--noproxy", "*", "\(url)/users"])
        #expect(reversed.outputText == "nobody", "\(reversed.errorText)")
    }

    @Test func `the end of a session prints its report, and fails if requests were unmatched`() throws {
        let deck = try SteeredDeck()
        let good = try deck.steered("session", "create", "users")
        _ = try deck.get(SteeredDeck.users, session: good)
        #expect(
            try deck.steered("session", "end", good)
                .hasPrefix(
                    "\(good) (replay): 1 request played, 0 passed on, 0 unmatched, 0 connections opened upstream\n"
                )
        )
        let bad = try deck.steered("session", "create", "users")
        _ = try deck.get("http://api.example.com/nothing", session: bad)
        let ended = try deck.steer("session", "end", bad)
        #expect(ended.exitCode == 70)
        #expect(ended.outputText.contains("unmatched: GET http://api.example.com/nothing\n"), "\(ended.outputText)")
        let report = try deck.steered("report", "--session", bad)
        #expect(report == ended.outputText.trimmingCharacters(in: .newlines))
        let late = try deck.steer("select", "--session", bad, "users=none")
        #expect(late.exitCode == 64)
        #expect(late.errorText.contains(bad))

        let summary = try deck.process.stop().errorText
        #expect(summary.contains("2 sessions: 1 request played, 1 unmatched"), "\(summary)")
        #expect(summary.contains("unmatched in session \(bad): GET http://api.example.com/nothing"), "\(summary)")
    }

    @Test func `the end of a recording names what it wrote, and no other set`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve", "--loopback")
        let control = try folder.control(deck)
        let (id, _) = try control.session(#"{"mode": "record", "cassettes": ["new"]}"#)
        let key = ["-H", "X-Tapedeck-Session: \(id)"]
        #expect(try folder.run(Curl.through(deck) + key + [origin.url("/json")]).exitCode == 0)
        let end = try folder.tapedeck(["session", "end", id], environment: ["TAPEDECK_URL": control.url])
        #expect(end.outputText.contains("wrote 1 exchange into new"), "\(end.outputText)")
        #expect(!end.outputText.contains("never requested"), "\(end.outputText)")
        try deck.stop()
    }

    @Test func `a session of a missing cassette is refused as such`() throws {
        let deck = try SteeredDeck()
        let result = try deck.steer("session", "create", "nothing")
        #expect(result.exitCode == 65)
        #expect(result.errorText.contains("there is no such cassette"), "\(result.errorText)")
    }

    @Test func `with required sessions a request without one is refused`() throws {
        let deck = try SteeredDeck("serve", "--sessions", "required")
        let refused = try deck.folder.run(
            Curl.through(deck.process) + ["-o", "/dev/null", "-w", "%{http_code}", SteeredDeck.users]
        )
        #expect(refused.outputText == "407")
        let id = try deck.steered("session", "create", "users")
        #expect(try deck.get(SteeredDeck.users, session: id) == "ada")
        let summary = try deck.process.stop().errorText
        #expect(
            summary.contains("1 session: 1 request played, 0 unmatched, 0 connections opened upstream"),
            "\(summary)"
        )
    }

    @Test func `a session of a live mode is refused on a replaying deck`() throws {
        let deck = try SteeredDeck()
        let result = try deck.steer("session", "create", "--mode", "passthrough")
        #expect(result.exitCode == 64)
        #expect(result.errorText.contains("tapedeck serve"), "\(result.errorText)")
    }
}
