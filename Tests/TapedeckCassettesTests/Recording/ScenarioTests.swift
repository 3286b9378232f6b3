import TapedeckCassettes
import TapedeckCore
import Testing

/// Recordings that are saved as a variant, with the profile that selects it.
@Suite struct ScenarioTests {
    /// Returns a cassette with the answers `a` and `b`, and a person's comment.
    private static func recorded() throws -> CassetteFixture {
        var fixture = try CassetteFixture()
        fixture.cleans = true
        try fixture.record([.made(1, "GET", "/a", text: "a"), .made(2, "GET", "/b", text: "b")])
        try fixture.folder.write("# Ours.\n" + (try fixture.text), to: "api.yaml")
        return fixture
    }

    private static func variants(_ fixture: CassetteFixture) throws -> [String: [String]] {
        try fixture.load().responseSets.reduce(into: [:]) { $0[$1.name] = $1.variants.map(\.name) }
    }

    @Test func `only answers that differ become the variant, and a profile selects them`() throws {
        let fixture = try Self.recorded()
        let text = try fixture.text
        let saved = try fixture.record(
            [.made(1, "GET", "/a", text: "none left"), .made(2, "GET", "/b", text: "b", time: 1_800_000_000)],
            variant: "out of stock"
        )
        #expect(saved.effect.same == ["GET a.test/b"])
        #expect(saved.exchanges == 1)
        #expect(try fixture.bodies(of: "GET a.test/a") == ["a"])
        #expect(try fixture.bodies(of: "GET a.test/a", variant: "out of stock") == ["none left"])
        #expect(try Self.variants(fixture)["GET a.test/b"] == ["recorded"])
        #expect(
            try fixture.load().profiles == [
                Profile(name: "out of stock", choices: [.init(.set("GET a.test/a"), "out of stock")])
            ]
        )
        // Every line that was there is there still, in its order.
        var rest = try fixture.text.split(separator: "\n")[...]
        for line in text.split(separator: "\n") {
            let place = try #require(rest.firstIndex(of: line))
            rest = rest[(place + 1)...]
        }
    }

    @Test func `recording again rewrites only the variant, and removes it where it is no longer requested`() throws {
        let fixture = try Self.recorded()
        try fixture.record([.made(1, "GET", "/a", text: "one")], variant: "other")
        try fixture.record(
            [.made(1, "GET", "/a", text: "one"), .made(2, "GET", "/c", text: "new")],
            variant: "busy"
        )
        #expect(try fixture.bodies(of: "GET a.test/c", variant: "busy") == ["new"])
        let before = try fixture.text
        try fixture.record(
            [.made(1, "GET", "/a", text: "one"), .made(2, "GET", "/c", text: "new")],
            variant: "busy"
        )
        #expect(try fixture.text == before)
        let saved = try fixture.record([.made(1, "GET", "/b", text: "two")], variant: "busy")
        #expect(saved.effect.removed == ["GET a.test/a", "GET a.test/c"])
        #expect(
            try Self.variants(fixture) == [
                "GET a.test/a": ["recorded", "other"], "GET a.test/b": ["recorded", "busy"],
            ]
        )
        #expect(try fixture.load().profiles.map(\.choices.count) == [1, 1])
        #expect(try fixture.text.hasPrefix("# Ours.\n"))
    }

    @Test func `a failed command removes no variants`() throws {
        let fixture = try Self.recorded()
        try fixture.record([.made(1, "GET", "/a", text: "x"), .made(2, "GET", "/b", text: "y")], variant: "busy")
        let saved = try fixture.record([.made(1, "GET", "/a", text: "z")], variant: "busy", commandFailed: true)
        #expect(saved.effect.unreached == ["GET a.test/b"])
        #expect(try fixture.bodies(of: "GET a.test/a", variant: "busy") == ["z"])
        #expect(try fixture.bodies(of: "GET a.test/b", variant: "busy") == ["y"])
    }

    @Test func `an interrupted recording of a variant is recovered as that variant`() throws {
        let fixture = try Self.recorded()
        try fixture.interrupt([.made(1, "GET", "/a", text: "x")], variant: "busy")
        _ = try fixture.store.recover(fixture.location)
        #expect(try fixture.bodies(of: "GET a.test/a") == ["a"])
        #expect(try fixture.bodies(of: "GET a.test/a", variant: "busy") == ["x"])
        // The next recording has its own.
        try fixture.record([.made(1, "GET", "/a", text: "new"), .made(2, "GET", "/b", text: "b")])
        #expect(try fixture.bodies(of: "GET a.test/a") == ["new"])
        #expect(try fixture.bodies(of: "GET a.test/a", variant: "busy") == ["x"])
    }

    @Test func `a set that only scenarios have requested gets its default in front of them`() throws {
        let fixture = try Self.recorded()
        try fixture.record([.made(1, "GET", "/c", text: "x")], variant: "busy")
        try fixture.record([.made(1, "GET", "/a", text: "a"), .made(2, "GET", "/b", text: "b")])
        #expect(try Self.variants(fixture)["GET a.test/c"] == ["busy"])
        try fixture.record([.made(1, "GET", "/c", text: "usual")])
        #expect(try Self.variants(fixture)["GET a.test/c"] == ["recorded", "busy"])
        #expect(try fixture.bodies(of: "GET a.test/c", variant: "busy") == ["x"])
    }

    @Test func `manual sets and variants stay`() throws {
        let fixture = try CassetteFixture(
            """
            tapedeck: 1
            responseSets:
              - name: login
                request:
                  method: POST
                  url: https://a.test/login
                variants:
                  - name: usual
                    takes:
                      - status: 200
                  - name: locked
                    takes:
                      - status: 423 # By hand.
            profiles:
              # For the demo.
              demo:
                login: usual
            """ + "\n"
        )
        var wrong = RecordedExchange.made(1, "POST", "/login", text: "no", sends: "password=x")
        wrong.response.status = 401
        let text = try fixture.text
        let kept = try fixture.record([wrong], variant: "locked")
        #expect(kept.effect.handwritten == ["login"])
        #expect(try fixture.text == text + "  locked:\n    login: locked\n")
        try fixture.record([wrong], variant: "wrong password")
        let login = try #require(try fixture.load().responseSets.first)
        #expect(login.variants.map(\.name) == ["usual", "locked", "wrong password"])
        #expect(login.variants[2].takes.map(\.status) == [401])
        #expect(try fixture.load().profiles.map(\.name) == ["demo", "locked", "wrong password"])
        #expect(try fixture.text.contains("  # For the demo.\n"))
        #expect(try fixture.text.contains("423 # By hand.\n"))
    }

    @Test(arguments: ["", "a=b", "offline", "a\nb"])
    func `names that are invalid for a profile are rejected`(_ name: String) {
        #expect(throws: ScenarioName.Invalid.self) { try ScenarioName(name) }
    }
}
