import TapedeckCodings
import TapedeckCore

@testable import TapedeckCassettes

/// A cassette as it was before there was redaction: with secrets in every place that a file has.
enum SecretSamples {
    static let token = "ghp_4kR9xT2wLp7vRbzK4mQ9xT2wLp7vRbQeW5uY"
    static let password = "correct-Horse7-battery"
    static let key = "zK4mQ9xT2wLp7vRb"

    static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    static func packed(_ text: String) -> String {
        let bytes = (try? ContentCoder.encode(Array(text.utf8), .gzip)) ?? []
        return String(decoding: Base64.encode(bytes), as: UTF8.self)
    }

    /// Each place, as lines of YAML, with the required text after a scrub.
    static let places: [(name: String, yaml: String, after: String)] = [
        ("url", Self.set(request: "url: https://a.test/x?api_key=\(Self.key)"), "?api_key={{secret.api_key}}"),
        (
            "query", Self.set(request: "url: https://a.test/x\n      query: { api_key: \(Self.key) }"),
            "{{secret.api_key}}"
        ),
        (
            "request header",
            Self.set(request: "url: https://a.test/x\n      headers: { Authorization: Bearer \(Self.token) }"),
            "Bearer {{secret."
        ),
        (
            "response header",
            Self.set(take: "status: 200\n            headers:\n              - X-Api-Key: \(Self.key)"),
            "{{secret."
        ),
        (
            "cookie",
            Self.set(
                take:
                    "status: 200\n            headers:\n              - Set-Cookie: sid=\(Self.token); Path=/"
            ),
            "sid={{secret."
        ),
        (
            "json block",
            Self.set(
                take:
                    "status: 200\n            body:\n              json: |\n                {\n                  \"access_token\": \"\(Self.token)\",\n                  \"n\": 1\n                }"
            ),
            "                  \"access_token\": \"{{secret.access_token}}\",\n                  \"n\": 1\n"
        ),
        (
            "json flow", Self.set(take: "body: { json: '{\"password\": \"\(Self.password)\"}' }"),
            "{\"password\": \"{{secret.password}}\"}"
        ),
        (
            "text", Self.set(take: "body: { text: 'token is \(Self.token) today' }"),
            "today"
        ),
        (
            "json path",
            Self.set(
                request:
                    "url: https://a.test/x\n      body: { jsonPath: { $.login.password: { equals: \(Self.password) } } }"
            ),
            "{ equals: '{{secret.password}}' }"
        ),
        (
            "graphql",
            Self.set(
                request:
                    "url: https://a.test/x\n      body: { graphql: { operation: LogIn, variables: '{\"password\": \"\(Self.password)\"}' } }"
            ), "variables: '{\"password\": \"{{secret.password}}\"}'"
        ),
        (
            "form", Self.set(request: "url: https://a.test/x\n      body: { form: { password: \(Self.password) } }"),
            "{{secret.password}}"
        ),
    ]

    static func set(request: String = "url: https://a.test/x", take: String = "status: 204") -> String {
        """
        # Mine.
        tapedeck: 1
        responseSets:
          - name: one   # kept
            request:
              \(request)
            variants:
              - name: recorded
                takes:
                  # kept, too
                  - \(take.hasPrefix("status") ? "" : "status: 200\n            ")\(take)

        """
    }
}
