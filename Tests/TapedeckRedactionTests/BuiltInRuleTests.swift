import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// The findings of each built-in rule, and the values that it leaves.
@Suite struct BuiltInRuleTests {
    static let token = "Zm9x7QpL2vTs8RwKd4Nb"
    static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"

    @Test(arguments: [
        ("Authorization", "Bearer \(token)", "Bearer {{secret.authorization#1}}"),
        ("authorization", "Basic dXNlcjpwYXNzd29yZA==", "Basic {{secret.authorization#1}}"),
        ("Authorization", token, "{{secret.authorization#1}}"),
        ("Proxy-Authorization", "Digest username=\"a\", response=\"b\"", "Digest {{secret.proxy_authorization#1}}"),
        ("X-Auth", "token=\"\(token)\", page=\"2\"", "token=\"{{secret.token#1}}\", page=\"2\""),
        ("X-Auth", "\(token)", "{{secret.auth#1}}"),
        (
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/s3/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature=0123456789abcdef",
            "AWS4-HMAC-SHA256 Credential={{secret.amz_credential#1}}, SignedHeaders=host;x-amz-date, "
                + "Signature={{secret.amz_signature#2}}"
        ),
        (
            "Cookie", "a=1; session_id=\(token); b=\"x y\"",
            "a=1; session_id={{secret.session_id#1}}; b=\"x y\""
        ),
        ("Set-Cookie", "sid=\(token); Path=/; HttpOnly", "sid={{secret.sid#1}}; Path=/; HttpOnly"),
        ("X-Api-Key", "k", "{{secret.api_key#1}}"),
        ("PRIVATE-TOKEN", token, "{{secret.private_token#1}}"),
        ("X-Acme-Token", token, "{{secret.acme_token#1}}"),
        ("X-Amz-Security-Token", token, "{{secret.amz_security_token#1}}"),
        ("Ocp-Apim-Subscription-Key", token, "{{secret.ocp_apim_subscription_key#1}}"),
        ("X-CSRF-Token", token, "{{secret.csrf_token#1}}"),
        ("Location", "https://h/cb?code=\(token)&state=x", "https://h/cb?code={{secret.code#1}}&state=x"),
        (
            "Link", "<https://h/?page=2&access_token=\(token)>; rel=\"next\"",
            "<https://h/?page=2&access_token={{secret.access_token#1}}>; rel=\"next\""
        ),
        ("X-Anything", "prefix \(jwt)", "prefix {{secret.jwt#1}}"),
        ("Referer", "https://user:hunter2@h/x", "https://user:{{secret.password#1}}@h/x"),
    ])
    func `A secret in a header field`(name: String, value: String, expected: String) throws {
        #expect(try redactor().redacted(name, value) == expected)
    }

    @Test(arguments: [
        ("https://h/?api_key=abc&page=2", "https://h/?api_key={{secret.api_key#1}}&page=2"),
        ("https://h/?key=AIzaSyA1234567890abcdefghijklmnopqrstuv", "https://h/?key={{secret.key#1}}"),
        ("https://h/?key=name", "https://h/?key=name"),
        ("https://h/?code=US&token=next", "https://h/?code=US&token=next"),
        ("https://h/?sv=2022&sig=ab%2Fcd%3D", "https://h/?sv=2022&sig={{secret.sig#1:percent}}"),
        (
            "https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIA%2F2026&X-Amz-Signature=0af3",
            "https://b.s3.amazonaws.com/k?X-Amz-Credential={{secret.amz_credential#1:percent}}&X-Amz-Signature={{secret.amz_signature#2}}"
        ),
        ("https://h/?X-Goog-Signature=0af3", "https://h/?X-Goog-Signature={{secret.goog_signature#1}}"),
        ("https://h/cb#access_token=\(token)&x=1", "https://h/cb#access_token={{secret.access_token#1}}&x=1"),
        (
            "https://h/?next=https%3A%2F%2Fg%2F%3Fapi_key%3Dabc",
            "https://h/?next=https%3A%2F%2Fg%2F%3Fapi_key%3D{{secret.api_key#1}}"
        ),
        ("https://h/?user%5Bpassword%5D=hunter2", "https://h/?user%5Bpassword%5D={{secret.password#1}}"),
        ("https://h/?page_token=\(token)", "https://h/?page_token=\(token)"),
    ])
    func `A secret in a URL`(url: String, expected: String) throws {
        #expect(try redactor().redacted(url: url) == expected)
    }

    @Test(arguments: [
        (
            #"{"access_token":"abc","expires_in":3600}"#,
            #"{"access_token":"{{secret.access_token#1}}","expires_in":3600}"#
        ),
        (#"{"accessToken" : "\#(token)"}"#, #"{"accessToken" : "{{secret.access_token#1}}"}"#),
        (#"{"password": 123456}"#, #"{"password": "{{secret.password#1:number}}"}"#),
        (#"{"pass\u0077ord":"a\"b\u00e9cd4"}"#, #"{"pass\u0077ord":"{{secret.password#1:json}}"}"#),
        (
            #"{"code":"not_found","token":"comma","error":{"code":404}}"#,
            #"{"code":"not_found","token":"comma","error":{"code":404}}"#
        ),
        (#"{"dbPassword":"hunter2"}"#, #"{"dbPassword":"{{secret.db_password#1}}"}"#),
        (#"{"wifiPassphrase":"hunter2"}"#, #"{"wifiPassphrase":"{{secret.wifi_passphrase#1}}"}"#),
        (
            #"{"inner":"{\"client_secret\":\"\#(token)\"}"}"#,
            #"{"inner":"{\"client_secret\":\"{{secret.client_secret#1}}\"}"}"#
        ),
        (
            #"{"url":"https:\/\/h\/?sv=1\u0026sig=Zm9x7QpL2\/vTs8RwKd4Nb"}"#,
            #"{"url":"https:\/\/h\/?sv=1\u0026sig={{secret.sig#1:json}}"}"#
        ),
        (
            #"{"headers":{"Authorization":"Bearer \#(token)","Cookie":"sid=aB3dE5gH7jK9mN2p"}}"#,
            #"{"headers":{"Authorization":"Bearer {{secret.authorization#1}}","Cookie":"sid={{secret.sid#2}}"}}"#
        ),
        ("data: {\"id_token\": \"\(token)\"}\n\n", "data: {\"id_token\": \"{{secret.id_token#1}}\"}\n\n"),
        (
            "<r><SecretAccessKey>\(token)/def</SecretAccessKey></r>",
            "<r><SecretAccessKey>{{secret.secret_access_key#1}}</SecretAccessKey></r>"
        ),
        ("use Bearer \(token), please", "use Bearer {{secret.bearer#1}}, please"),
        (
            "DefaultEndpointsProtocol=https;AccountKey=\(token)+/==;X=y",
            "DefaultEndpointsProtocol=https;AccountKey={{secret.account_key#1}};X=y"
        ),
        ("password: hunter2\nuser: a", "password: {{secret.password#1}}\nuser: a"),
        ("curl -H 'X-Api-Key: \(token)' https://h", "curl -H 'X-Api-Key: {{secret.api_key#1}}' https://h"),
    ])
    func `A secret in a body`(body: String, expected: String) throws {
        #expect(try redactor().redacted(body) == expected)
    }

    @Test func `A secret in a form`() throws {
        let form = "grant_type=password&username=a&password=c%26d+e&scope=x"
        let redacted = try redactor().redacted(request: form, type: "application/x-www-form-urlencoded")
        #expect(redacted == "grant_type=password&username=a&password={{secret.password#1:percent}}&scope=x")
    }

    @Test func `A private key, in text and in JSON, is one secret`() throws {
        let lines = [
            "-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ",
            "-----END PRIVATE KEY-----",
        ]
        let text = lines.joined(separator: "\n")
        let json = #"{"key":"\#(lines.joined(separator: "\\n"))","other":1}"#
        let redacted = try redactor().redact(exchange(body: text, responseBody: json))
        #expect(redacted.requestBody.text == "{{secret.private_key#1}}")
        #expect(redacted.response.body.text == #"{"key":"{{secret.private_key#1:json}}","other":1}"#)
    }

    @Test(arguments: [
        "ghp_0123456789abcdefghijABCDEFGHIJ012345", "glpat-abcdefghij0123456789", "AKIAIOSFODNN7EXAMPLQ",
        "xoxb-123456789012-abcdefABCDEF", "sk_live_0123456789abcdef", "npm_0123456789abcdefghijABCDEFGHIJ012345",
        "SG.0123456789abcdefghij01.0123456789abcdefghijABCDEFGHIJ0123456789abc",
        "ya29.a0AfB_0123456789abcdefghij", jwt,
    ])
    func `A token is recognised by its form, in every place`(token: String) throws {
        for text in [
            "\(token)", "see \(token).", #"["\#(token)"]"#, "a=\(token)&b", "https://h/\(token)/x", "x_\(token)",
        ] {
            let redacted = try redactor().redacted(text)
            #expect(!redacted.contains(token) && redacted.contains("{{secret."), "\(redacted)")
        }
    }

    /// The rule for the machine needs one: `MachineTests`.
    @Test(arguments: RedactionRules.builtInIDs.filter { $0 != "machine" })
    func `Every rule can be switched off`(id: String) throws {
        let samples = RuleSamples.all.filter { $0.id == id }
        #expect(!samples.isEmpty)
        for sample in samples {
            let on = try redactor().redact(sample.exchange)
            #expect(on != sample.exchange, "\(id) finds nothing in \(sample.exchange.everything)")
            let off = try redactor(RedactionSettings(off: [id])).redact(sample.exchange)
            #expect(off == sample.exchange, "\(off.everything)")
        }
    }

    @Test func `An unknown rule is refused, with the one that was meant`() {
        #expect(throws: RedactionError.self) { try redactor(RedactionSettings(off: ["cookie"])) }
        do {
            _ = try redactor(RedactionSettings(off: ["cookie"]))
        } catch {
            #expect("\(error)" == "there is no redaction rule cookie; did you mean cookies?")
        }
    }
}

/// An exchange for each rule, which no other rule would touch.
enum RuleSamples {
    static let all: [(id: String, exchange: RecordedExchange)] = [
        ("authorization", exchange(headers: [HeaderField("Authorization", "Bearer abc")])),
        ("cookies", exchange(headers: [HeaderField("Cookie", "sid=abc")])),
        ("cookies", exchange(responseHeaders: [HeaderField("Set-Cookie", "sid=abc; Path=/")])),
        ("api-keys", exchange(headers: [HeaderField("X-Api-Key", "abc")])),
        ("api-keys", exchange(url: "https://h/?api_key=abc")),
        ("csrf", exchange(headers: [HeaderField("X-CSRFToken", "abc")])),
        ("oauth", exchange(responseBody: #"{"refresh_token":"Zm9x7QpL2vTs8RwKd4Nb"}"#)),
        ("passwords", exchange(body: #"{"password":"abc"}"#)),
        ("aws", exchange(url: "https://h/?X-Amz-Signature=abc")),
        ("aws", exchange(responseBody: "id AKIAIOSFODNN7EXAMPLQ")),
        ("gcp", exchange(url: "https://h/?X-Goog-Signature=abc")),
        ("gcp", exchange(responseBody: "id AIzaSyA1234567890abcdefghijklmnopqrstuv")),
        ("azure", exchange(url: "https://h/?sv=1&sig=abc")),
        ("jwt", exchange(responseBody: BuiltInRuleTests.jwt)),
        (
            "private-keys",
            exchange(
                responseBody:
                    "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END RSA PRIVATE KEY-----\n"
            )
        ),
        ("url-credentials", exchange(url: "https://u:p@h/")),
        ("bearer", exchange(responseBody: "Bearer Zm9x7QpL2vTs8RwKd4Nb")),
        ("tokens", exchange(responseBody: "ghp_0123456789abcdefghijABCDEFGHIJ012345")),
    ]
}
