import Foundation
import Testing

/// Cassettes that are changed while they play.
@Suite(.ownThreads) struct EditingTests {
    private static func cassette(_ text: String, more: String = "") -> String {
        PlayedCassette.variants("- name: ok\n  takes: [{ status: 200, body: { text: \(text) } }]\n" + more)
    }

    /// Waits until the deck has printed something a number of times.
    private static func wait(_ played: PlayedCassette, for text: String, times count: Int = 1) throws {
        try played.deck.program.waitForErrors("“\(text)” \(count) times") { errors in
            errors.components(separatedBy: text).count > count ? () : nil
        }
    }

    private static let reloaded = "reloaded cassettes/x.yaml"

    @Test func `an edited cassette is reloaded without a restart`() throws {
        let played = try PlayedCassette(Self.cassette("one"))
        #expect(try played.ask(PlayedCassette.url) == "one")
        // As some editors do it: the old file is emptied and written to.
        let file = try #require(FileHandle(forWritingAtPath: played.folder / "cassettes/x.yaml"))
        try file.truncate(atOffset: 0)
        let text = Data(Self.cassette("two").utf8)
        try file.write(contentsOf: text.prefix(40))
        try file.write(contentsOf: text.dropFirst(40))
        try file.close()
        try Self.wait(played, for: Self.reloaded)
        #expect(try played.ask(PlayedCassette.url) == "two")
        // As others do it: a new file is given the name of the old one.
        let path = try played.folder.write(Self.cassette("three"), to: "cassettes/.x.yaml.swp")
        #expect(rename(path, played.folder / "cassettes/x.yaml") == 0)
        try Self.wait(played, for: Self.reloaded, times: 2)
        #expect(try played.ask(PlayedCassette.url) == "three")
        try played.stop()
    }

    @Test func `errors in a changed cassette are reported with the line, and the old version plays`() throws {
        let played = try PlayedCassette(Self.cassette("one"))
        try played.folder.write(Self.cassette("two").replacing("status:", with: "statuss:"), to: "cassettes/x.yaml")
        try Self.wait(played, for: "cassettes/x.yaml has changed and cannot be used")
        try Self.wait(played, for: "cassettes/x.yaml:7:")
        #expect(try played.ask(PlayedCassette.url) == "one")
        try played.folder.write(Self.cassette("two"), to: "cassettes/x.yaml")
        try Self.wait(played, for: Self.reloaded)
        #expect(try played.ask(PlayedCassette.url) == "two")
        try played.stop()
    }

    @Test func `a deleted cassette keeps playing`() throws {
        let played = try PlayedCassette(Self.cassette("one"))
        try FileManager.default.removeItem(atPath: played.folder / "cassettes/x.yaml")
        try Self.wait(played, for: "cassettes/x.yaml is gone")
        #expect(try played.ask(PlayedCassette.url) == "one")
        try played.folder.write(Self.cassette("two"), to: "cassettes/x.yaml")
        try Self.wait(played, for: Self.reloaded)
        #expect(try played.ask(PlayedCassette.url) == "two")
        try played.stop()
    }

    @Test func `another variant is chosen for a running app by its line in the file`() throws {
        let down = "- { name: down, empty: 503 }\n"
        let played = try PlayedCassette(Self.cassette("up", more: down))
        #expect(try played.ask(PlayedCassette.url) == "up")
        let cassette = Self.cassette("up", more: down)
        try played.folder.write(
            cassette.replacing("    variants:", with: "    selected: down\n    variants:"),
            to: "cassettes/x.yaml"
        )
        try Self.wait(played, for: Self.reloaded)
        #expect(try played.ask(PlayedCassette.url) == "503")
        try played.folder.write(cassette, to: "cassettes/x.yaml")
        try Self.wait(played, for: Self.reloaded, times: 2)
        #expect(try played.ask(PlayedCassette.url) == "up")
        try played.stop()
    }

    @Test func `a request in flight finishes on the old cassette, and the session keeps its position`() throws {
        func cassette(_ text: String) -> String {
            """
            tapedeck: 1
            responseSets:
              - name: slow
                request: { url: http://a.example/slow }
                sets: { asked: 'yes' }
                variants: [{ name: ok, delay: 1h, takes: [{ status: 200, body: { text: \(text) } }] }]
              - name: state
                request: { url: http://a.example/state }
                variants:
                  - name: ok
                    template: true
                    takes: [{ status: 200, body: { text: '\(text) {{state.asked}}' } }]
              - name: takes
                request: { url: http://a.example/takes }
                variants:
                  - name: ok
                    takes: [{ status: 200, body: { text: first } }, { status: 200, body: { text: second } }]

            """
        }
        let played = try PlayedCassette(cassette("old"))
        #expect(try played.ask("http://a.example/takes") == "first")
        let slow = try played.folder.start(Curl.through(played.deck) + ["http://a.example/slow"])
        while try played.ask("http://a.example/state") != "old yes" { try #require(!slow.hasEnded) }
        try played.folder.write(cassette("new"), to: "cassettes/x.yaml")
        try Self.wait(played, for: Self.reloaded)
        #expect(try played.ask(each: ["http://a.example/state", "http://a.example/takes"]) == ["new yes", "second"])
        #expect(!slow.hasEnded)
        try played.stop()
        #expect(try slow.result().outputText == "old")
    }

    @Test func `a changed body file plays in its new version`() throws {
        let folder = try TestFolder()
        try folder.write("before", to: "cassettes/x/body.txt")
        let played = try PlayedCassette(
            PlayedCassette.variants("- { name: ok, takes: [{ status: 200, body: { file: x/body.txt } }] }"),
            in: folder
        )
        #expect(try played.ask(PlayedCassette.url) == "before")
        try folder.write("after a change", to: "cassettes/x/body.txt")
        try Self.wait(played, for: Self.reloaded)
        #expect(try played.ask(PlayedCassette.url) == "after a change")
        try played.stop()
    }

    @Test func `a selection stays, and one with a missing variant is reported`() throws {
        let down = "- { name: down, empty: 503 }\n"
        let played = try PlayedCassette(Self.cassette("one", more: down), "--select", "x=down")
        #expect(try played.ask(PlayedCassette.url) == "503")
        try played.folder.write(Self.cassette("two", more: down), to: "cassettes/x.yaml")
        try Self.wait(played, for: Self.reloaded)
        #expect(try played.ask(PlayedCassette.url) == "503")
        try played.folder.write(Self.cassette("three"), to: "cassettes/x.yaml")
        try Self.wait(played, for: "what was selected is gone")
        #expect(try played.ask(PlayedCassette.url) == "three")
        try played.stop()
    }
}
