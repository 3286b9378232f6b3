import TapedeckCore
import TapedeckSessions
import Testing

/// No text that says why nothing answered has a secret of the request in it.
@Suite
struct SecretReportTests {
    /// Secrets, most of them in several places.
    private static let planted: [String] = (1...20).map { "k9Xv\($0)Qz4Lp\($0)Wt7Rb" }

    private static func matchRequest(_ host: String = SecretTape.origin) throws -> MatchRequest {
        let p = Self.planted
        let query = "api_key=\(p[0])&access_token=\(p[1])&token=\(p[2])&page=2"
        let fields = [
            HeaderField("Authorization", "Bearer \(p[3])"), HeaderField("X-Api-Key", p[4]),
            HeaderField("Cookie", "sid=\(p[5]); theme=\(p[6])"), HeaderField("Referer", "https://a.test/\(p[0])"),
            HeaderField("X-Copy", p[3]), HeaderField("X-Encoded", SecretTape.base64(p[7])),
            HeaderField("Proxy-Authorization", "Basic \(SecretTape.base64("ada:\(p[12])"))"),
            HeaderField("X-CSRF-Token", p[13]), HeaderField("X-Forwarded-Uri", "https://ada:\(p[14])@a.test/"),
        ]
        let body = """
            {"user":"ada","password":"\(p[7])","nested":{"token":"\(p[8])","client_secret":"\(p[9])"},\
            "list":[{"access_token":"\(p[10])"},{"access_token":"\(p[11])"}],"copy":"\(p[0])","again":"see \(p[8])",\
            "text":"grant_type=refresh&refresh_token=\(p[15])","passwd":"\(p[16])","apiKey":"\(p[17])",\
            "AccountKey":"\(p[18])","id_token":"\(p[19])"}
            """
        let matchRequest = try SecretTape.matchRequest("/copy/\(p[4])?\(query)", fields: fields, body: body)
        return matchRequest
    }

    private static func sets() throws -> [ResponseSet] {
        let text =
            #"{"user":"bob","password":"{{secret.password}}","nested":{"token":"x","client_secret":"y"},"copy":"z"}"#
        return [
            SecretTape.set(
                "url",
                RequestMatcher(url: try SecretTape.exact("/copy/x?api_key={{secret.api_key}}&access_token=b&page=1"))
            ),
            SecretTape.set(
                "json",
                RequestMatcher(url: try SecretTape.exact("/copy/x"), body: [.json(SecretTape.json(text))])
            ),
            SecretTape.set(
                "conditions",
                RequestMatcher(
                    url: .template(try URLTemplate("/copy/{id}")),
                    query: [.init("token", .equals("t")), .init("page", .equals("1"))],
                    headers: [
                        .init("authorization", .equals("Bearer t")), .init("x-copy", .equals("c")),
                        .init("referer", .equals("r")), .init("x-encoded", .equals("e")),
                        .init("proxy-authorization", .equals("p")), .init("x-csrf-token", .equals("c")),
                        .init("x-forwarded-uri", .equals("u")),
                    ],
                    cookies: [.init("sid", .equals("s")), .init("theme", .equals("dark"))],
                    body: [
                        .jsonPath(try JSONPath("$.again"), .value(.equals("other"))),
                        .jsonPath(try JSONPath("$.list"), .value(.equals("other"))), .text(.equals("none")),
                    ]
                )
            ),
        ]
    }

    private static func texts(_ report: UnmatchedReport) -> String {
        let parts = report.nearest.flatMap(\.parts)
        return
            ([report.json.pretty, report.summary, report.headerValue, "\(report.request)"]
            + parts.flatMap { [$0.name, $0.wanted ?? "", $0.came ?? "", $0.difference] }).joined(separator: "\n")
    }

    private static let kinds: [(name: String, sets: @Sendable () throws -> [ResponseSet])] = [
        ("with placeholders", { try Self.sets() }),
        (
            "without placeholders",
            {
                try Self.sets().map { set in
                    guard set.name == "conditions" else {
                        return SecretTape.set(set.name, RequestMatcher(url: try SecretTape.exact("/copy/x")))
                    }
                    return set
                }
            }
        ),
    ]

    @Test(arguments: 0..<2)
    func anUnmatchedReportContainsNoSecretOfTheRequest(_ kind: Int) throws {
        let session = SecretTape.session(try Self.kinds[kind].sets())
        guard case .reject(let report, _) = session.answer(try Self.matchRequest()) else {
            Issue.record("\(Self.kinds[kind].name): not rejected")
            return
        }
        #expect(report.nearest.count == 3)
        let texts = Self.texts(report)
        for secret in Self.planted { #expect(!texts.contains(secret), "\(secret)") }
        #expect(!texts.contains(SecretTape.base64(Self.planted[7])))
        // It still says what differs.
        #expect(texts.contains("{{secret."))
    }

    @Test func aReportOmitsASecretThatMatches() throws {
        let set = SecretTape.set(
            "login",
            RequestMatcher(
                url: try SecretTape.exact("/login"),
                body: [.json(SecretTape.json(#"{"user":"ada","password":"{{secret.password}}"}"#))]
            )
        )
        let session = SecretTape.session([set])
        let body = #"{"user":"bob","password":"some-long-password"}"#
        guard case .reject(let report, _) = session.answer(try SecretTape.matchRequest("/login", body: body)) else {
            Issue.record("not rejected")
            return
        }
        #expect(report.nearest.first?.differences == [#"body $.user is "bob", the tape has "ada""#])
    }

    @Test func aPlayedValueIsShownAsItsPlaceholder() throws {
        let secrets = [SecretDescription(name: "access_token")]
        let session = SecretTape.session(
            [SecretTape.set("a", RequestMatcher(url: try SecretTape.exact("/a")))],
            secrets: secrets
        )
        let value = SecretTape.values(secrets)[0]
        let matchRequest = try SecretTape.matchRequest("/items/\(value)?x=\(value)")
        guard case .reject(let report, _) = session.answer(matchRequest) else {
            Issue.record("not rejected")
            return
        }
        #expect(!Self.texts(report).contains(value))
        let expected = "POST \(SecretTape.origin)/items/{{secret.access_token}}?x={{secret.access_token}}"
        #expect("\(report.request)" == expected)
    }

    @Test func anExplanationContainsNoSecret() throws {
        let session = SecretTape.session([
            SecretTape.set("a", RequestMatcher(url: .template(try URLTemplate("/copy/{id}"))))
        ])
        let explanation = session.explanation(try Self.matchRequest())
        #expect(explanation.candidates.map(\.set) == ["a"])
        let texts = explanation.candidates.flatMap { candidate in
            candidate.parts.flatMap { [$0.wanted ?? "", $0.came ?? ""] } + candidate.captures.map(\.value)
        }.joined(separator: "\n")
        for secret in Self.planted { #expect(!texts.contains(secret), "\(secret)") }
    }
}
