import TapedeckCassettes
import TapedeckCore
import Testing

/// Conditions on request bodies: those that a recording writes, and the note if it writes none.
@Suite struct MatchedBodiesTests {
    private func fixture(_ text: String? = nil, answersAnyBody: Bool = false) throws -> CassetteFixture {
        var fixture = try CassetteFixture(text)
        fixture.store.answersAnyBody = answersAnyBody
        return fixture
    }

    private static func login(_ number: Int = 1, _ body: String, time: Int = 1_795_255_200) -> RecordedExchange {
        .made(number, "POST", "/login", text: "token", sends: body, sentType: "application/json", time: time)
    }

    @Test func `a body becomes a condition in its form, no body one too, but for a GET`() throws {
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
        #expect(bodies["POST a.test/empty"] == [.bytes(InlineBody(form: .text, content: []))])
        #expect(bodies["GET a.test/page"] == [])
    }

    @Test func `the same traffic gives the same file, with the option and later without`() throws {
        var fixture = try self.fixture()
        let exchanges = [Self.login(1, #"{"user": "ada"}"#), .made(2, "PUT", "/a", text: "a", sends: "text")]
        try fixture.record(exchanges)
        let text = try fixture.text
        #expect(try !fixture.record(exchanges).changed)
        fixture.store.answersAnyBody = true
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
        let fixture = try self.fixture(answersAnyBody: true)
        let exchanges = [
            Self.login(1, #"{"user": "ada"}"#), .made(2, "POST", "/two", text: "1", sends: "1"),
            .made(3, "POST", "/two", text: "2", sends: "2"), .made(4, "POST", "/empty", text: "e"),
        ]
        let saved = try fixture.record(exchanges)
        #expect(saved.effect.anyBody == ["POST a.test/login"])
        #expect(
            saved.effect.lines == [
                "1 response set answers any request body: POST a.test/login"
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
        fixture.store.answersAnyBody = true
        _ = try fixture.store.recover(fixture.location)
        #expect(try fixture.load().responseSets[0].request.body.count == 1)
    }

    @Test func `a set that answers any body stays so`() throws {
        var fixture = try self.fixture(answersAnyBody: true)
        try fixture.record([Self.login(1, #"{"user": "ada"}"#)])
        fixture.store.answersAnyBody = false
        let saved = try fixture.record([Self.login(1, #"{"user": "eve"}"#)])
        let sets = try fixture.load().responseSets
        #expect(sets.count == 1)
        #expect(sets[0].request.body.isEmpty)
        #expect(saved.effect.anyBody == ["POST a.test/login"])
    }

    @Test func `the boundary of a multipart body and the order of a form's fields make no other body`() throws {
        let fixture = try self.fixture()
        func upload(_ boundary: String) -> RecordedExchange {
            .made(
                1,
                "POST",
                "/upload",
                text: "u",
                sends: "--\(boundary)\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n--\(boundary)--\r\n",
                sentType: "multipart/form-data; boundary=\(boundary)"
            )
        }
        func form(_ text: String) -> RecordedExchange {
            .made(2, "POST", "/form", text: "f", sends: text, sentType: "application/x-www-form-urlencoded")
        }
        try fixture.record([upload("xyz"), form("b=2&a=1&a=0")])
        let text = try fixture.text
        try fixture.record([upload("other"), form("a=1&b=2&a=0")])
        #expect(try fixture.text == text)
        try fixture.record([form("a=0&b=2&a=1")])
        #expect(try fixture.text != text)
    }
}
