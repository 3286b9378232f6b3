import TapedeckCore
import TapedeckSessions
import TapedeckTLS
import Testing

/// A set with placeholders in its matcher answers the requests that had those secrets.
@Suite
struct SecretMatchingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let request: @Sendable () throws -> RequestMatcher
        var path = "/a"
        var fields: [HeaderField] = []
        var body = ""

        var testDescription: String { self.name }
    }

    private static let secret = "hunter2-and-more"
    private static let login = #"{"user":"ada","password":"hunter2-and-more"}"#
    private static let form = HeaderField("content-type", "application/x-www-form-urlencoded")

    private static func body(_ matcher: BodyMatcher) throws -> RequestMatcher {
        RequestMatcher(url: try SecretTape.exact("/a"), body: [matcher])
    }

    static let cases: [Case] = [
        Case(
            name: "exact URL",
            request: { RequestMatcher(url: try SecretTape.exact("/a?api_key={{secret.api_key}}&page=1")) },
            path: "/a?page=1&api_key=hunter2-and-more"
        ),
        Case(
            name: "path and query without an origin",
            request: { RequestMatcher(url: .exactPath("/a?api_key={{secret.api_key}}")) },
            path: "/a?api_key=hunter2-and-more"
        ),
        Case(
            name: "query",
            request: {
                RequestMatcher(
                    url: try SecretTape.exact("/a"),
                    query: [.init("api_key", .equals("{{secret.api_key}}"))]
                )
            },
            path: "/a?api_key=hunter2-and-more"
        ),
        Case(
            name: "query that has to be percent-encoded",
            request: {
                RequestMatcher(
                    url: try SecretTape.exact("/a"),
                    query: [.init("api_key", .equals("{{secret.api_key}}"))]
                )
            },
            path: "/a?api_key=hunter2%2Fand%20more"
        ),
        Case(
            name: "header",
            request: {
                RequestMatcher(
                    url: try SecretTape.exact("/a"),
                    headers: [.init("authorization", .equals("Bearer {{secret.authorization}}"))]
                )
            },
            fields: [HeaderField("Authorization", "Bearer hunter2-and-more")]
        ),
        Case(
            name: "header, and the secret has another name on tape",
            request: {
                RequestMatcher(
                    url: try SecretTape.exact("/a"),
                    headers: [.init("authorization", .equals("Bearer {{secret.access_token}}"))]
                )
            },
            fields: [HeaderField("Authorization", "Bearer hunter2-and-more")]
        ),
        Case(
            name: "cookie",
            request: {
                RequestMatcher(url: try SecretTape.exact("/a"), cookies: [.init("sid", .equals("{{secret.sid}}"))])
            },
            fields: [HeaderField("Cookie", "theme=dark; sid=hunter2-and-more")]
        ),
        Case(
            name: "JSON",
            request: { try Self.body(.json(SecretTape.json(#"{"password":"{{secret.password}}","user":"ada"}"#))) },
            body: Self.login
        ),
        Case(
            name: "JSON that has at least",
            request: { try Self.body(.jsonSubset(SecretTape.json(#"{"password":"{{secret.password}}"}"#))) },
            body: Self.login
        ),
        Case(
            name: "JSON path",
            request: { try Self.body(.jsonPath(try JSONPath("$.password"), .value(.equals("{{secret.password}}")))) },
            body: Self.login
        ),
        Case(
            name: "bytes",
            request: {
                let text = #"{"user":"ada","password":"{{secret.password}}"}"#
                return try Self.body(.bytes(InlineBody(form: .text, content: Array(text.utf8))))
            },
            body: Self.login
        ),
        Case(
            name: "text",
            request: { try Self.body(.text(.contains(#""password":"{{secret.password}}""#))) },
            body: Self.login
        ),
        Case(
            name: "text by a pattern",
            request: {
                let pattern = try Pattern(#"\{\{secret\.password\}\}"#, scope: .anywhere)
                return try Self.body(.text(.pattern(pattern)))
            },
            body: Self.login
        ),
        Case(
            name: "form",
            request: {
                let fields = [RequestMatcher.Field("password", .equals("{{secret.password}}"))]
                return try Self.body(.form(fields, refusesOthers: false))
            },
            fields: [Self.form],
            body: "user=ada&password=hunter2-and-more"
        ),
        Case(
            name: "a part of a multipart body",
            request: {
                let part = BodyMatcher.Part(name: "password", content: .equals("{{secret.password}}"))
                return try Self.body(.multipart([part]))
            },
            fields: [HeaderField("content-type", "multipart/form-data; boundary=b")],
            body: "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2-and-more\r\n--b--\r\n"
        ),
        Case(
            name: "digest of the body",
            request: {
                let text = #"{"user":"ada","password":"{{secret.password}}"}"#
                return try Self.body(.sha256(SHA256.hexDigest(of: Array(text.utf8))))
            },
            body: Self.login
        ),
        Case(
            name: "all, any and not",
            request: {
                func header(_ name: String, _ value: String) -> RequestMatcher {
                    RequestMatcher(headers: [.init(name, .equals(value))])
                }
                return RequestMatcher(
                    url: try SecretTape.exact("/a"),
                    all: [header("x-api-key", "{{secret.api_key}}")],
                    any: [header("accept", "*/*"), header("x-api-key", "{{secret.api_key}}")],
                    not: [header("x-api-key", "hunter2")]
                )
            },
            fields: [HeaderField("X-Api-Key", "hunter2-and-more")]
        ),
    ]

    @Test(arguments: Self.cases)
    func aPlaceholderMatchesTheSecretOfTheRequest(_ example: Case) throws {
        let secrets = [SecretDescription(name: "password")]
        let session = SecretTape.session([SecretTape.set("wanted", try example.request())], secrets: secrets)
        let digest = SHA256.hexDigest(of: Array(example.body.utf8))
        let matchRequest = try SecretTape.matchRequest(
            example.path,
            fields: example.fields,
            body: example.body,
            sha256: digest
        )
        #expect(SecretTape.asked(session, matchRequest) == "wanted")
    }

    /// Cases without the secret: the text at its place must be one.
    @Test(arguments: Self.cases)
    func aPlaceholderMatchesNothingElse(_ example: Case) throws {
        let secrets = [SecretDescription(name: "password")]
        let session = SecretTape.session([SecretTape.set("wanted", try example.request())], secrets: secrets)
        let path = String(example.path.prefix { $0 != "?" })
        let matchRequest = try SecretTape.matchRequest(path, body: #"{"user":"ada"}"#, sha256: "0")
        #expect(SecretTape.asked(session, matchRequest) == nil)
    }

    @Test func newValuesAreBoundToRecordedSecretsInOrder() throws {
        let sets = try ["password", "password-2", "password-10"].map { name in
            let json = SecretTape.json("{\"password\":\"{{secret.\(name)}}\"}")
            return SecretTape.set(name, RequestMatcher(url: try SecretTape.exact("/a"), body: [.json(json)]))
        }
        let session = SecretTape.session(sets)
        func ask(_ password: String) throws -> String? {
            SecretTape.asked(session, try SecretTape.matchRequest("/a", body: "{\"password\":\"\(password)\"}"))
        }
        #expect(try ask("first-password") == "password")
        #expect(try ask("second-password") == "password-2")
        #expect(try ask("first-password") == "password")
        #expect(try ask("third-password") == "password-10")
        // There is no fourth secret: whichever it is assigned to, it must not fail.
        #expect(try ask("fourth-password") != nil)
        #expect(try ask("second-password") == "password-2")
    }

    @Test func sessionsBindSecretsIndependently() throws {
        let sets = try ["password", "password-2"].map { name in
            let json = SecretTape.json("{\"password\":\"{{secret.\(name)}}\"}")
            return SecretTape.set(name, RequestMatcher(url: try SecretTape.exact("/a"), body: [.json(json)]))
        }
        let tape = Tape([Cassette(name: "tape", responseSets: sets)])
        let sessions = [0, 1].map { _ in Session(Session.Settings(mode: .replay), tape: tape) }
        for (number, password) in ["one-password", "two-password"].enumerated() {
            let matchRequest = try SecretTape.matchRequest("/a", body: "{\"password\":\"\(password)\"}")
            #expect(SecretTape.asked(sessions[number], matchRequest) == "password")
        }
    }

    @Test func aSecretInAnUnmatchedRequestIsNotBound() throws {
        let sets = try ["api_key", "api_key-2"].map { name in
            let query = RequestMatcher.Field("api_key", .equals("{{secret.\(name)}}"))
            return SecretTape.set(name, RequestMatcher(url: try SecretTape.exact("/a"), query: [query]))
        }
        let session = SecretTape.session(sets)
        let other = try SecretTape.matchRequest(
            "/b?api_key=none-of-those",
            fields: [HeaderField("Cookie", "a=another-one")]
        )
        #expect(SecretTape.asked(session, other) == nil)
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/a?api_key=first-of-two")) == "api_key")
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/a?api_key=second-of-two")) == "api_key-2")
    }

    @Test func aLiteralValueMatchesExactly() throws {
        let dummy = RequestMatcher(
            url: try SecretTape.exact("/a"),
            query: [.init("api_key", .equals("test-key-0000"))]
        )
        let recorded = RequestMatcher(
            url: try SecretTape.exact("/b"),
            query: [.init("api_key", .equals("{{secret.api_key}}"))]
        )
        let session = SecretTape.session([SecretTape.set("dummy", dummy), SecretTape.set("recorded", recorded)])
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/a?api_key=test-key-0000")) == "dummy")
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/b?api_key=test-key-0000")) == "recorded")
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/a?api_key=another-key")) == nil)
    }

    @Test func aSetWithTheSecretPrecedesACatchAllSet() throws {
        let session = SecretTape.session([
            SecretTape.set("rest", RequestMatcher(url: .template(try URLTemplate("\(SecretTape.origin)/{path}")))),
            SecretTape.set("wanted", RequestMatcher(url: try SecretTape.exact("/a?api_key={{secret.api_key}}"))),
        ])
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/a?api_key=some-secret")) == "wanted")
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/b")) == "rest")
    }

    @Test func aPlayedSecretIsRecognisedInLaterRequests() throws {
        let url = "/items/{{secret.access_token}}"
        let other = "/items/{{secret.access_token-2}}"
        let secrets = [SecretDescription(name: "access_token"), SecretDescription(name: "access_token-2")]
        let session = SecretTape.session(
            [
                SecretTape.set("second", RequestMatcher(url: try SecretTape.exact(other))),
                SecretTape.set("first", RequestMatcher(url: try SecretTape.exact(url))),
                SecretTape.set(
                    "basic",
                    RequestMatcher(
                        url: try SecretTape.exact("/basic"),
                        headers: [.init("x-signed", .equals("{{secret.access_token-2:base64}}"))]
                    )
                ),
            ],
            secrets: secrets
        )
        let values = SecretTape.values(secrets)
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/items/\(values[1])")) == "second")
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/items/\(values[0])")) == "first")
        let field = HeaderField("X-Signed", SecretTape.base64(values[1]))
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/basic", fields: [field])) == "basic")
    }

    @Test func anEnvironmentVariableHoldsTheValueOfASecret() throws {
        let set = SecretTape.set("wanted", RequestMatcher(url: try SecretTape.exact("/a/{{secret.key}}")))
        let session = SecretTape.session(
            [set],
            secrets: [SecretDescription(name: "key", environment: "THE_KEY")],
            environment: ["THE_KEY": "value-out-of-the-environment"]
        )
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/a/value-out-of-the-environment")) == "wanted")
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/a/any-other")) == nil)
    }

    @Test func addedSetsAndVariantConditionsMatchSecretsToo() throws {
        let when = RequestMatcher(headers: [.init("x-api-key", .equals("{{secret.api_key}}"))])
        let takes = ["with", "without"].map { Take(body: RunningProxy.text($0)) }
        let behaviour = Behaviour(
            .conditional(when: when, then: Behaviour(.takes([takes[0]])), otherwise: Behaviour(.takes([takes[1]])))
        )
        let set = ResponseSet(
            name: "by key",
            request: RequestMatcher(url: try SecretTape.exact("/a")),
            variants: [Variant(name: "a", behaviour: behaviour)]
        )
        let session = SecretTape.session([set])
        func take(_ fields: [HeaderField]) throws -> Take? {
            guard case .play(let play) = session.answer(try SecretTape.matchRequest("/a", fields: fields)) else {
                return nil
            }
            return play.tape.takes[play.take]
        }
        #expect(try take([HeaderField("X-Api-Key", "any-secret-key")]) == takes[0])
        #expect(try take([]) == takes[1])
        session.add(SecretTape.set("added", RequestMatcher(url: .exactPath("/b?api_key={{secret.api_key}}"))))
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/b?api_key=any-secret-key")) == "added")
    }

    @Test func aResetUnbindsAllSecrets() throws {
        let sets = try ["password", "password-2"].map { name in
            let json = SecretTape.json("{\"password\":\"{{secret.\(name)}}\"}")
            return SecretTape.set(name, RequestMatcher(url: try SecretTape.exact("/a"), body: [.json(json)]))
        }
        let session = SecretTape.session(sets)
        func ask(_ password: String) throws -> String? {
            SecretTape.asked(session, try SecretTape.matchRequest("/a", body: "{\"password\":\"\(password)\"}"))
        }
        #expect(try ask("first-password") == "password")
        #expect(try ask("second-password") == "password-2")
        session.resetAll()
        #expect(try ask("second-password") == "password")
        #expect(try ask("first-password") == "password-2")
    }

    /// The means by which a test distinguishes a wrong secret from the right one.
    @Test func anUnknownValueIsBoundToASecretOutsideTheEnvironmentFirst() throws {
        let sets = try ["password", "password-2"].map { name in
            let json = SecretTape.json("{\"password\":\"{{secret.\(name)}}\"}")
            return SecretTape.set(name, RequestMatcher(url: try SecretTape.exact("/a"), body: [.json(json)]))
        }
        let session = SecretTape.session(
            sets,
            secrets: [SecretDescription(name: "password", environment: "PASSWORD")],
            environment: ["PASSWORD": "right-password"]
        )
        func ask(_ password: String) throws -> String? {
            SecretTape.asked(session, try SecretTape.matchRequest("/a", body: "{\"password\":\"\(password)\"}"))
        }
        #expect(try ask("wrong-password") == "password-2")
        #expect(try ask("right-password") == "password")
        #expect(try ask("a-third-password") == "password-2")
    }

    @Test func boundSecretsSurviveAChangeOfTheCassette() throws {
        let sets = try ["password", "password-2"].map { name in
            let json = SecretTape.json("{\"password\":\"{{secret.\(name)}}\"}")
            return SecretTape.set(name, RequestMatcher(url: try SecretTape.exact("/a"), body: [.json(json)]))
        }
        let session = SecretTape.session(sets)
        func ask(_ password: String) throws -> String? {
            SecretTape.asked(session, try SecretTape.matchRequest("/a", body: "{\"password\":\"\(password)\"}"))
        }
        #expect(try ask("first-password") == "password")
        #expect(try ask("second-password") == "password-2")
        session.replaceTape(Tape([Cassette(name: "tape", responseSets: Array(sets.reversed()))]))
        #expect(try ask("second-password") == "password-2")
    }
}
