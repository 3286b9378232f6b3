import TapedeckCassettes
import TapedeckCore
import Testing

/// Conditions on request bodies: those that `--match-bodies` writes, and the note without them.
@Suite struct MatchedBodiesTests {
    private func fixture(_ text: String? = nil, matchesBodies: Bool = true) throws -> CassetteFixture {
        var fixture = try CassetteFixture(text)
        fixture.store.matchesBodies = matchesBodies
        return fixture
    }

    private static func login(_ number: Int = 1, _ body: String, time: Int = 1_795_255_200) -> RecordedExchange {
        .made(number, "POST", "/login", text: "token", sends: body, sentType: "application/json", time: time)
    }

    @Test func `a single body becomes a condition in its form, and a request without one gets none`() throws {
        let fixture = try self.fixture()
        let saved = try fixture.record([
            Self.login(1, #"{"user": "ada"}"#),
            .made(2, "POST", "/form", text: "f", sends: "a=1&b=2", sentType: "application/x-www-form-urlencoded"),
            .made(3, "POST", "/empty", text: "e"), .made(4, "GET", "/page", text: "p"),
        ])
        #expect(saved.effect == RecordingEffect())
        let bodies = try fixture.load().responseSets.reduce(into: [:]) { $0[$1.name] = $1.request.body }
        guard case .json(let json, _)? = bodies["POST a.test/login"]?.first else {
            Issue.record("\(bodies)")
            return
        }
        #expect(String(decoding: json.decoded, as: UTF8.self) == #"{"user": "ada"}"#)
        #expect(bodies["POST a.test/form"] == [.bytes(InlineBody(form: .text, content: Array("a=1&b=2".utf8)))])
        #expect(bodies["POST a.test/empty"] == [])
        #expect(bodies["GET a.test/page"] == [])
    }

    @Test func `the same traffic gives the same file, with the option and later without`() throws {
        var fixture = try self.fixture()
        let exchanges = [Self.login(1, #"{"user": "ada"}"#), .made(2, "PUT", "/a", text: "a", sends: "text")]
        try fixture.record(exchanges)
        let text = try fixture.text
        #expect(try !fixture.record(exchanges).changed)
        fixture.store.matchesBodies = false
        #expect(try fixture.record(exchanges).effect == RecordingEffect())
        #expect(try fixture.text == text)
    }

    @Test func `ignored places do not make another body`() throws {
        let fixture = try self.fixture("tapedeck: 1\nignore: { json: [$.nonce] }\n")
        try fixture.record([Self.login(1, #"{"user": "ada", "nonce": 1}"#)])
        let text = try fixture.text
        try fixture.record([Self.login(1, #"{"nonce": 2, "user": "ada"}"#)])
        #expect(try fixture.text == text)
        try fixture.record([Self.login(1, #"{"user": "bob", "nonce": 1}"#)])
        #expect(try fixture.text != text)
    }

    @Test func `if bodies do not count, there is no condition and no note`() throws {
        let fixture = try self.fixture("tapedeck: 1\nmatch: [method, url]\n")
        let saved = try fixture.record([Self.login(1, "{}")])
        #expect(try fixture.load().responseSets[0].request.body.isEmpty)
        #expect(saved.effect.anyBody.isEmpty)
    }

    @Test func `sets that answer any body are named, those with conditions are not`() throws {
        let fixture = try self.fixture(matchesBodies: false)
        let exchanges = [
            Self.login(1, #"{"user": "ada"}"#), .made(2, "POST", "/two", text: "1", sends: "1"),
            .made(3, "POST", "/two", text: "2", sends: "2"), .made(4, "POST", "/empty", text: "e"),
        ]
        let saved = try fixture.record(exchanges)
        #expect(saved.effect.anyBody == ["POST a.test/login"])
        #expect(
            saved.effect.lines == [
                "1 response set answers whatever the body (--match-bodies compares it): POST a.test/login"
            ]
        )
        // Also when it was there before, and in a recording that adds to it.
        #expect(try fixture.record(exchanges).effect.anyBody == ["POST a.test/login"])
        let added = try fixture.append([.made(1, "POST", "/three", text: "3", sends: "3")])
        #expect(added.effect.anyBody == ["POST a.test/three"])
    }

    @Test func `a recording that was killed gets its conditions at the next start`() throws {
        var fixture = try self.fixture()
        try fixture.interrupt([Self.login(1, #"{"user": "ada"}"#)])
        fixture.store.matchesBodies = false
        _ = try fixture.store.recover(fixture.location)
        #expect(try fixture.load().responseSets[0].request.body.count == 1)
    }

    @Test func `a set of an earlier recording without the option is replaced`() throws {
        var fixture = try self.fixture(matchesBodies: false)
        try fixture.record([Self.login(1, #"{"user": "ada"}"#)])
        fixture.store.matchesBodies = true
        try fixture.record([Self.login(1, #"{"user": "ada"}"#)])
        let sets = try fixture.load().responseSets
        #expect(sets.count == 1)
        #expect(sets[0].request.body.count == 1)
    }
}
