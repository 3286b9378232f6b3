import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// A value is replaced because of evidence, not because of a word near it.
@Suite struct EvidenceTests {
    private static let token = BuiltInRuleTests.token

    @Test(
        arguments: [
            (#"<p><code>Uint8Array</code> is new Uint8Array(8)</p>"#, "text/html"),
            ("var password=document.getElementById('password').value;", "text/javascript"),
            ("var password=document.getElementById('password').value;", "text/plain"),
            (#"{"code":"var password = document.forms[0].password.value"}"#, "application/json"),
            (
                #"{"version":3,"sourcesContent":["const token = 'a1b2c3d4e5f6';\n"],"mappings":"AAAA"}"#,
                "application/json"
            ),
            (#"{"errors":{"password":"is too short (minimum is 8 characters)"}}"#, "application/json"),
            (#"{"password":"Passwort","token":"Zeichen","api_key":"Schlüssel","access_token":"Zugriffstoken"}"#, nil),
            (#"{"password":{"type":"string","format":"password","minLength":8},"token":{"type":"string"}}"#, nil),
            (
                #"{"password":"${DB_PASSWORD}","api_key":"<your key>","client_secret":"xxxxxxxxxxxxxxxx","token":"%(token)s"}"#,
                nil
            ),
            (#"{"password":true,"secret":false,"access_token":null,"passwd":"true"}"#, nil),
            (#"{"token":"https://example.com/oauth/token","password":"user.password","api_key":"getKey()"}"#, nil),
            (
                #"{"integrity":"sha512-Zm9x7QpL2vTs8RwKd4NbZm9x7QpL2vTs8RwKd4Nb==","sig":"MEUCIQDk0x7QpL2vTs8RwKd4Nb"}"#,
                nil
            ),
            (#"{"signatures":[{"keyid":"4a1b","sig":"MEUCIQDk0x7QpL2vTs8RwKd4NbMEUCIQDk0x7QpL2vTs8RwKd4Nb"}]}"#, nil),
            (#"{"code":"a1b2c3d4e5f6a7b8c9","ticket":"a1b2c3d4e5f6a7b8c9d0"}"#, nil),
            ("password: |\n  see below\nsecret: \"{{ vault }}\"\n", "text/yaml"),
            ("# Use\n\n    password = abc123def456\n    API_KEY=$KEY\n", "text/markdown"),
            ("if (key.startsWith('-----BEGIN PRIVATE KEY-----')) {\n  return load(key);\n}\n", "text/plain"),
            ("postgres://user:password@localhost/db and https://%s:%s@host/", "text/plain"),
        ] as [(String, String?)]
    )
    func `Labels, code, schemas, placeholders and digests stay`(body: String, type: String?) throws {
        #expect(try redactor().redacted(body, type: type) == body)
    }

    @Test(arguments: [
        ("SMTP_PASSWORD=hunter2\nHOST=a\n", "SMTP_PASSWORD={{secret.smtp_password#1}}\nHOST=a\n"),
        ("PGPASSWORD=x7Qp#L2;v", "PGPASSWORD={{secret.pgpassword#1}}"),
        ("set PGPASSWORD=x7QpL2 and go on", "set PGPASSWORD={{secret.pgpassword#1}} and go on"),
        ("db.password = \"x7Qp L2\"\nuser = a\n", "db.password = \"x7Qp L2\"\nuser = a\n"),
        (
            #"{apiKey:"\#(token)",password:"hunter2"}"#,
            #"{apiKey:"{{secret.api_key#1}}",password:"{{secret.password#2}}"}"#
        ),
        (#"{"pass\u0077ord":"hunter2"}"#, #"{"pass\u0077ord":"{{secret.password#1}}"}"#),
        (
            "<r><password><![CDATA[hunter<2]]></password></r>",
            "<r><password><![CDATA[{{secret.password#1}}]]></password></r>"
        ),
        (#"<add key="x" password="hunter2"/>"#, #"<add key="x" password="{{secret.password#1}}"/>"#),
        (
            #"{"db":"Server=h;User Id=sa;Password=hunter2;"}"#,
            #"{"db":"Server=h;User Id=sa;Password={{secret.password#1}};"}"#
        ),
        (
            #"<html><script type="application/json">{"apiKey":"\#(token)"}</script><script>var apiKey="k"</script>"#,
            #"<html><script type="application/json">{"apiKey":"{{secret.api_key#1}}"}</script><script>var apiKey="k"</script>"#
        ),
        (#"{"code":"\#(token)","id_token":null}"#, #"{"code":"{{secret.code#1}}","id_token":null}"#),
        ("access_token=abc&token_type=bearer", "access_token={{secret.access_token#1}}&token_type=bearer"),
    ])
    func `Fields of data are found in a response, where the value looks like a secret`(
        body: String,
        expected: String
    ) throws {
        #expect(try redactor().redacted(body) == expected)
    }

    @Test(arguments: [
        (#"{"user":"ada","password":"hunter"}"#, #"{"user":"ada","password":"{{secret.password#1}}"}"#),
        ("user=ada&password=two+words", "user=ada&password={{secret.password#1:percent}}"),
        (
            #"{"query":"mutation { login(user: \"ada\", password:\"letmein\") { id } }"}"#,
            #"{"query":"mutation { login(user: \"ada\", password:\"{{secret.password#1}}\") { id } }"}"#
        ),
        (#"{login(password:"letmein"){id}}"#, #"{login(password:"{{secret.password#1}}"){id}}"#),
    ])
    func `A password of a request counts in every form, and a word is not searched elsewhere`(
        body: String,
        expected: String
    ) throws {
        let redactor = try redactor()
        #expect(try redactor.redacted(request: body) == expected)
        let text = "hunter, two words: letmein"
        #expect(try redactor.redacted(text) == text)
    }

    @Test(arguments: [
        ("lang=en; theme=dark; org=org_5f3a9c2b7d1e; _ga=GA1.2.1234567890.1698765432", 0), ("PHPSESSID=a1", 1),
        ("connect.sid=s%3Aabc.def; author=bob", 1), ("auth=1; remember_me=x", 2), ("x=\(token)", 1),
        ("device=3f2504e0-4f89-41d3-9a0c-0305e82c3301", 0),
    ])
    func `Cookies need the name or the look of a credential`(cookies: String, count: Int) throws {
        let redacted = try redactor().redacted("Cookie", cookies)
        #expect(SecretPlaceholder.all(in: redacted).count == count, "\(redacted)")
    }

    @Test(arguments: [
        (
            "https://h/m;token=\(token)/x?y=1;api_key=Y",
            "https://h/m;token={{secret.token#1}}/x?y=1;api_key={{secret.api_key#2}}"
        ),
        ("https://h/?sig=a%2Fb&se=1", "https://h/?sig={{secret.sig#1:percent}}&se=1"),
        ("https://h/?sig=ab", "https://h/?sig=ab"),
        ("https://h/m;jsessionid=1/x", "https://h/m;jsessionid=1/x"),
    ])
    func `Path parameters end with their segment, and Azure signatures need their neighbours`(
        url: String,
        expected: String
    ) throws {
        #expect(try redactor().redacted(url: url) == expected)
    }
}
