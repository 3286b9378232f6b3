import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckDeck

/// The environment variables of the deck that a cassette may name.
@Suite struct VariableAccessTests {
    private static func cassette(_ path: String, _ variables: String..., rule: String? = nil) -> Cassette {
        var cassette = Cassette(name: "a", path: path, responseSets: [])
        cassette.secrets = variables.map { SecretDescription(name: $0.lowercased(), environment: $0) }
        if let rule { cassette.redaction.rules = [RedactionRule(place: .environment(rule))] }
        return cassette
    }

    private static func named(_ cassette: Cassette) -> [String] {
        cassette.secrets.compactMap(\.environment)
            + cassette.redaction.rules.compactMap { rule in
                if case .environment(let name) = rule.place { name } else { nil }
            }
    }

    private static func access(_ change: (inout DeckConfiguration) -> Void = { _ in }) -> VariableAccess {
        var configuration = DeckConfiguration.replay(["github"], folder: "tapes")
        change(&configuration)
        return VariableAccess(configuration)
    }

    @Test func `a cassette of the start keeps the variables that it names then, and gets no others later`() {
        let access = Self.access()
        let first = access.restricted(Self.cassette("tapes/github.yaml", "KEY", rule: "OTHER"))
        #expect(Self.named(first.cassette) == ["KEY", "OTHER"])
        #expect(first.refused.isEmpty)
        access.endStart()
        // Pushed over it.
        let second = access.restricted(Self.cassette("tapes/github.yaml", "KEY", "LANG", rule: "PATH"))
        #expect(Self.named(second.cassette) == ["KEY"])
        #expect(second.refused == ["LANG", "PATH"])
        #expect(second.cassette.secrets.map(\.name) == ["key", "lang"])
    }

    @Test(arguments: ["tapes/other.yaml", "session:1234/github.yaml"])
    func `another cassette gets no value, before and after the start`(_ path: String) {
        let access = Self.access()
        for _ in 0..<2 {
            let result = access.restricted(Self.cassette(path, "KEY", rule: "OTHER"))
            #expect(Self.named(result.cassette).isEmpty)
            #expect(result.refused == ["KEY", "OTHER"])
            access.endStart()
        }
    }

    @Test func `a variable that is allowed by name is for every cassette`() {
        let access = Self.access { $0.secretVariables = ["KEY"] }
        access.endStart()
        let result = access.restricted(Self.cassette("session:1234/a.yaml", "KEY", "LANG"))
        #expect(Self.named(result.cassette) == ["KEY"])
    }

    @Test(arguments: [("127.0.0.1", ["HOME"]), ("0.0.0.0", [])])
    func `what tells which machine it is is for every cassette, unless others reach the deck`(
        _ host: String,
        _ named: [String]
    ) {
        let access = Self.access { $0.host = host }
        access.endStart()
        let result = access.restricted(Self.cassette("session:1234/a.yaml", "HOME"))
        #expect(Self.named(result.cassette) == named)
        #expect(result.refused.isEmpty)
    }

    @Test func `no variable of Tapedeck's own is for any cassette`() {
        let access = Self.access { $0.secretVariables = ["TAPEDECK_TOKEN"] }
        let result = access.restricted(Self.cassette("tapes/github.yaml", "TAPEDECK_TOKEN"))
        #expect(result.refused == ["TAPEDECK_TOKEN"])
    }

    @Test func `in a test's process every cassette on disk may be named, but not one sent with a session`() {
        let access = Self.access { $0.takesPaths = true }
        access.endStart()
        #expect(access.restricted(Self.cassette("/tests/a.yaml", "KEY")).refused.isEmpty)
        #expect(access.restricted(Self.cassette("session:1/a.yaml", "KEY")).refused == ["KEY"])
    }
}
