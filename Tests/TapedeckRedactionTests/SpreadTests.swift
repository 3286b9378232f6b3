import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// The places in which a secret that one place gives away is looked for.
@Suite struct SpreadTests {
    @Test(arguments: ["Uint8Array", "x86_64-linux", "password1", "test1234", "camelCaseName", "localhost", "hunter2"])
    func `Words and identifiers are redacted only in their own place`(password: String) throws {
        let redactor = try redactor()
        let body = #"{"password":"\#(password)"}"#
        #expect(try redactor.redacted(request: body) == #"{"password":"{{secret.password#1}}"}"#)
        let text = "new \(password)(8) \(password)"
        #expect(try redactor.redacted(text) == text)
    }

    @Test func `A short secret is found as a whole word, also after an escape`() throws {
        let redactor = try redactor()
        _ = try redactor.redacted("X-Api-Key", "k7Qp2Lv9sT")
        for text in ["k7Qp2Lv9sTx", "xk7Qp2Lv9sT", "_k7Qp2Lv9sT"] {
            #expect(try redactor.redacted(text) == text)
        }
        for text in ["a k7Qp2Lv9sT.", "%20k7Qp2Lv9sT", #"["a\nk7Qp2Lv9sT"]"#, #"["\u00e9k7Qp2Lv9sT"]"#] {
            #expect(try !redactor.redacted(text).contains("k7Qp2Lv9sT"), "\(text)")
        }
    }

    @Test func `A bearer token is found in a binary body of the same request, and is played in its length`() throws {
        let token = "Zm9x7QpL2vTs8RwKd4NbZm9x7QpL2vTs8RwKd4NbZm9x7QpL2vTs8RwKd4NbZm9x7QpL2vTs"
        let before: [UInt8] = [0x0A, UInt8(token.utf8.count)]
        let after: [UInt8] = [0x10, 0x96, 0x01, 0xFF, 0x00]
        var exchange = exchange(headers: [
            HeaderField("Authorization", "Bearer \(token)"), HeaderField("Content-Type", "application/x-protobuf"),
        ])
        exchange.requestBody = .bytes(before + Array(token.utf8) + after)
        exchange.response.body = .bytes([0x00, 0xFF] + Array("ghp_0123456789abcdefghijABCDEFGHIJ012345".utf8) + [0x01])
        let redactor = try redactor()
        let redacted = try redactor.redact(exchange)
        #expect(redacted.requestBody.bytes == before + Array("{{secret.authorization#1}}".utf8) + after)
        #expect(redacted.response.body.bytes == [0x00, 0xFF] + Array("{{secret.github_token#2}}".utf8) + [0x01])
        #expect(redactor.vault.shape(1).value(for: "a").utf8.count == token.utf8.count)
        let request = redactor.redact(
            url: "https://h/",
            fields: exchange.requestHeaders,
            body: exchange.requestBody.bytes
        )
        #expect(request.body == redacted.requestBody.bytes)
    }
}
