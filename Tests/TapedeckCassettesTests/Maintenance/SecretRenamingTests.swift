import TapedeckCodings
import TapedeckCore
import TapedeckMaintenance
import Testing

@testable import TapedeckCassettes

/// The names of secrets in new answers.
@Suite struct SecretRenamingTests {
    private static func cassette(_ takes: [String], secrets: [String] = []) -> (cassette: Cassette, takes: [Take]) {
        let takes = takes.map { Take(body: .inline(InlineBody(form: .text, content: Array($0.utf8)))) }
        let set = ResponseSet(
            name: "a",
            request: RequestMatcher(),
            variants: [Variant(name: "recorded", takes: takes)]
        )
        var cassette = Cassette(name: "x", responseSets: [set])
        cassette.secrets = secrets.map { SecretDescription(name: $0) }
        return (cassette, takes)
    }

    private static func text(_ exchange: RecordedExchange) -> String {
        guard case .bytes(let bytes) = exchange.response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The answers of a refresh, with their final names.
    private static func renamed(_ old: [String], _ new: [String], secrets: [String] = []) -> [String] {
        let (cassette, takes) = self.cassette(old, secrets: secrets)
        let source = Array(old.joined(separator: "\n").utf8)
        var renaming = SecretRenaming(cassette, source: source)
        return zip(takes, new).map { take, text in self.text(renaming.renamed(.made(text: text), as: take)) }
    }

    @Test(
        "A fresh secret gets the name that the tape has in its place",
        arguments: [
            (["{{secret.token}}"], ["{{secret.token#9}}"], ["{{secret.token}}"]),
            (["{{secret.token-2}} {{secret.token}}"], ["{{secret.token#1}} {{secret.token#2}}"], nil),
            // One secret in two takes.
            (["{{secret.key-3}}", "{{secret.key-3}}"], ["{{secret.key#4}}", "{{secret.key#4}}"], nil),
            (["{{secret.key:base64}} {{secret.key}}"], ["{{secret.key#4:base64}} {{secret.key#4}}"], nil),
            // Each kind by itself.
            (["{{secret.a}} {{secret.b}}"], ["{{secret.b#1}} {{secret.a#2}}"], ["{{secret.b}} {{secret.a}}"]),
            // Another place gives it a better name.
            (["{{secret.session}}"], ["{{secret.jwt#3}}"], ["{{secret.session}}"]),
            // Known by its name.
            (["{{secret.token}}"], ["{{secret.token}} {{secret.other}}"], ["{{secret.token}} {{secret.other}}"]),
            (["none"], ["none"], nil),
        ] as [([String], [String], [String]?)]
    )
    func places(old: [String], new: [String], expected: [String]?) {
        #expect(Self.renamed(old, new) == expected ?? old)
    }

    @Test("A second secret in the place of a name that is taken in this refresh gets an unused name")
    func conflicts() {
        let old = ["{{secret.token}} {{secret.token}}", "{{secret.token-2}}"]
        #expect(
            Self.renamed(old, ["{{secret.token#1}} {{secret.token#2}}", "{{secret.token#3}}"], secrets: ["token-3"])
                == [
                    "{{secret.token}} {{secret.token-4}}", "{{secret.token-2}}",
                ]
        )
        #expect(Self.renamed(["no secret"], ["{{secret.token#1}}"]) == ["{{secret.token}}"])
        #expect(Self.renamed(["no secret", "{{secret.token}}"], ["{{secret.token#1}}"]) == ["{{secret.token-2}}"])
    }

    @Test("A secret in a compressed body is renamed, too")
    func packed() throws {
        let (cassette, takes) = Self.cassette(["{{secret.token-2}}"])
        var renaming = SecretRenaming(cassette, source: [])
        let renamed = renaming.renamed(
            .made(
                headers: [HeaderField("Content-Encoding", "gzip")],
                body: try ContentCoder.encode(Array("{{secret.token#1}}".utf8), .gzip)
            ),
            as: takes[0]
        )
        guard case .bytes(let body) = renamed.response.body else { return }
        #expect(try ContentCoder.decode(body, .gzip, limit: 100) == Array("{{secret.token-2}}".utf8))
        #expect(renaming.names == [1: "token-2"])
    }
}
