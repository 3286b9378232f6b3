import TapedeckCore
import Testing

@testable import TapedeckRedaction

@Suite struct SecretShapeTests {
    @Test(arguments: [
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_[A-Za-z0-9]{36}"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIA[A-Z0-9]{16}"),
        ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "uuid"), (BuiltInRuleTests.jwt, "jwt"),
        ("6dcb09b5b57875f334f61aebed695e2e4193db5e", "[0-9a-f]{40}"), ("4711", "[1-9][0-9]{3}"), ("007", "[0-9]{3}"),
        ("hunter2", "[A-Za-z0-9]{16}"), ("-1.5", "number"), ("aB3_-cdEfGh1JkLmN0pQ", "[A-Za-z0-9]{20}"),
        ("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----", "pem"),
        ("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIFnkYvXi9gRI\n-----END EC PRIVATE KEY-----", "pem-ec"),
        ("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAdeTdiKDgtY\n-----END PRIVATE KEY-----", "pem-ed25519"),
        (String(repeating: "aB3", count: 30), "[A-Za-z0-9]{96}"), ("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "[A-Z2-7]{32}"),
        ("n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=", "[A-Za-z0-9+/]{43}="),
        ("tok_live_4eC39HqLyjWDarjtT1zd", "tok_live_[A-Za-z0-9]{20}"),
        ("a8f_4eC39HqLyjWDarjtT1zd", "[A-Za-z0-9]{24}"),
    ])
    func `A value has a shape, and the generated value has the same`(value: String, shape: String) throws {
        #expect(SecretShape(of: Array(value.utf8), named: "token").text == shape)
        let read = try SecretShape(shape)
        #expect(read == SecretShape(of: Array(value.utf8), named: "token"))
        let made = read.value(for: "token")
        #expect(made == read.value(for: "token"))
        #expect(made != read.value(for: "token-2"))
        if shape != "number", value != "007", !shape.hasPrefix("pem-") {
            #expect(SecretShape(of: Array(made.utf8), named: "token").text == shape)
        }
    }

    @Test func `A part of a text in base64 keeps what is around its secret, and its length`() throws {
        let value = Array(#"ü" ghp_0123456789abcdefghijABCDEFGHIJ012345","#.utf8)
        let shape = SecretShape(of: value, named: "github_token", in: SecretFrame(start: 4, end: 2))
        #expect(shape.text == "%C3%BC%22%20ghp_[A-Za-z0-9]{36}%22%2C")
        let made = try SecretShape(shape.text).value(for: "github_token")
        #expect(made.hasPrefix("ü\" ghp_") && made.hasSuffix("\",") && made.utf8.count == value.count)
        let short = SecretShape(of: Array("ab1".utf8), named: "p", in: SecretFrame())
        #expect(short.text == "[A-Za-z0-9]{3}")
    }

    @Test func `The first two characters alone do not make a random value that of a service`() {
        let rest = String(repeating: "aB3xD9kQ7m", count: 4)
        for value in ["YC" + rest.prefix(38), "00" + rest] {
            #expect(SecretShape(of: Array(value.utf8), named: "signature").text == "[A-Za-z0-9]{\(value.count)}")
        }
        let key = Array("YC\(rest.prefix(38))".utf8)
        #expect(SecretShape(of: key, named: "yandex_secret").text == "YC[A-Za-z0-9]{38}")
    }

    @Test(arguments: ["", "[", "[a", "[z-a]{3}", "a b", "[a-z]{0}", "[a-z]{99999999}", "{3}", "é", "%", "%4", "%zz"])
    func `An invalid shape is refused`(text: String) {
        #expect(throws: RedactionError.self) { try SecretShape(text) }
    }

    @Test func `A made-up value never changes`() throws {
        #expect(SecretShape.token.value(for: "access_token") == "z8MVbFWXADBLLt6AVtw8BlqKRNO3fcg0")
    }

    @Test func `A made-up JWT can be taken apart and has not expired`() throws {
        let parts = try SecretShape("jwt").value(for: "a").split(separator: ".")
        #expect(parts.count == 3)
        let claims = try #require(Array(parts[1].utf8).withUnsafeBytes { Base64.decodeEither($0) })
        guard case .object(let members) = try JSONValue(parsing: claims) else {
            Issue.record("the claims are no object")
            return
        }
        #expect(members.first { $0.name == "exp" }?.value == (try JSONValue(parsing: Array("4102444800".utf8))))
    }

    @Test func `Placeholders are played in their forms, and marks move along`() {
        let values = SecretValues(
            [SecretDescription(name: "p", environment: "P"), SecretDescription(name: "n", environment: "N")],
            environment: ["P": "a\"b+c", "N": "42"]
        )
        let text =
            #"{"a":"{{secret.p:json}}","n":"{{secret.n:number}}","u":"?x={{secret.p:percent}}&b={{secret.p:base64}}"}"#
        #expect(values.restored(text) == #"{"a":"a\"b+c","n":42,"u":"?x=a%22b%2Bc&b=YSJiK2M="}"#)
        var marks = [2, 6, 10, 22]
        let restored = values.restored(Array("ab{{secret.n}}{{secret.p}}".utf8), marks: &marks)
        #expect(String(decoding: restored, as: UTF8.self) == "ab42a\"b+c")
        #expect(marks == [2, 4, 4, 9])
    }

    @Test func `Values of small shapes are different for different names`() {
        let secrets = (0..<20).map { SecretDescription(name: "pin-\($0)", shape: "[0-9]{2}") }
        let values = SecretValues(secrets, environment: [:])
        #expect(Set(values.all.values).count == 20)
    }
}
