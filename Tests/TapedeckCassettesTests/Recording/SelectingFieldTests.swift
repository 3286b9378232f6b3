import TapedeckCassettes
import TapedeckCore
import Testing

/// The header fields and cookies that a recording writes as conditions.
@Suite struct SelectingFieldTests {
    private static func exchange(
        _ number: Int,
        _ answer: String,
        vary: String? = nil,
        _ fields: (String, String)...
    ) -> RecordedExchange {
        var exchange = RecordedExchange.made(
            number,
            headers: vary.map { [HeaderField("Vary", $0)] } ?? [],
            body: Array(answer.utf8)
        )
        exchange.requestHeaders = fields.map { HeaderField($0.0, $0.1) }
        return exchange
    }

    /// The conditions on fields of each set, in their order.
    private static func fields(_ exchanges: RecordedExchange...) throws -> [[String]] {
        let fixture = try CassetteFixture()
        try fixture.record(exchanges)
        let text = try fixture.text
        // Recording it again changes nothing.
        try fixture.record(exchanges)
        #expect(try fixture.text == text)
        let replayed = try fixture.replay(exchanges)
        #expect(
            replayed
                == exchanges.map { exchange in
                    guard case .bytes(let body) = exchange.response.body else { return nil }
                    return String(decoding: body, as: UTF8.self)
                }
        )
        return try fixture.load().responseSets.map { set in
            (set.request.headers + set.request.cookies).map { "\($0.name) \($0.value.summary)" }
        }
    }

    @Test func `a field that Vary names selects, and one that accepts anything does not`() throws {
        #expect(
            try Self.fields(
                Self.exchange(1, "json", vary: "Accept", ("Accept", "application/json")),
                Self.exchange(2, "csv", vary: "Accept", ("Accept", "text/csv"))
            ) == [["accept application/json"], ["accept text/csv"]]
        )
        #expect(try Self.fields(Self.exchange(1, "a", vary: "Accept", ("Accept", "*/*"))) == [[]])
        #expect(try Self.fields(Self.exchange(1, "a", vary: "X-Tenant", ("X-Tenant", "t1"))) == [["x-tenant t1"]])
        #expect(try Self.fields(Self.exchange(1, "a", vary: "Accept-Encoding", ("Accept-Encoding", "gzip"))) == [[]])
    }

    @Test func `a field that identifies the client selects only if answers differ by it`() throws {
        #expect(
            try Self.fields(
                Self.exchange(1, "a", vary: "User-Agent, Origin", ("Origin", "https://x.test")),
                Self.exchange(2, "a", vary: "User-Agent, Origin", ("Origin", "https://y.test"))
            ) == [[]]
        )
        #expect(
            try Self.fields(
                Self.exchange(1, "a", vary: "Origin", ("Origin", "https://x.test")),
                Self.exchange(2, "b", vary: "Origin", ("Origin", "https://y.test"))
            ) == [["origin https://x.test"], ["origin https://y.test"]]
        )
    }

    @Test func `a credential selects if answers differ by it, and so does its absence`() throws {
        let ada = ("Authorization", "Bearer {{secret.authorization}}")
        let bob = ("Authorization", "Bearer {{secret.authorization-2}}")
        let fields = try Self.fields(
            Self.exchange(1, "none"),
            Self.exchange(2, "ada", ada),
            Self.exchange(3, "bob", bob)
        )
        #expect(
            Set(fields) == [
                ["authorization no value"], ["authorization Bearer {{secret.authorization}}"],
                ["authorization Bearer {{secret.authorization-2}}"],
            ]
        )
        #expect(try Self.fields(Self.exchange(1, "same", ada), Self.exchange(2, "same", bob)) == [[]])
        let cookie = ("Cookie", "sid={{secret.sid}}; theme=dark")
        #expect(
            try Self.fields(Self.exchange(1, "out"), Self.exchange(2, "in", cookie))
                == [["sid no value"], ["sid {{secret.sid}}"]]
        )
    }

    @Test func `a credential of each request does not select`() throws {
        let signed = (1...2).map { ("Authorization", "AWS4-HMAC-SHA256 Signature={{secret.signature-\($0)}}") }
        #expect(try Self.fields(Self.exchange(1, "a", signed[0]), Self.exchange(2, "b", signed[1])) == [[]])
        let tokens = (1...5).map { Self.exchange($0, "\($0)", ("Authorization", "Bearer {{secret.token-\($0)}}")) }
        let fixture = try CassetteFixture()
        try fixture.record(tokens)
        #expect(try fixture.load().responseSets.count == 1)
    }

    @Test func `fields that say what a request does select always, chosen ones if answers differ`() throws {
        #expect(
            try Self.fields(Self.exchange(1, "a", ("X-Amz-Target", "Table.Get"))) == [["x-amz-target Table.Get"]]
        )
        #expect(
            try Self.fields(
                Self.exchange(1, "a", ("X-Tenant-Id", "red")),
                Self.exchange(2, "b", ("X-Tenant-Id", "blue"))
            )
                == [["x-tenant-id blue"], ["x-tenant-id red"]]
        )
        #expect(
            try Self.fields(
                Self.exchange(1, "a", ("X-Call", "7f3c1a9be2d4")),
                Self.exchange(2, "b", ("X-Call", "0a1b2c3d4e5f"))
            )
                == [[]]
        )
        #expect(
            try Self.fields(
                Self.exchange(1, "a", ("X-Retry-Count", "none")),
                Self.exchange(2, "b", ("X-Retry-Count", "one"))
            )
                == [[]]
        )
    }
}
