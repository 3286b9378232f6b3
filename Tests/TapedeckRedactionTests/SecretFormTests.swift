import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// A secret that one place gives away is found in every form and every other place.
@Suite struct SecretFormTests {
    static let secret = "s3cr3t+V4lue/9xQ=="

    static let forms: [(name: String, text: String)] = {
        let bytes = Array(Self.secret.utf8)
        func base64(_ text: String) -> String { String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) }
        return [
            ("raw", Self.secret),
            ("percent", "s3cr3t%2BV4lue%2f9xQ%3D%3D"),
            ("base64", base64(Self.secret)),
            ("base64url", String(decoding: Base64.encodeURL(bytes), as: UTF8.self)),
            ("base64 behind one byte", base64("u:\(Self.secret)")),
            ("base64 behind two bytes", base64("us:\(Self.secret)")),
            ("base64 behind three bytes", base64("use:\(Self.secret):x")),
            ("json", #"s3cr3t+V4lue\/9xQ=="#),
            ("json units", #"s3cr3t\u002bV4lue/9xQ=="#),
        ]
    }()

    static let places: [@Sendable (String) -> RecordedExchange] = [
        { exchange(url: "https://h/a/\($0)/b") },
        { exchange(url: "https://h/?x=\($0)&y=1") },
        { exchange(headers: [HeaderField("X-Trace", "a \($0) b")]) },
        { exchange(responseHeaders: [HeaderField("Location", "https://h/?x=\($0)")]) },
        { exchange(body: "some text \($0) more") },
        { exchange(responseBody: #"{"a":["\#($0)"],"b":1}"#) },
        { exchange(responseBody: #"{"a":"{\"b\":\"\#($0)\"}"}"#) },
        { exchange(headers: [HeaderField("Content-Type", "application/x-www-form-urlencoded")], body: "a=\($0)&b=2") },
        {
            exchange(
                headers: [HeaderField("Content-Type", "multipart/form-data; boundary=B")],
                body: "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\($0)\r\n--B--\r\n"
            )
        },
        {
            var exchange = exchange(responseHeaders: [HeaderField("Content-Encoding", "gzip")])
            exchange.response.body = .bytes((try? ContentCoder.encode(Array("x \($0) y".utf8), .gzip)) ?? [])
            return exchange
        },
    ]

    @Test(arguments: forms.indices, places.indices)
    func `A known secret is found in every form in every place`(form: Int, place: Int) throws {
        let redactor = try redactor()
        let first = try redactor.redact(exchange(responseBody: #"{"access_token":"\#(Self.secret)"}"#))
        #expect(first.response.body.text.contains("{{secret.access_token#1}}"))
        let text = Self.forms[form].text
        let redacted = try redactor.redact(Self.places[place](text))
        #expect(!redacted.everything.contains(text), "\(redacted.everything)")
        #expect(redacted.everything.contains("{{secret."), "\(redacted.everything)")
        #expect(
            redacted.everything.contains("#1") || Self.forms[form].name.contains("behind"),
            "\(redacted.everything)"
        )
        #expect(try redactor.redact(redacted) == redacted)
    }

    @Test func `A secret discovered later is redacted in earlier text`() throws {
        let token = "Zm9x7QpL2vTs8RwKd4Nb"
        let redactor = try redactor()
        let early = try redactor.redact(exchange(url: "https://h/\(token)"))
        #expect(early.url.contains(token))
        let known = redactor.vault.count
        let late = try redactor.redact(
            exchange(url: "https://h/\(token)", responseBody: #"{"access_token":"\#(token)"}"#)
        )
        #expect(late.url == "https://h/{{secret.access_token#1}}")
        #expect(redactor.vault.count > known)
        #expect(redactor.redactLiterals(early).url == "https://h/{{secret.access_token#1}}")
    }

    @Test func `Each secret has its own placeholder, and the same one every time`() throws {
        let redactor = try redactor()
        let body = #"{"access_token":"first-token-1a2b3c","refresh_token":"second-token-4d5e6f"}"#
        let redacted = try redactor.redact(exchange(responseBody: body))
        #expect(
            redacted.response.body.text
                == #"{"access_token":"{{secret.access_token#1}}","refresh_token":"{{secret.refresh_token#2}}"}"#
        )
        let later = try redactor.redact(exchange(headers: [HeaderField("Authorization", "Bearer first-token-1a2b3c")]))
        #expect(later.requestHeaders[0].value == "Bearer {{secret.authorization#1}}")
        #expect(SecretVault.isGeneric("authorization"))
    }

    @Test func `The password in Basic credentials is redacted elsewhere`() throws {
        let redactor = try redactor()
        let word = String(decoding: Base64.encode(Array("aladdin:0pen-5esame-77-Qx4".utf8)), as: UTF8.self)
        let redacted = try redactor.redact(
            exchange(
                headers: [HeaderField("Authorization", "Basic \(word)")],
                responseBody: "you said 0pen-5esame-77-Qx4"
            )
        )
        #expect(redacted.response.body.text.hasPrefix("you said {{secret.password#"))
    }

    @Test func `A cookie that is a word leaves other words alone`() throws {
        let redactor = try redactor()
        _ = try redactor.redact(
            exchange(headers: [HeaderField("Cookie", "theme=anonymous; lang=en-US-posix; v=dark-mode-v2")])
        )
        let text = "anonymous in en-US-posix with dark-mode-v2"
        #expect(try redactor.redacted(text) == text)
    }

    @Test func `Sizes of pieces follow the redacted body`() throws {
        var exchange = exchange()
        let parts = [#"data: {"access_token":"Zm9"#, #"x7QpL2vTs8"}"#, "\n\ndata: x\n\n"]
        exchange.response.body = .bytes(Array(parts.joined().utf8))
        exchange.response.pieces = parts.map { RecordedPiece(size: $0.utf8.count, time: 5) }
        let redacted = try redactor().redact(exchange)
        #expect(redacted.response.body.text == "data: {\"access_token\":\"{{secret.access_token#1}}\"}\n\ndata: x\n\n")
        let sizes = redacted.response.pieces.map(\.size)
        #expect(sizes == [#"data: {"access_token":"{{secret.access_token#1}}"#.utf8.count, 2, 11])
        #expect(sizes.reduce(0, +) == redacted.response.body.bytes.count)
    }

    @Test func `A truncated compressed body is redacted as far as it goes`() throws {
        let text = #"{"password":"hunter2-hunter2","more":"\#(String(repeating: "lorem ipsum ", count: 50))"}"#
        var exchange = exchange(responseHeaders: [HeaderField("Content-Encoding", "gzip")])
        exchange.response.body = .bytes(try ContentCoder.encode(Array(text.utf8), .gzip).dropLast(9))
        let redacted = try redactor().redact(exchange).response.body.bytes
        let decoded = try ContentCoder.decodeStart(redacted, .gzip, limit: 1 << 20).content
        #expect(String(decoding: decoded, as: UTF8.self).hasPrefix(#"{"password":"{{secret.password#1}}""#))
        #expect(throws: ContentCoder.Problem.self) { try ContentCoder.decode(redacted, .gzip, limit: 1 << 20) }
    }

    @Test func `A body beyond the limit is refused, unless the option allows it`() throws {
        var redactor = try redactor()
        redactor.bodyLimit = 1000
        let large = exchange(responseBody: String(repeating: "text ", count: 300))
        #expect(throws: RedactionFailure(.tooLarge(limit: 1000))) { try redactor.redact(large) }
        var bomb = exchange(responseHeaders: [HeaderField("Content-Encoding", "gzip")])
        bomb.response.body = .bytes(try ContentCoder.encode([UInt8](repeating: 0x20, count: 100_000), .gzip))
        #expect(throws: RedactionFailure(.tooLarge(limit: 1000))) { try redactor.redact(bomb) }
        redactor.allowsUnscanned = true
        #expect(try redactor.redact(large) == large)
        #expect(try redactor.redact(bomb) == bomb)
    }

    @Test func `A text for a log has names without numbers`() throws {
        let redactor = try redactor()
        let text = "GET https://h/?api_key=k3y7QpL2vTs8: failed for k3y7QpL2vTs8 {{secret.token#4}}"
        let redacted = "GET https://h/?api_key={{secret.api_key}}: failed for {{secret.api_key}} {{secret.token}}"
        #expect(redactor.text(text) == redacted)
        #expect(redactor.vault.count == 0)
    }
}
