import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckDeck

@Suite struct SelectionTextTests {
    private static let sets: Set<String> = ["login", "a=b", "GET x/?p=1,2", "one, two"]

    @Test(arguments: [
        ("login=offline", "login", "offline"),
        ("a=b=offline", "a=b", "offline"),
        ("GET x/?p=1,2=found", "GET x/?p=1,2", "found"),
        // No such set: the last sign parts them, so that the deck can say which set is missing.
        ("c=d=e", "c=d", "e"),
        ("login=a=b", "login", "a=b"),
    ])
    func `existing names decide where a choice is split`(
        _ text: String,
        _ set: String,
        _ variant: String
    ) throws {
        let choice = try SelectionText.choice(text, sets: Self.sets)
        #expect(choice.set == set)
        #expect(choice.variant == variant)
    }

    @Test func `only several equals signs make a choice ambiguous`() {
        #expect(!SelectionText.isAmbiguous(choice: "login=offline"))
        #expect(SelectionText.isAmbiguous(choice: "a=b=offline"))
    }

    @Test(
        arguments: [
            ("slow", "slow", []),
            ("slow=login,http://a.example", "slow", ["login", "http://a.example"]),
            ("slow=one, two", "slow", ["one, two"]),
            ("all=down", "all=down", []),
        ] as [(String, String, [String])]
    )
    func `a profile may be limited to sets and origins`(_ text: String, _ name: String, _ targets: [String]) throws {
        let profile = try SelectionText.profile(text, sets: Self.sets, profiles: ["all=down"])
        #expect(profile.name == name)
        #expect(profile.targets == targets)
    }

    @Test func `a value of the state may hold equals signs, and be empty`() throws {
        let state = try SelectionText.state("key=a=b")
        #expect(state.key == "key")
        #expect(state.value == "a=b")
        #expect(try SelectionText.state("key=").value == "")
    }

    @Test func `an invalid choice, profile or state is refused with advice`() throws {
        let choice = try #require(throws: DeckError.self) { _ = try SelectionText.choice("login", sets: []) }
        #expect(choice.description.contains("SET=VARIANT"))
        let profile = try #require(throws: DeckError.self) {
            _ = try SelectionText.profile("slow=http://a.example/path", sets: [], profiles: [])
        }
        #expect(profile.description.contains("slow=http://a.example"))
        let state = try #require(throws: DeckError.self) { _ = try SelectionText.state("=1") }
        #expect(state.description.contains("KEY=VALUE"))
        #expect([choice, profile, state].allSatisfy { $0.kind == .badOption })
    }
}

@Suite struct UnmatchedOptionTests {
    @Test func `each policy has the modes that it suits`() throws {
        #expect(try UnmatchedOption("fail").policy(in: .replay) == .fail)
        #expect(try UnmatchedOption("passthrough").policy(in: .append) == .passthrough)
        #expect(try UnmatchedOption("record").policy(in: .append) == .record)
        #expect(try UnmatchedOption("respond=404").policy(in: .replay) == .respond(Take(status: 404)))
    }

    @Test(arguments: ["passthrough", "record"])
    func `replay cannot be made to use the network`(_ text: String) throws {
        let error = try #require(throws: DeckError.self) { _ = try UnmatchedOption(text).policy(in: .replay) }
        #expect(error.kind == .badOption)
        #expect(error.description.contains("--unmatched \(text)"))
    }

    @Test(arguments: [
        "", "Fail", "respond", "respond=", "respond=abc", "respond=99", "respond=1000", "respond=+20", "fail=1",
    ])
    func `anything else is refused`(_ text: String) {
        #expect(throws: DeckError.self) { _ = try UnmatchedOption(text) }
    }
}

@Suite struct ListenerAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:1"), ("0.0.0.0", "http://127.0.0.1:1"), ("::", "http://[::1]:1"),
        ("[::1]", "http://[::1]:1"), ("deck.example", "http://deck.example:1"),
    ])
    func `clients get an address that they can connect to`(_ host: String, _ url: String) {
        #expect(ListenerAddress(host: host, port: 1).url == url)
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost"])
    func `loopback needs no token`(_ host: String) {
        #expect(ListenerAddress.isLoopback(host))
    }

    @Test(arguments: ["0.0.0.0", "::", "192.168.0.1", "127.0.0.1.example.com", "127.example", "::ffff:127.0.0.1", ""])
    func `everything else does`(_ host: String) {
        #expect(!ListenerAddress.isLoopback(host))
    }
}

@Suite struct DeckTokenTests {
    @Test func `a made token is long, and another one each time`() throws {
        let tokens = (0..<100).map { _ in DeckToken.make().value }
        #expect(Set(tokens).count == 100)
        #expect(tokens.allSatisfy { $0.count == 32 })
        #expect(throws: Never.self) { try tokens.map { text throws(DeckError) in try DeckToken(text) } }
    }

    @Test(arguments: ["", "a b", "a:b", "a@b", "a/b", "ä", "a\r\nX: y"])
    func `a token that breaks a header or a URL is refused`(_ text: String) {
        #expect(throws: DeckError.self) { _ = try DeckToken(text) }
    }
}
