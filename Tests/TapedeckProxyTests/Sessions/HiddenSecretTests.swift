import TapedeckCore
import TapedeckRedaction
import TapedeckSessions
import TestShare
import Testing

/// A set with placeholders answers a request whose secret no rule finds: the text at the place is the secret.
@Suite
struct HiddenSecretTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let request: @Sendable () throws -> RequestMatcher
        var path = "/a"
        var fields: [HeaderField] = []
        var body = ""
        /// Another path that differs outside of the secret.
        var otherPath: String?
        var otherFields: [HeaderField]?
        var otherBody: String?

        var testDescription: String { self.name }
    }

    private static func body(_ matcher: BodyMatcher) throws -> RequestMatcher {
        RequestMatcher(url: try SecretTape.exact("/a"), body: [matcher])
    }

    static let cases: [Case] = [
        Case(
            name: "path",
            request: { RequestMatcher(url: try SecretTape.exact("/early/{{secret.token}}")) },
            path: "/early/anything",
            otherPath: "/later/anything"
        ),
        Case(
            name: "a path that goes on",
            request: { RequestMatcher(url: try SecretTape.exact("/early/t-{{secret.token}}.json/of/{{secret.user}}")) },
            path: "/early/t-anything.json/of/me",
            otherPath: "/early/t-anything.xml/of/me"
        ),
        Case(
            name: "path without an origin",
            request: { RequestMatcher(url: .exactPath("/early/{{secret.token}}?page=1")) },
            path: "/early/anything?page=1",
            otherPath: "/early/anything?page=2"
        ),
        Case(
            name: "percent-encoded in a path",
            request: { RequestMatcher(url: try SecretTape.exact("/early/{{secret.token:percent}}/end")) },
            path: "/early/any%2Fthing/end",
            otherPath: "/early/any/thing/end"
        ),
        Case(
            name: "base64 in a path",
            request: { RequestMatcher(url: try SecretTape.exact("/early/{{secret.token:base64url}}")) },
            path: "/early/YW55dGhpbmc",
            otherPath: "/early/!!!"
        ),
        Case(
            name: "query of the URL",
            request: { RequestMatcher(url: try SecretTape.exact("/a?page=1&who={{secret.token}}")) },
            path: "/a?who=anything&page=1",
            otherPath: "/a?who=anything&page=2"
        ),
        Case(
            name: "query",
            request: {
                RequestMatcher(url: try SecretTape.exact("/a"), query: [.init("who", .equals("id-{{secret.token}}"))])
            },
            path: "/a?who=id-any%20thing",
            otherPath: "/a?who=any%20thing"
        ),
        Case(
            name: "header",
            request: {
                RequestMatcher(
                    url: try SecretTape.exact("/a"),
                    headers: [.init("x-who", .equals("id {{secret.token}}"))]
                )
            },
            fields: [HeaderField("X-Who", "id anything")],
            otherFields: [HeaderField("X-Who", "anything")]
        ),
        Case(
            name: "cookie",
            request: {
                RequestMatcher(
                    url: try SecretTape.exact("/early/{{secret.token}}"),
                    cookies: [.init("who", .equals("{{secret.token}}"))]
                )
            },
            path: "/early/anything",
            fields: [HeaderField("Cookie", "a=b; who=anything")],
            otherFields: [HeaderField("Cookie", "a=b; who=anybody")]
        ),
        Case(
            name: "JSON",
            request: { try Self.body(.json(SecretTape.json(#"{"who":["id {{secret.token}}",1],"n":2}"#))) },
            body: #"{"n":2.0,"who":["id anything",1]}"#,
            otherBody: #"{"n":3,"who":["id anything",1]}"#
        ),
        Case(
            name: "number in JSON",
            request: { try Self.body(.json(SecretTape.json(#"{"who":"{{secret.token:number}}","n":2}"#))) },
            body: #"{"n":2,"who":12}"#,
            otherBody: #"{"n":2,"who":[12]}"#
        ),
        Case(
            name: "JSON that has at least",
            request: { try Self.body(.jsonSubset(SecretTape.json(#"{"who":"{{secret.token}}"}"#))) },
            body: #"{"n":2,"who":"anything"}"#,
            otherBody: #"{"n":2}"#
        ),
        Case(
            name: "JSON path",
            request: { try Self.body(.jsonPath(try JSONPath("$.a.who"), .value(.equals("{{secret.token}}")))) },
            body: #"{"a":{"who":"anything"}}"#,
            otherBody: #"{"who":"anything"}"#
        ),
        Case(
            name: "GraphQL variables",
            request: {
                try Self.body(.graphQL(operation: nil, variables: SecretTape.json(#"{"who":"{{secret.token}}"}"#)))
            },
            body: #"{"query":"query Q { a }","variables":{"who":"anything"}}"#,
            otherBody: #"{"query":"query Q { a }","variables":{"who":{}}}"#
        ),
        Case(
            name: "form",
            request: {
                let fields = [("who", "{{secret.token}}"), ("page", "1")]
                return try Self.body(
                    .form(fields.map { RequestMatcher.Field($0.0, .equals($0.1)) }, refusesOthers: true)
                )
            },
            fields: [HeaderField("Content-Type", "application/x-www-form-urlencoded")],
            body: "page=1&who=any+thing",
            otherBody: "page=2&who=any+thing"
        ),
        Case(
            name: "text",
            request: { try Self.body(.text(.equals("I am {{secret.token}}, really"))) },
            body: "I am anything, really",
            otherBody: "I am anything, or not"
        ),
    ]

    @Test(arguments: Self.cases)
    func aPlaceholderMatchesTheValueAtItsPlace(_ example: Case) throws {
        let session = SecretTape.session([SecretTape.set("wanted", try example.request())])
        let matchRequest = try SecretTape.matchRequest(example.path, fields: example.fields, body: example.body)
        // Also a second time, when it is known.
        for _ in 0..<2 { #expect(SecretTape.asked(session, matchRequest) == "wanted") }
        #expect(session.explanation(matchRequest).candidates.count == 1)
    }

    @Test(arguments: Self.cases)
    func theRestOfTheRequestMustMatchTheTape(_ example: Case) throws {
        let session = SecretTape.session([SecretTape.set("wanted", try example.request())])
        let matchRequest = try SecretTape.matchRequest(
            example.otherPath ?? example.path,
            fields: example.otherFields ?? example.fields,
            body: example.otherBody ?? example.body
        )
        #expect(SecretTape.asked(session, matchRequest) == nil)
        let get = try SecretTape.matchRequest(example.path, method: "GET", fields: example.fields, body: example.body)
        var set = SecretTape.set("wanted", try example.request())
        set.request.methods = ["POST"]
        #expect(SecretTape.asked(SecretTape.session([set]), get) == nil)
    }

    private static func paths(_ names: [String]) throws -> [ResponseSet] {
        try names.map { name in
            SecretTape.set(name, RequestMatcher(url: try SecretTape.exact("/early/{{secret.\(name)}}")))
        }
    }

    @Test(arguments: [["one", "two"], ["a1b2c3d4e5f6", "0f9e8d7c6b5a"]])
    func eachNewValueIsBoundToTheNextSecret(_ values: [String]) throws {
        let session = SecretTape.session(try Self.paths(["token", "token-2"]))
        func ask(_ value: String) throws -> String? {
            SecretTape.asked(session, try SecretTape.matchRequest("/early/\(value)"))
        }
        #expect(try ask(values[0]) == "token")
        #expect(try ask(values[1]) == "token-2")
        #expect(try ask(values[0]) == "token")
        #expect(try ask(values[1]) == "token-2")
        // There is no third secret: whichever it is assigned to, it must not fail.
        #expect(try ask("another-value") != nil)
        session.resetAll()
        #expect(try ask(values[1]) == "token")
        #expect(try ask(values[0]) == "token-2")
    }

    @Test func aValueBoundToAnotherSecretDoesNotMatch() throws {
        let other = RequestMatcher(
            url: try SecretTape.exact("/login"),
            query: [.init("api_key", .equals("{{secret.api_key}}"))]
        )
        let secrets = [SecretDescription(name: "played")]
        let session = SecretTape.session(
            [SecretTape.set("login", other)] + (try Self.paths(["token"])),
            secrets: secrets
        )
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/login?api_key=key-0123456789")) == "login")
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/early/key-0123456789")) == nil)
        #expect(
            SecretTape.asked(session, try SecretTape.matchRequest("/early/\(SecretTape.values(secrets)[0])")) == nil
        )
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/early/key-9876543210")) == "token")
    }

    @Test func aBoundSecretIsRecognisedInOtherRequests() throws {
        let field = RequestMatcher.Field("authorization", .equals("Bearer {{secret.token-2}}"))
        let sets = [SecretTape.set("me", RequestMatcher(url: try SecretTape.exact("/me"), headers: [field]))]
        let session = SecretTape.session(sets + (try Self.paths(["token", "token-2"])))
        func ask(_ path: String, _ token: String) throws -> String? {
            let fields = path == "/me" ? [HeaderField("Authorization", "Bearer \(token)")] : []
            return SecretTape.asked(session, try SecretTape.matchRequest(path, fields: fields))
        }
        #expect(try ask("/early/a1b2c3d4e5f6", "") == "token")
        #expect(try ask("/early/0f9e8d7c6b5a", "") == "token-2")
        #expect(try ask("/me", "0f9e8d7c6b5a") == "me")
        #expect(try ask("/me", "a1b2c3d4e5f6") == nil)
    }

    @Test func manySetsOfOnePathAreDistinguished() throws {
        let names = (1...rounds(1_200)).map { $0 == 1 ? "token" : "token-\($0)" }
        let session = SecretTape.session(try Self.paths(names))
        for name in names {
            #expect(SecretTape.asked(session, try SecretTape.matchRequest("/early/of-\(name)-0")) == name)
        }
        #expect(SecretTape.asked(session, try SecretTape.matchRequest("/early/of-token-7-0")) == "token-7")
        // A word is not looked for everywhere, so it is found by its place each time.
        let other = SecretTape.session(try Self.paths(names))
        for _ in 0..<2 { #expect(SecretTape.asked(other, try SecretTape.matchRequest("/early/word")) == "token") }
    }

    @Test func aMatchIsPlayedAndAnotherRequestIsForwarded() throws {
        let session = SecretTape.session(try Self.paths(["token"]), mode: .append)
        guard case .play = session.answer(try SecretTape.matchRequest("/early/anything")) else {
            Issue.record("what is on tape is not played")
            return
        }
        guard case .forward(record: true, _) = session.answer(try SecretTape.matchRequest("/other/anything")) else {
            Issue.record("what is not on tape is not asked for")
            return
        }
    }
}
