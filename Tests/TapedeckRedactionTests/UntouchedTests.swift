import TapedeckCore
import TestShare
import Testing

@testable import TapedeckRedaction

@Suite struct UntouchedTests {
    static let innocent = [
        #"{"total_count":1,"items":[{"id":1296269,"node_id":"MDEwOlJlcG9zaXRvcnkxMjk2MjY5","key":"docs/readme.md"}]}"#,
        #"{"sha":"6dcb09b5b57875f334f61aebed695e2e4193db5e","etag":"W/\"abc\"","code":"validation_failed"}"#,
        #"{"id":"3f2504e0-4f89-11d3-9a0c-0305e82c3301","created":"2026-11-21T10:00:00Z","next_page_token":"CAUQAA4x8b1c2d3e"}"#,
        #"{"errors":{"password":["is too short"],"token":null,"secret":false},"max_tokens":4096,"token_type":"bearer"}"#,
        #"{"country_code":"DE","zip_code":"10115","status_code":200,"keyboard":"qwerty","author":"A. N. Author"}"#,
        "Forgot your password: click here. Basic rules: be kind. The bearer of this note is welcome.",
        "<html><head><title>Sign in</title></head><body class=\"a\"><a href=\"/x?page=2&sort=asc#top\">next</a></body></html>",
        "a,b,c\n1,2,3\n2026-11-21,10:15:00,x=1\n",
        "https://example.com/a/b?page=2&code=404&key=name&q=user@example.com",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "\u{FEFF}{\"naïve\": \"100 %\", \"path\": \"C:\\\\temp\\\\x\"}",
        "", "{", "\"\\", "%", "=", "://", "--", "{{secret.", "{{secret.a}}",
    ]

    @Test(arguments: innocent)
    func `Harmless text is unchanged byte for byte`(body: String) throws {
        #expect(try redactor().redacted(body) == body)
        #expect(try redactor().redacted(url: body) == body)
        #expect(try redactor().redacted("X-Anything", body) == body)
    }

    @Test func `A picture is recognised by its bytes or its type, and not searched`() throws {
        let redactor = try redactor()
        let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        #expect(!redactor.searches(headers: [HeaderField("Content-Type", "text/plain")], start: picture))
        #expect(!redactor.searches(headers: [HeaderField("Content-Type", "image/png")], start: [UInt8]()))
        #expect(
            redactor.searches(
                headers: [HeaderField("Content-Type", "application/octet-stream")],
                start: Array("{}".utf8)
            )
        )
        #expect(redactor.searches(headers: [], start: [UInt8]()))
    }

    @Test(arguments: seeds(300))
    func `Any bytes can be searched, and redacting twice changes nothing more`(seed: UInt64) throws {
        let pieces = [
            "\"password\":", "\"", "\\", "%41", "%", "token=", "&", "?", "https://", "u:p@", "Bearer ",
            "eyJhbGciOiJIUzI1NiJ9.",
            "{{secret.", "{{secret.a#3}}", "}}", "<password>", "</", "\\u00", "\\ud83d", "Authorization: ",
            "Cookie: a=b; ",
            "dXNlcjpwYXNzd29yZDEyMw==", "-----BEGIN PRIVATE KEY-----", "ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "Zm9x7QpL2vTs", "\r\n",
            "--B", "Content-Disposition: form-data; name=\"password\"", "1234567890123456", ":", "=", "{", "[", ",",
            " ", "é", "\u{0}",
        ]
        var source = StableBytes("fuzz", "\(seed)")
        var text = ""
        for _ in 0..<(5 + source.next() % 60) { text += pieces[Int(source.next() % UInt64(pieces.count))] }
        var bytes = Array(text.utf8)
        for _ in 0..<(source.next() % 4) where !bytes.isEmpty {
            bytes[Int(source.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: source.next())
        }
        let types = [
            "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=B", "text/plain",
        ]
        var exchange = exchange(responseHeaders: [HeaderField("Content-Type", types[Int(seed % 4)])])
        exchange.response.body = .bytes(bytes)
        exchange.url = ByteText.string(from: bytes)
        let redactor = try redactor()
        let once = try redactor.redact(exchange)
        let twice = try redactor.redact(once)
        #expect(once == twice, "\(once.url)\n\(twice.url)\n\(once.response.body.text)\n\(twice.response.body.text)")
    }
}
