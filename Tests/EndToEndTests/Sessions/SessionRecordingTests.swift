import Foundation
import TestShare
import Testing

/// Recording that is started and stopped while a deck runs.
@Suite(.ownThreads) struct SessionRecordingTests {
    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `a session records into a cassette while it runs, and another one plays it at once`(
        scheme: Origin.Scheme
    ) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve", "--upstream-ca", origin.authorityPath)
        let control = try folder.control(deck)
        let (one, _) = try control.session(#"{"mode": "passthrough", "cassettes": []}"#)
        let (two, _) = try control.session(#"{"mode": "passthrough", "cassettes": []}"#)
        func ask(_ session: String, _ path: String) throws -> Data {
            let tunnel = scheme == .https ? ["--proxy-header", "X-Tapedeck-Session: \(session)"] : []
            let key = ["-H", "X-Tapedeck-Session: \(session)"]
            return try folder.run(Curl.through(deck) + tunnel + key + [origin.url(path, scheme)]).output
        }
        _ = try ask(one, "/counter?key=before")
        try control.get("PUT", "/v1/sessions/\(one)/recording", #"{"cassette": "taped", "mode": "record"}"#)
        let live = try ask(one, "/gzip")
        _ = try ask(two, "/counter?key=two")
        let stopped = try control.get("DELETE", "/v1/sessions/\(one)/recording")
        #expect(stopped["exchanges"] as? Int == 1)
        _ = try ask(one, "/counter?key=after")
        let text = try folder.read("cassettes/taped.yaml")
        #expect(text.contains("/gzip"))
        #expect(!text.contains("counter"))

        let (player, _) = try control.session(#"{"cassettes": ["taped"]}"#)
        expectSame(try ask(player, "/gzip"), live)
        let report = try control.get("GET", "/v1/sessions/\(player)/report")
        #expect(report["connectionsOpened"] as? Int == 0)
        #expect(report["played"] as? Int == 1)
        try deck.stop()
    }

    @Test func `passed-through traffic is saved into a cassette afterwards`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("passthrough", "--upstream-ca", origin.authorityPath)
        let control = try folder.control(deck)
        let live = try ["/gzip", "/chunked", "/cookies"].map { path in
            try folder.curl(deck, origin.url(path, .https)).output
        }
        let posted = try folder.curl(deck, "-d", "a=1", origin.url("/form", .https)).output
        let snapshot = try control.get("POST", "/v1/sessions/default/snapshot", #"{"cassette": "after"}"#)
        #expect(snapshot["exchanges"] as? Int == 4, "\(snapshot)")
        try deck.stop()
        try origin.stop()

        let replay = try folder.serve("replay", "after")
        for (path, body) in zip(["/gzip", "/chunked", "/cookies"], live) {
            expectSame(try folder.curl(replay, origin.url(path, .https)).output, body)
        }
        expectSame(try folder.curl(replay, "-d", "a=1", origin.url("/form", .https)).output, posted)
        try replay.stop()
    }

    @Test func `no session of a replaying deck can contact a live server`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let deck = try folder.serve("replay", "users")
        let control = try folder.control(deck)
        for mode in ["record", "append", "passthrough"] {
            let answer = try control.ask("POST", "/v1/sessions", #"{"mode": "\#(mode)", "cassettes": ["users"]}"#)
            #expect(answer.status == 403, "\(answer.text)")
            #expect(answer.text.contains("tapedeck serve"))
        }
        let recording = try control.ask("PUT", "/v1/sessions/default/recording", #"{"cassette": "users"}"#)
        #expect(recording.status == 403)
        try deck.stop()
    }

    @Test func `a deck that stops saves the recordings of all its sessions`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve")
        let control = try folder.control(deck)
        for name in ["one", "two"] {
            let (id, _) = try control.session(#"{"mode": "record", "cassettes": ["\#(name)"]}"#)
            try folder.curl(deck, "-H", "X-Tapedeck-Session: \(id)", origin.url("/json"))
        }
        try deck.stop()
        for name in ["one", "two"] { #expect(try folder.read("cassettes/\(name).yaml").contains("/json")) }
    }

    @Test func `a recording that cannot be saved when the deck stops makes it fail`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve")
        let control = try folder.control(deck)
        let (id, _) = try control.session(#"{"mode": "record", "cassettes": ["one"]}"#)
        try folder.curl(deck, "-H", "X-Tapedeck-Session: \(id)", origin.url("/json"))
        // A folder is in the file's place.
        try folder.write("", to: "cassettes/one.yaml/in-the-way")
        deck.program.send(SIGINT)
        let result = try deck.program.result()
        #expect(result.exitCode == 74)
        #expect(result.errorText.contains("1 recording could not be saved"), "\(result.errorText)")
    }

    @Test func `a cassette name outside the deck's folder is refused`() throws {
        let folder = try TestFolder()
        let deck = try folder.serve("serve")
        let control = try folder.control(deck)
        for name in ["../outside", "/tmp/outside", "a/../../outside", "", ".hidden/../../x"] {
            let answer = try control.ask("POST", "/v1/sessions", #"{"mode": "record", "cassettes": ["\#(name)"]}"#)
            #expect((400..<500).contains(answer.status), "\(name): \(answer.status) \(answer.text)")
        }
        try deck.stop()
    }
}
