import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckCassettes

/// The final names of a recording's secrets.
@Suite struct SecretNumberingTests {
    private static func exchange(_ number: Int, _ target: String, _ text: String) -> RecordedExchange {
        .made(number, "GET", target, text: text)
    }

    /// The exchanges with final names, and what is known of the secrets in them.
    private static func numbered(
        _ exchanges: [RecordedExchange],
        shapes: [Int: String] = [:],
        known: [SecretDescription] = [],
        taken: Set<String> = []
    ) -> (exchanges: [RecordedExchange], secrets: [SecretDescription]) {
        var numbering = SecretNumbering()
        for exchange in exchanges { numbering.note(exchange) }
        numbering.finish(traits: shapes.mapValues { SecretTraits(shape: $0) }, known: known, taken: taken)
        return (exchanges.map { numbering.named($0) }, numbering.secrets)
    }

    private static func text(_ exchange: RecordedExchange) -> String {
        guard case .bytes(let bytes) = exchange.response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The first secret has the plain name, others a numbered one, and equal secrets the same name")
    func names() {
        let numbering = Self.numbered(
            [
                Self.exchange(1, "/a", "{{secret.ticket#9}} {{secret.pin#4}}"),
                Self.exchange(2, "/b", "{{secret.ticket#2}} {{secret.other#9}}"),
            ],
            shapes: [9: "jwt", 2: "uuid"]
        )
        #expect(
            numbering.exchanges.map(Self.text) == [
                "{{secret.ticket}} {{secret.pin}}", "{{secret.ticket-2}} {{secret.ticket}}",
            ]
        )
        #expect(
            numbering.secrets == [
                SecretDescription(name: "pin"), SecretDescription(name: "ticket", shape: "jwt"),
                SecretDescription(name: "ticket-2", shape: "uuid"),
            ]
        )
    }

    @Test("The order of two requests does not change names")
    func interleaving() {
        func recorded(aFirst: Bool) -> [String] {
            let (first, second) = aFirst ? (1, 2) : (2, 1)
            // Numbers of secrets come in the order of the exchanges.
            let exchanges = [
                Self.exchange(first, "/a?key={{secret.key#\(first)}}", "{{secret.token#\(first + 2)}}"),
                Self.exchange(second, "/b?key={{secret.key#\(second)}}", "{{secret.token#\(second + 2)}}"),
            ].sorted { $0.number < $1.number }
            return Self.numbered(exchanges).exchanges.map { "\($0.url) \(Self.text($0))" }.sorted()
        }
        #expect(recorded(aFirst: true) == recorded(aFirst: false))
        #expect(
            recorded(aFirst: true) == [
                "https://a.test/a?key={{secret.key}} {{secret.token}}",
                "https://a.test/b?key={{secret.key-2}} {{secret.token-2}}",
            ]
        )
    }

    @Test("Users of tokens are numbered like the tokens, in any order")
    func users() {
        func token(_ user: Int) -> String {
            #"jwt [{"alg":"HS256"},{"sub":"user-\#(user)","email":"user-\#(user)@example.com","exp":4102444800}]"#
        }
        let numbering = Self.numbered(
            [
                Self.exchange(1, "/b", "{{secret.b#1}} {{secret.c#2}}"),
                Self.exchange(2, "/a", "{{secret.a#3}} {{secret.d#4}}"),
            ],
            shapes: [
                1: token(1), 2: token(2), 3: token(2),
                4: #"jwt [{"alg":"HS256"},{"sub":"{{secret.c#2}}","name":"User 3"}]"#,
            ]
        )
        #expect(
            numbering.secrets.map(\.shape) == [
                token(1), token(3), token(1), #"jwt [{"alg":"HS256"},{"sub":"{{secret.c}}","name":"User 2"}]"#,
            ]
        )
    }

    @Test("Requests of one URL are ordered by their bodies")
    func bodies() {
        func recorded(annFirst: Bool) -> [String] {
            let (ann, bob) = annFirst ? (1, 2) : (2, 1)
            return Self.numbered(
                [(ann, "ann"), (bob, "bob")].map { number, user in
                    RecordedExchange.made(
                        number,
                        "POST",
                        "/login",
                        text: "\(user) {{secret.token#\(number)}}",
                        sends: "user=\(user)&password={{secret.password#\(number + 2)}}"
                    )
                }.sorted { $0.number < $1.number }
            ).exchanges.map(Self.text).sorted()
        }
        #expect(recorded(annFirst: true) == ["ann {{secret.token}}", "bob {{secret.token-2}}"])
        #expect(recorded(annFirst: false) == recorded(annFirst: true))
    }

    @Test("A name for the kind of secret replaces one for how it was sent")
    func telling() {
        let numbering = Self.numbered([
            Self.exchange(1, "/a", "{{secret.bearer#1}}"), Self.exchange(2, "/b", "{{secret.access_token#1}}"),
            Self.exchange(3, "/c", "{{secret.session#1}}"), Self.exchange(4, "/d", "{{secret.bearer#2}}"),
        ])
        #expect(
            numbering.exchanges.map(Self.text) == [
                "{{secret.access_token}}", "{{secret.access_token}}", "{{secret.access_token}}", "{{secret.bearer}}",
            ]
        )
    }

    @Test("Names in use are not assigned again, and a name without a number stays")
    func taken() {
        let numbering = Self.numbered(
            [Self.exchange(1, "/a", "{{secret.token#1}} {{secret.key}} {{secret.key#2}}")],
            known: [SecretDescription(name: "key", environment: "KEY")],
            taken: ["token", "token-2"]
        )
        #expect(Self.text(numbering.exchanges[0]) == "{{secret.token-3}} {{secret.key}} {{secret.key-2}}")
        #expect(numbering.secrets.map(\.name) == ["key", "key-2", "token-3"])
        #expect(numbering.secrets[0].environment == "KEY")
    }

    @Test("Secrets have their names in every part of an exchange and in every form")
    func places() throws {
        let mark = "{{secret.k#1}}"
        var exchange = RecordedExchange.made(
            1,
            "POST",
            "/\(mark)?k={{secret.k#1:percent}}",
            headers: [HeaderField("Location", "/x?\(mark)"), HeaderField("Content-Encoding", "gzip")],
            body: try ContentCoder.encode(Array("a \(mark) b".utf8), .gzip),
            sends: Array("k=\(mark)".utf8)
        )
        exchange.requestHeaders = [HeaderField("Authorization", "Basic {{secret.k#1:base64}}")]
        exchange.response.reason = mark
        exchange.response.interim = [Take.Interim(status: 103, headers: [HeaderField("Link", mark)])]
        exchange.response.trailers = [HeaderField("X", mark)]
        exchange.response.detail = "at \(mark)"
        let named = Self.numbered([exchange]).exchanges[0]
        #expect(named.url == "https://a.test/{{secret.k}}?k={{secret.k:percent}}")
        #expect(named.requestHeaders.map(\.value) == ["Basic {{secret.k:base64}}"])
        #expect(named.requestBody == .bytes(Array("k={{secret.k}}".utf8)))
        #expect(named.response.headers.first(named: "location") == "/x?{{secret.k}}")
        #expect(named.response.reason == "{{secret.k}}")
        #expect(named.response.interim[0].headers[0].value == "{{secret.k}}")
        #expect(named.response.trailers[0].value == "{{secret.k}}")
        #expect(named.response.detail == "at {{secret.k}}")
        guard case .bytes(let body) = named.response.body else { return }
        #expect(try ContentCoder.decode(body, .gzip, limit: 1_000) == Array("a {{secret.k}} b".utf8))
    }

    @Test("The pieces of a slow body stay cut where they were")
    func pieces() {
        var exchange = Self.exchange(1, "/", "id: {{secret.k#1}}\n\nid: 2\n\n")
        exchange.response.pieces = [RecordedPiece(size: 20, time: 0), RecordedPiece(size: 7, time: 100)]
        let named = Self.numbered([exchange]).exchanges[0]
        #expect(Self.text(named) == "id: {{secret.k}}\n\nid: 2\n\n")
        #expect(named.response.pieces.map(\.size) == [18, 7])
    }

    @Test("Text without secrets stays unchanged, byte for byte")
    func others() throws {
        let exchanges = [
            RecordedExchange.made(1, body: [0xFF, 0x7B, 0x7B, 0x00]),
            Self.exchange(2, "/", "{{secret.}} {{any}} {{secret.a#}}"),
            RecordedExchange.made(3, headers: [HeaderField("Content-Encoding", "gzip")], body: Array("no gzip".utf8)),
        ]
        let numbering = Self.numbered(exchanges)
        #expect(numbering.exchanges == exchanges)
        #expect(numbering.secrets.isEmpty)
    }
}
