import TapedeckCore
import Testing

@testable import TapedeckRedaction

@Suite struct OwnRuleTests {
    private func rules(_ places: RedactionRule.Place..., name: String? = nil, id: String? = nil) -> RedactionSettings {
        RedactionSettings(rules: places.map { RedactionRule(id: id, name: name, place: $0) })
    }

    @Test func `A header, a query key and a form field`() throws {
        let settings = self.rules(.header("X-Tenant"), .query("who"), .form("who"))
        #expect(try redactor(settings).redacted("x-tenant", "acme") == "{{secret.tenant#1}}")
        #expect(try redactor(settings).redacted(url: "https://h/?who=me&a=b") == "https://h/?who={{secret.who#1}}&a=b")
        let form = try redactor(settings).redacted("who=me&a=b", type: "application/x-www-form-urlencoded")
        #expect(form == "who={{secret.who#1}}&a=b")
    }

    @Test func `A JSON path leads to strings and numbers, and all else stays byte for byte`() throws {
        let settings = self.rules(.json(try JSONPath("$.login.pin")), .json(try JSONPath("$.items[1:]..id")))
        let body = #"{ "pin":1, "login" : {"pin": 4711,"x":[]}, "items":[{"id":"a"},{"id":"b\n","n":{"id":true}}] }"#
        let redacted = try redactor(settings).redacted(body)
        #expect(
            redacted
                == #"{ "pin":1, "login" : {"pin": "{{secret.pin#1:number}}","x":[]}, "items":[{"id":"a"},{"id":"{{secret.id#2:json}}","n":{"id":true}}] }"#
        )
    }

    @Test func `A pattern, with a capture and without`() throws {
        let capture = self.rules(.pattern(try Pattern("customer-(?<customer>[0-9]+)", scope: .anywhere)))
        #expect(
            try redactor(capture).redacted("a customer-12 b customer-34")
                == "a customer-{{secret.customer#1}} b customer-{{secret.customer#2}}"
        )
        let plain = self.rules(.pattern(try Pattern("^c[0-9]+", scope: .anywhere)), name: "c")
        #expect(try redactor(plain).redacted("c1 c2") == "{{secret.c#1}} c2")
    }

    @Test func `A pattern reaches all of a long body`() throws {
        let settings = self.rules(.pattern(try Pattern("cust[0-9]+", scope: .anywhere)), name: "c")
        let body = String(repeating: "lorem cust7 ipsum ", count: 20_000)
        let redacted = try redactor(settings).redacted(body)
        #expect(redacted == String(repeating: "lorem {{secret.c#1}} ipsum ", count: 20_000))
    }

    @Test func `A pattern that takes too long keeps the exchange from being written`() throws {
        let settings = self.rules(.pattern(try Pattern("(a+)+$", scope: .anywhere)), name: "a")
        let redactor = try redactor(settings)
        let body = exchange(responseBody: String(repeating: "a", count: 5000) + "b")
        #expect {
            try redactor.redact(body)
        } throws: { error in
            guard case .rule(let id, _)? = (error as? RedactionFailure)?.reason else { return false }
            return id == "pattern (a+)+$"
        }
    }

    @Test func `The value of a variable is found in every place, even a short word`() throws {
        let settings = self.rules(.environment("WORD"), .environment("LONG"), .environment("NONE"))
        let redactor = try redactor(settings, environment: ["WORD": "plum", "LONG": "anonymous-user"])
        #expect(redactor.rules.missing == ["NONE"])
        #expect(try redactor.redacted("a plum b anonymous-user") == "a {{secret.word#1}} b {{secret.long#2}}")
    }

    @Test func `A rule with the id of a built-in one replaces it`() throws {
        let settings = self.rules(.json(try JSONPath("$.pin")), id: "passwords")
        let redacted = try redactor(settings).redacted(#"{"password":"abc","pin":"1"}"#)
        #expect(redacted == #"{"password":"abc","pin":"{{secret.pin#1}}"}"#)
    }

    @Test func `A name must be fit for a placeholder`() {
        #expect(throws: RedactionError.self) { try redactor(self.rules(.header("a"), name: "a b")) }
    }

    @Test func `A value that a pattern finds is played with the beginning that the pattern has`() throws {
        let rule = RedactionRule(
            id: nil,
            name: "account",
            place: .pattern(try Pattern("acct_[a-z0-9]{16}", scope: .anywhere))
        )
        let redactor = try redactor(RedactionSettings(rules: [rule]))
        let redacted = try redactor.redacted("from acct_a1b2c3d4e5f6g7h8 on")
        #expect(redacted == "from {{secret.account#1}} on")
        #expect(redactor.vault.shape(1).text == "acct_[A-Za-z0-9]{16}")
    }
}
