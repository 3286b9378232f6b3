import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckSessions
import TestShare
import Testing

/// Answers of takes with secret placeholders.
@Suite
struct SecretWireTests {
    private static let secrets = [
        SecretDescription(name: "access_token"), SecretDescription(name: "key", environment: "THE_KEY"),
    ]
    private static let environment = ["THE_KEY": "key-of-the-environment"]
    private static var token: String { SecretTape.values(Self.secrets, environment: Self.environment)[0] }

    private static func cassette(_ behaviours: KeyValuePairs<String, Behaviour>) throws -> Cassette {
        var cassette = try RunningProxy.cassette(behaviours)
        cassette.secrets = Self.secrets
        return cassette
    }

    private static func use(
        _ behaviours: KeyValuePairs<String, Behaviour>,
        _ work: (RunningProxy) async throws -> Void
    ) async throws {
        let secrets = DeckSecrets(environment: Self.environment)
        var settings = Session.Settings(mode: .replay)
        settings.secrets = secrets
        let session = Session(settings, tape: Tape([try Self.cassette(behaviours)]))
        try await Holding.use(try await RunningProxy.start(session, secrets: secrets), work)
    }

    private static func ask(
        _ proxy: RunningProxy,
        _ path: String,
        method: String = "GET",
        fields: String = ""
    ) async throws -> WireResponse {
        let client = try await proxy.connect()
        try await client.send("\(method) \(RunningProxy.origin)\(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        let response = await client.response(isHead: method == "HEAD")
        await client.close()
        return response
    }

    private static let body = #"{"access_token": "{{secret.access_token}}", "key": "{{secret.key}}"}"#

    private static func json(coding: BodyCoding? = nil) -> StoredBody {
        .inline(InlineBody(form: .json, content: Array(Self.body.utf8), coding: coding))
    }

    private static var played: String { "{\"access_token\": \"\(Self.token)\", \"key\": \"key-of-the-environment\"}" }

    @Test func placeholdersInHeadersAndBodyAreFilledIn() async throws {
        let take = Take(
            headers: [
                HeaderField("Set-Cookie", "sid={{secret.access_token}}; Path=/"), HeaderField("Content-Length", "9"),
                HeaderField("Location", "/next?key={{secret.key}}"),
            ],
            body: Self.json()
        )
        try await Self.use(["/a": Behaviour(.takes([take]))]) { proxy in
            // Made the first time, out of memory the second.
            for _ in 0..<2 {
                let response = try await Self.ask(proxy, "/a")
                #expect(response.body == Self.played)
                #expect(response["Set-Cookie"] == "sid=\(Self.token); Path=/")
                #expect(response["Location"] == "/next?key=key-of-the-environment")
                #expect(response["Content-Length"] == "\(Self.played.utf8.count)")
            }
            let head = try await Self.ask(proxy, "/a", method: "HEAD")
            #expect(head["Content-Length"] == "\(Self.played.utf8.count)")
        }
    }

    @Test func theJournalHasThePlayedBody() async throws {
        try await Self.use(["/a": Behaviour(.takes([Take(body: Self.json())]))]) { proxy in
            _ = try await Self.ask(proxy, "/a")
            let entry = await Holding.ended(proxy.session, 1)
            #expect(entry?.response.map { String(decoding: $0.body.bytes, as: UTF8.self) } == Self.played)
        }
    }

    @Test func aContentCodingIsAppliedAfterSecretsAreFilledIn() async throws {
        try await Self.use(["/a": Behaviour(.takes([Take(body: Self.json(coding: .gzip))]))]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get("/a", fields: "Accept-Encoding: gzip\r\n"))
            let (bytes, _) = await client.readToEnd()
            let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
            let body = try ContentCoder.decode(Array(bytes[end.upperBound...]), .gzip, limit: 1 << 20)
            #expect(String(decoding: body, as: UTF8.self) == Self.played)
            let response = try await Self.ask(proxy, "/a")
            #expect(response.body == Self.played)
        }
    }

    @Test func placeholdersInTrailersAndInterimResponsesAreFilledIn() async throws {
        let take = Take(
            interim: [Take.Interim(status: 103, headers: [HeaderField("Link", "</{{secret.access_token}}>")])],
            body: Self.json(),
            trailers: [HeaderField("X-Signed", "{{secret.key}}")]
        )
        try await Self.use(["/a": Behaviour(.takes([take]))]) { proxy in
            let (text, _) = try await proxy.ask("/a")
            #expect(text.contains("Link: </\(Self.token)>\r\n"))
            #expect(text.contains("X-Signed: key-of-the-environment\r\n"))
            #expect(text.contains(Self.played))
            #expect(!text.contains("{{"))
        }
    }

    @Test(arguments: some(of: [1, 40_000, 60_000]))
    func placeholdersInTextBodyFilesAreFilledIn(_ times: Int) async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/body.txt"
        let text = String(repeating: "token {{secret.access_token}}\n", count: times)
        try FileContents.replace(path, with: Array(text.utf8))
        let file = BodyFile(name: "body.txt", path: path, size: text.utf8.count)
        try await Self.use([
            "/a": Behaviour(.takes([Take(headers: [HeaderField("Content-Length", "1")], body: .file(file))]))
        ]) { proxy in
            let expected = String(repeating: "token \(Self.token)\n", count: times)
            let head = try await Self.ask(proxy, "/a", method: "HEAD")
            #expect(head["Content-Length"] == "\(expected.utf8.count)")
            for _ in 0..<2 {
                let response = try await Self.ask(proxy, "/a")
                #expect(response.body == expected)
            }
        }
    }

    @Test func placeholdersInATemplateAreFilledIn() async throws {
        let take = Take(
            headers: [HeaderField("X-Token", "{{secret.access_token}}"), HeaderField("X-Path", "{{request.path}}")],
            body: .inline(
                InlineBody(form: .json, content: Array(#"{"t":"{{secret.access_token}}","q":"{{query.q}}"}"#.utf8))
            )
        )
        try await Self.use(["/a?q=x": Behaviour(.takes([take]), isTemplate: true)]) { proxy in
            let response = try await Self.ask(proxy, "/a?q=x")
            #expect(response.body == "{\"t\":\"\(Self.token)\",\"q\":\"x\"}")
            #expect(response["X-Token"] == Self.token)
            #expect(response["X-Path"] == "/a")
        }
    }

    @Test func changesApplyToTheBodyWithSecretsFilledIn() async throws {
        let patch = try JSONValue(parsing: Array(#"{"more":1}"#.utf8))
        let behaviour = Behaviour(.takes([Take(body: Self.json())]), changes: [.merge(patch)])
        try await Self.use(["/a": behaviour]) { proxy in
            let response = try await Self.ask(proxy, "/a")
            #expect(response.body.contains("\"more\":1"))
            #expect(response.body.contains(Self.token))
            #expect(!response.body.contains("{{"))
        }
    }

    @Test func anAddedSetPlaysTheSameValues() async throws {
        try await Self.use(["/a": Behaviour(.takes([Take(body: Self.json())]))]) { proxy in
            let take = Take(body: RunningProxy.text("{{secret.access_token}} {{secret.key}}"))
            let request = RequestMatcher(url: try SecretTape.exact("/b"))
            proxy.session.add(
                ResponseSet(name: "added", request: request, variants: [Variant(name: "a", takes: [take])])
            )
            let response = try await Self.ask(proxy, "/b")
            #expect(response.body == "\(Self.token) key-of-the-environment")
        }
    }

    @Test func aPlayedTokenThatComesBackFindsItsSet() async throws {
        let wanted = RequestMatcher(
            url: try SecretTape.exact("/me"),
            headers: [.init("authorization", .equals("Bearer {{secret.access_token}}"))]
        )
        try await Self.use(["/login": Behaviour(.takes([Take(body: Self.json())]))]) { proxy in
            proxy.session.add(SecretTape.set("me", wanted))
            let login = try await Self.ask(proxy, "/login")
            let played = Self.token
            let token = try #require(login.body.split(separator: "\"").first { $0 == played })
            let me = try await Self.ask(proxy, "/me", fields: "Authorization: Bearer \(token)\r\n")
            #expect(me.body == "me")
        }
    }

    @Test func anUnmatchedAnswerContainsNoSecret() async throws {
        try await Self.use(["/a": Behaviour(.takes([Take(body: Self.json())]))]) { proxy in
            let fields = "Authorization: Bearer q7Bx2Kd9vLw4ZtM1\r\nCookie: sid=c7Bx2Kd9vLw4ZtM2\r\n"
            let path = "/b/q7Bx2Kd9vLw4ZtM1?api_key=a7Bx2Kd9vLw4ZtM3&x=\(Self.token)"
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(path, fields: fields))
            let (bytes, _) = await client.readToEnd()
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 501 "))
            for secret in ["7Bx2Kd9vLw4ZtM", Self.token] { #expect(!text.contains(secret)) }
            // The journal has the original request, because a test may check it.
            let entry = await Holding.ended(proxy.session, 1)
            #expect(entry?.request.line.url.description == "\(RunningProxy.origin)\(path)")
        }
    }

    @Test func aTapeWithoutPlaceholdersIsPlayedAsItIs() async throws {
        let text = "{{ secret }} {{secret}} {{secret.}} {{any.uuid}}"
        try await Self.use(["/a": Behaviour(.takes([Take(body: RunningProxy.text(text))]))]) { proxy in
            let response = try await Self.ask(proxy, "/a")
            #expect(response.body == text)
        }
    }
}
