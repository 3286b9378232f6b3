import TapedeckCore
import TapedeckHTTP1
import Testing

@testable import TapedeckSessions

@Suite struct SessionKeyTests {
    private func credentials(_ value: String) -> SessionKey? {
        Array(value.utf8).withUnsafeBytes { SessionKey(credentials: $0) }
    }

    @Test(arguments: [("abc", "abc", nil), ("abc:", "abc", nil), ("abc:d:e", "abc", "d:e"), ("", "", nil)])
    func aKeyIsAnIdWithAnOptionalToken(_ text: String, _ id: String, _ token: String?) {
        let key = SessionKey(Array(text.utf8))
        #expect(key.id == id)
        #expect(key.token == token)
    }

    @Test func basicCredentialsHoldAKey() {
        #expect(self.credentials("Basic YWJjOmRlZg==") == SessionKey(Array("abc:def".utf8)))
        #expect(self.credentials("bAsIc  YWJjOg==") == SessionKey(Array("abc".utf8)))
        #expect(self.credentials("Bearer YWJjOg==") == nil)
        #expect(self.credentials("Basic ?") == nil)
        #expect(self.credentials("Basic") == nil)
    }

    @Test func secretsAreCompared() {
        #expect("abc".isSameSecret(as: "abc"))
        #expect(!"abc".isSameSecret(as: "abd"))
        #expect(!"abc".isSameSecret(as: "ab"))
    }

    @Test func fieldsForTapedeckAreLeftOutOfTheFields() throws {
        let head =
            "GET /a HTTP/1.1\r\nHost: a\r\nx-tapedeck-SESSION: abc\r\nX-A: 1\r\n"
            + "Proxy-Authorization: Basic YTo=\r\nX-Tapedeck-Session2: b\r\n\r\n"
        Array(head.utf8).withUnsafeBytes { bytes in
            var scanner = RequestScanner()
            #expect(scanner.scan(bytes) == .complete(bytes.count))
            #expect(scanner.fields.fields(bytes).map(\.name) == ["Host", "X-A", "X-Tapedeck-Session2"])
        }
    }

    @Test(arguments: [
        "X-Tapedeck-Session: a\r\nX-Tapedeck-Session: a", "Proxy-Authorization: a\r\nproxy-authorization: b",
    ])
    func aRequestThatNamesTwoSessionsIsRefused(_ fields: String) {
        Array("GET /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n".utf8).withUnsafeBytes { bytes in
            var scanner = RequestScanner()
            guard case .malformed(let problem) = scanner.scan(bytes) else {
                Issue.record("not refused")
                return
            }
            #expect(problem.status == 400)
            #expect(problem.reason.hasSuffix("comes twice"))
        }
    }

    @Test func aRefusalNamesTheSessionInVisibleCharactersOnly() {
        let refusal = SessionRefusal.unknown("a\r\nX: \u{7F}é" + String(repeating: "b", count: 100))
        #expect(refusal.phrase.hasPrefix("No Tapedeck session a??X:???bbb"))
        #expect(refusal.phrase.count == "No Tapedeck session ".count + 64)
        #expect(SessionRefusal.unknown("").phrase == "No Tapedeck session (none)")
    }
}
