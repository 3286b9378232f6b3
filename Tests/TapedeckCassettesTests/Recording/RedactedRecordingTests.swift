import TapedeckCassettes
import TapedeckCore
import TapedeckRedaction
import Testing

/// The content of a cassette after redacted recordings.
@Suite struct RedactedRecordingTests {
    private static let login = RecordedExchange.made(
        1,
        "POST",
        "/login",
        type: "application/json",
        text: #"{"access_token":"{{secret.access_token#1}}"}"#,
        sends: #"{"password":"{{secret.password#2}}"}"#,
        sentType: "application/json"
    )
    private static let use = RecordedExchange.made(2, "GET", "/me?key={{secret.bearer#1}}", text: "me")

    @Test("A cassette has the shapes of its secrets, but not the secrets")
    func whole() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.login, Self.use], shapes: ["jwt", "[a-z]{8}"])
        #expect(
            try fixture.text.hasPrefix(
                """
                tapedeck: 1
                secrets:
                  access_token: { shape: jwt }
                  password: { shape: '[a-z]{8}' }
                responseSets:

                """
            )
        )
        let cassette = try fixture.load()
        #expect(cassette.responseSets.map(\.name) == ["POST a.test/login", "GET a.test/me"])
        #expect(try fixture.text.contains("url: 'https://a.test/me?key={{secret.access_token}}'\n"))
        #expect(try fixture.bodies(of: "POST a.test/login") == [#"{"access_token":"{{secret.access_token}}"}"#])
        #expect(try !fixture.text.contains("#"))
    }

    @Test("Recording the same traffic again leaves the file unchanged, even if its secrets have other numbers")
    func again() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.login, Self.use], shapes: ["jwt", "[a-z]{8}"])
        var (login, use) = (Self.login, Self.use)
        use.url = "https://a.test/me?key={{secret.bearer#2}}"
        login.response.body = .bytes(Array(#"{"access_token":"{{secret.access_token#2}}"}"#.utf8))
        login.requestBody = .bytes(Array(#"{"password":"{{secret.password#1}}"}"#.utf8))
        let saved = try fixture.record([login, use], shapes: ["[a-z]{8}", "jwt"])
        #expect(!saved.changed)
    }

    @Test("A recovered recording has names and shapes, too")
    func recovered() throws {
        let fixture = try CassetteFixture()
        do {
            let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
            try journal.noteSecrets(in: Self.login) { SecretTraits(shape: ["jwt", "uuid"][$0 - 1]) }
            try journal.append(Self.login)
        }
        _ = try fixture.store.recover(fixture.location)
        #expect(
            try fixture.load().secrets == [
                SecretDescription(name: "access_token", shape: "jwt"),
                SecretDescription(name: "password", shape: "uuid"),
            ]
        )
        #expect(fixture.files == ["api.yaml"])
    }

    @Test("Current rules redact a recovered recording; redacted and escaped text stays unchanged")
    func searchedAgain() throws {
        let fixture = try CassetteFixture()
        var store = fixture.store
        store.takeUpRedactor = { _, _, firstNumber in
            Redactor(.builtIn, vault: SecretVault(firstNumber: firstNumber))
        }
        var use = Self.use
        use.response.body = .bytes(Array("{{'secret.x}} ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R".utf8))
        do {
            let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
            for exchange in [Self.login, use] {
                try journal.noteSecrets(in: exchange) { SecretTraits(shape: ["jwt", "uuid"][$0 - 1]) }
                try journal.append(exchange)
            }
        }
        _ = try store.recover(fixture.location)
        #expect(try fixture.load().secrets.map(\.name) == ["access_token", "github_token", "password"])
        #expect(try fixture.bodies(of: "POST a.test/login") == [#"{"access_token":"{{secret.access_token}}"}"#])
        #expect(try fixture.bodies(of: "GET a.test/me") == ["{{'secret.x}} {{secret.github_token}}"])
        #expect(try fixture.text.contains("url: 'https://a.test/me?key={{secret.access_token}}'\n"))
    }

    private static let handWritten = """
        # mine
        tapedeck: 1
        secrets:   # of staging
          # from the vault
          access_token: { environment: API_TOKEN }   # as it is
          gone: { shape: uuid }
          kept: { environment: KEPT }

        # the sets
        responseSets:
          - name: mine
            request: { method: GET, url: "https://b.test/{{secret.own}}" }
            variants: [{ name: a, takes: [{ status: 204 }] }]

        """

    @Test("Entries are added in order and removed when unused; manual entries and comments stay")
    func edited() throws {
        let fixture = try CassetteFixture(Self.handWritten)
        try fixture.record([Self.login], shapes: ["jwt", "uuid"])
        #expect(
            try fixture.text.hasPrefix(
                """
                # mine
                tapedeck: 1
                secrets:   # of staging
                  # from the vault
                  access_token: { environment: API_TOKEN }   # as it is
                  kept: { environment: KEPT }
                  password: { shape: uuid }

                # the sets
                responseSets:

                """
            )
        )
    }

    @Test("A cassette without secrets gets the list in front of its sets, below the settings")
    func first() throws {
        let fixture = try CassetteFixture("tapedeck: 1\nmatch: [method, url]\n# the sets\nresponseSets: []\n")
        try fixture.record([Self.use], shapes: ["jwt"])
        #expect(
            try fixture.text.hasPrefix(
                "tapedeck: 1\nmatch: [method, url]\nsecrets:\n  bearer: { shape: jwt }\n# the sets\nresponseSets:"
            )
        )
    }

    @Test(arguments: ["secrets: {}", "secrets:", "secrets: { old: { shape: jwt } }"])
    func listsInOneLine(_ line: String) throws {
        let fixture = try CassetteFixture("tapedeck: 1\n\(line)\n# the sets\nresponseSets: []\n")
        try fixture.record([Self.use], shapes: ["jwt"])
        #expect(
            try fixture.text.hasPrefix("tapedeck: 1\nsecrets:\n  bearer: { shape: jwt }\n# the sets\nresponseSets:")
        )
    }

    @Test("An appended secret does not get the name of another secret")
    func appended() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.login], shapes: ["jwt", "uuid"])
        let other = RecordedExchange.made(1, "GET", "/new", text: "{{secret.access_token#1}} {{secret.password}}")
        try fixture.record(
            [other],
            .append,
            shapes: ["number"],
            known: [SecretDescription(name: "password", shape: "uuid")]
        )
        #expect(try fixture.bodies(of: "GET a.test/new") == ["{{secret.access_token-2}} {{secret.password}}"])
        #expect(try fixture.load().secrets.map(\.name) == ["access_token", "access_token-2", "password"])
    }

    @Test("A secret of another cassette is described in the cassette it is recorded to")
    func borrowed() throws {
        let fixture = try CassetteFixture()
        let known = [
            SecretDescription(name: "shared", shape: "jwt"), SecretDescription(name: "unused", environment: "X"),
        ]
        try fixture.record([.made(1, text: "{{secret.shared}}")], .append, shapes: [], known: known)
        #expect(try fixture.load().secrets == [known[0]])
    }

    @Test("A secret that is only in a body file keeps its entry")
    func inFiles() throws {
        let fixture = try CassetteFixture()
        let large = "{{secret.big#1}}" + String(repeating: "x\n", count: 50_000)
        try fixture.record([.made(1, "GET", "/big", type: "text/plain", text: large)], shapes: ["uuid"])
        #expect(fixture.bodyFiles.count == 1)
        #expect(try fixture.load().secrets.map(\.name) == ["big"])
        try fixture.record([.made(1, "GET", "/other", text: "x")], .append, shapes: [])
        #expect(try fixture.load().secrets.map(\.name) == ["big"])
    }

    @Test("A recording without secrets has no list of secrets")
    func none() throws {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, text: "x")], shapes: [])
        #expect(try !fixture.text.contains("secrets"))
    }
}
