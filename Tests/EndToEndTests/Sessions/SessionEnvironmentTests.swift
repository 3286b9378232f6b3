import Foundation
import Testing

/// The environment of a deck is hidden from clients that control it and from its command.
@Suite(.ownThreads) struct SessionEnvironmentTests {
    private static let cassette = """
        tapedeck: 1
        secrets: { a: { environment: CLOUD_KEY } }
        responseSets:
          - name: key
            request: { method: GET, url: http://api.example.test/key }
            variants: [{ name: a, takes: [{ status: 200, body: { text: "{{secret.a}}" } }] }]

        """

    private static func files() throws -> String {
        let files = ["files": ["x.yaml": Self.cassette]]
        return String(decoding: try JSONSerialization.data(withJSONObject: files), as: UTF8.self)
    }

    private static func key(_ deck: TapedeckProcess, _ session: String, _ folder: TestFolder) throws -> String {
        try folder.curl(deck, "-H", "X-Tapedeck-Session: \(session)", "http://api.example.test/key").outputText
    }

    @Test func `a session's own cassette reads no variable, one that the start names does`() throws {
        let folder = try TestFolder()
        try folder.write(Self.cassette, to: "cassettes/own.yaml")
        try folder.write(Self.cassette, to: "cassettes/other.yaml")
        let environment = ["CLOUD_KEY": "value-of-the-deck"]
        let deck = try folder.serve("serve", "own", environment: environment)
        let control = try folder.control(deck)
        #expect(try Self.key(deck, "default", folder) == "value-of-the-deck")
        for json in [try Self.files(), #"{"cassettes": ["other"]}"#] {
            let session = try control.session(json)
            let played = try Self.key(deck, session.id, folder)
            #expect(!played.isEmpty && played != "value-of-the-deck", "\(json): \(played)")
        }
        let log = try deck.stop().errorText
        #expect(log.contains("--secret-environment CLOUD_KEY"), "\(log)")

        let allowed = try folder.serve("serve", "--secret-environment", "CLOUD_KEY", environment: environment)
        let session = try folder.control(allowed).session(try Self.files())
        #expect(try Self.key(allowed, session.id, folder) == "value-of-the-deck")
        try allowed.stop()
    }

    @Test func `a command gets neither the token nor a pass phrase, and plays all the same`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let result = try folder.tapedeck(
            [
                "replay", "users", "--host", "0.0.0.0", "--", "sh", "-c",
                "env; curl -q -sS -x \"$http_proxy\" \(Cassettes.usersURL)",
            ],
            environment: ["TAPEDECK_TOKEN": "deck-token-1", "TAPEDECK_CLIENT_KEY_PASSPHRASE": "pass-phrase-1"]
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.hasSuffix("ada"), "\(result.outputText)")
        #expect(!result.outputText.contains("deck-token-1"))
        #expect(!result.outputText.contains("pass-phrase-1"))
    }

    @Test func `a request without a session is noted if there are others`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let deck = try folder.serve("replay", "users")
        let control = try folder.control(deck)
        func note() throws -> String? {
            _ = try folder.curl(deck, Cassettes.usersURL)
            let page = try control.get("GET", "/v1/sessions/default/journal")
            return (page["entries"] as? [[String: Any]])?.last?["note"] as? String
        }
        #expect(try note() == nil)
        let session = try control.session()
        #expect(try note()?.contains("named no session") == true)
        let lines = try folder.tapedeck(["journal"], environment: ["TAPEDECK_URL": control.url]).outputText
        #expect(lines.contains("note: it named no session"), "\(lines)")
        try control.get("DELETE", "/v1/sessions/\(session.id)")
        #expect(try note() == nil)
        try deck.stop()
    }
}
