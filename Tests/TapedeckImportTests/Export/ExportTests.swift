import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckImport

/// Cassettes as files of other tools, read back.
@Suite struct ExportTests {
    private static let json = Array(#"{"a": 1}"#.utf8)

    private static func take(_ body: StoredBody, status: Int = 200, headers: [HeaderField] = []) -> Take {
        Take(status: status, headers: headers, body: body, recorded: "2026-11-21T10:00:00Z, answered in 120 ms")
    }

    /// A set of two answers, one of bytes with duplicate fields, one under gzip, and one that is a fault.
    private static func cassette() throws -> Cassette {
        let greeting = try #require(AbsoluteURL("https://a.test/greeting?x=1"))
        let bytes = try #require(AbsoluteURL("http://b.test/bytes"))
        let text = InlineBody(form: .text, content: Array("h\u{E9}llo\n'".utf8))
        let coded = InlineBody(form: .text, content: Array("coded".utf8), coding: .gzip)
        let sent = InlineBody(form: .json, content: self.json)
        return Cassette(
            name: "shop",
            responseSets: [
                ResponseSet(
                    name: "greeting",
                    request: RequestMatcher(method: "GET", url: greeting),
                    variants: [
                        Variant(
                            name: "recorded",
                            takes: [
                                self.take(.inline(text), headers: [HeaderField("Content-Type", "text/plain")]),
                                self.take(
                                    .inline(coded),
                                    status: 201,
                                    headers: [HeaderField("Content-Encoding", "gzip")]
                                ),
                            ]
                        ),
                        Variant(name: "other", takes: [self.take(.none)]),
                    ]
                ),
                ResponseSet(
                    name: "bytes",
                    request: RequestMatcher(method: "POST", url: bytes, body: .json(sent)),
                    variants: [
                        Variant(
                            name: "recorded",
                            takes: [
                                self.take(
                                    .inline(InlineBody(form: .base64, content: [0, 0xFF])),
                                    headers: [HeaderField("Set-Cookie", "a"), HeaderField("Set-Cookie", "b")]
                                )
                            ]
                        )
                    ]
                ),
                ResponseSet(
                    name: "down",
                    request: RequestMatcher(method: "GET", url: bytes),
                    variants: [Variant(name: "recorded", takes: [Take(fault: .emptyResponse)])]
                ),
            ]
        )
    }

    private static func export(_ format: ExportFormat) throws -> (text: String, leftOut: [ExportRemark]) {
        let file = format.file(try self.cassette(), version: "1") { body in
            if case .inline(let body) = body { body.decoded } else { [] }
        }
        return (String(decoding: file.bytes, as: UTF8.self), file.leftOut)
    }

    @Test("content that a format cannot express is reported", arguments: ExportFormat.allCases)
    func leftOut(format: ExportFormat) throws {
        let reasons = try Self.export(format).leftOut.map(\.line)
        #expect(reasons.contains { $0.hasPrefix("greeting: ") && $0.contains("'other'") })
        #expect(reasons.contains { $0.hasPrefix("down: ") } == (format == .vcr || format == .vcrpy))
    }

    @Test("HAR and VCR are read back with the same answers", arguments: [ExportFormat.har, .vcr, .vcrpy])
    func readBack(format: ExportFormat) throws {
        let file = ImportFile(path: "shop", bytes: Array(try Self.export(format).text.utf8))
        let reader = try #require(ImportFormats.plain.recognising(file))
        #expect(reader.name == format.rawValue)
        let exchanges = try reader.read(file).exchanges.map { try $0.result.get() }.filter { $0.fault == nil }
        #expect(exchanges.map(\.method) == ["GET", "GET", "POST"])
        #expect(
            exchanges.map(\.url) == [
                "https://a.test/greeting?x=1", "https://a.test/greeting?x=1", "http://b.test/bytes",
            ]
        )
        #expect(exchanges.map(\.status) == [200, 201, 200])
        #expect(exchanges[0].body == Array("h\u{E9}llo\n'".utf8))
        // vcrpy plays bodies as they are in the file.
        let isCoded = format != .vcrpy
        let body = isCoded ? try ContentCoder.decode(exchanges[1].body, .gzip, limit: 100) : exchanges[1].body
        #expect(body == Array("coded".utf8))
        #expect(exchanges[1].headers.first(named: "content-encoding") == (isCoded ? "gzip" : nil))
        #expect(exchanges[2].body == [0, 0xFF])
        #expect(exchanges[2].requestBody == Self.json)
        #expect(exchanges[2].headers.filter { $0.isNamed("set-cookie") }.map(\.value) == ["a", "b"])
        #expect(exchanges.allSatisfy { $0.time?.rfc3339 == (isCoded ? "2026-11-21T10:00:00Z" : nil) })
    }

    @Test("a fault is a failed entry of HAR")
    func fault() throws {
        let file = ImportFile(path: "shop", bytes: Array(try Self.export(.har).text.utf8))
        let entries = try HARFile().read(file).exchanges
        #expect(entries.contains { (try? $0.result.get().fault) == .emptyResponse })
    }

    @Test("several answers become a WireMock scenario, and hosts stay separate")
    func wireMock() throws {
        let mappings = try JSONValue(parsing: Array(try Self.export(.wiremock).text.utf8))["mappings"]
        guard case .array(let stubs)? = mappings else { throw ExpectationFailure() }
        // WireMock asks the last one first.
        #expect(stubs.map { $0["scenarioName"]?.stringValue } == [nil, nil, "greeting", "greeting"])
        #expect(stubs.map { $0["requiredScenarioState"]?.stringValue } == [nil, nil, "answer 2", "Started"])
        #expect(stubs.map { $0["newScenarioState"]?.stringValue } == [nil, nil, nil, "answer 2"])
        #expect(stubs[3]["request"]?["url"]?.stringValue == "/greeting?x=1")
        #expect(stubs[3]["request"]?["host"]?["equalTo"]?.stringValue == "a.test")
        #expect(stubs[2]["response"]?["body"]?.stringValue == "coded")
        #expect(stubs[2]["response"]?["headers"] == nil)
        #expect(stubs[1]["response"]?["base64Body"]?.stringValue == "AP8=")
        #expect(Self.first(stubs[1]["request"]?["bodyPatterns"])?["equalToJson"]?.stringValue == #"{"a": 1}"#)
        #expect(stubs[0]["response"]?["fault"]?.stringValue == "EMPTY_RESPONSE")
    }

    @Test("WireMock stubs read back unchanged, or the omitted parts are reported", arguments: WireMockTests.cases)
    func stubsComeBack(stub: StubCase) throws {
        func read(_ text: [UInt8]) throws -> Cassette? {
            let file = ImportFile(path: "file.json", bytes: text) { _ in [1, 2, 255] }
            let contents = try WireMockMappings().read(file)
            guard case .success(let stub)? = contents.stubs.first?.result else { return nil }
            return Cassette(name: "c", state: contents.state, responseSets: [stub.set])
        }
        guard let cassette = try read(Array(stub.text.utf8)) else { return }
        // Mappings ask for the host of a whole URL only where a cassette has several.
        if case .exact = cassette.responseSets[0].request.url { return }
        let file = ExportFormat.wiremock.file(cassette, version: "1") { body in
            if case .inline(let body) = body { body.decoded } else { [] }
        }
        let text = String(decoding: file.bytes, as: UTF8.self)
        guard file.leftOut.isEmpty else {
            #expect(cassette.responseSets[0].variants[0].behaviour.isTemplate, "\(file.leftOut)")
            return
        }
        let again = try #require(try read(file.bytes), "\(text)")
        guard CassetteWriter.text(of: again) != CassetteWriter.text(of: cassette) else { return }
        // A pattern of several conditions has another spelling: what it matches counts.
        try #require(!stub.answers.isEmpty, "\(text)")
        try stub.checkRequests(again)
    }

    @Test("a set becomes a WireMock mapping")
    func mappingOfOneSet() throws {
        let matcher = RequestMatcher(
            methods: ["GET", "HEAD"],
            url: .template(try URLTemplate("/users/{id}")),
            host: .names(["a.test:8080"]),
            query: [.init("q", .oneOf(["1", "2"])), .init("q", .not(.equals("3")))],
            headers: [.init("x-a", .prefix("a.b")), .init("x-b", .not(.pattern(try Pattern("^c", scope: .anywhere))))]
        )
        let behaviour = Behaviour(.takes([Take(status: 200)]), pacing: Pacing(delay: .logNormal(median: 5, sigma: 0.5)))
        var set = ResponseSet(
            name: "users",
            request: matcher,
            priority: 2,
            requires: [StateEntry("cart", "empty")],
            sets: [StateEntry("cart", "full")],
            variants: [Variant(name: "v", behaviour: behaviour)]
        )
        func mapping() throws -> (JSONValue, [String]) {
            let cassette = Cassette(name: "c", state: [StateEntry("cart", "empty")], responseSets: [set])
            let file = ExportFormat.wiremock.file(cassette, version: "1") { _ in [] }
            return (Self.first(try JSONValue(parsing: file.bytes)["mappings"]) ?? .null, file.leftOut.map(\.reason))
        }
        let (stub, leftOut) = try mapping()
        let wanted = #"""
            {"name": "users", "priority": 3, "request": {"method": {"oneOf": ["GET", "HEAD"]}, "urlPathTemplate":
            "/users/{id}", "host": {"equalTo": "a.test"}, "port": 8080, "queryParameters": {"q": {"and": [{"or":
            [{"equalTo": "1"}, {"equalTo": "2"}]}, {"not": {"equalTo": "3"}}]}}, "headers": {"x-a": {"matches":
            "(?s)a\\.b.*"}, "x-b": {"doesNotMatch": "(?s:.*)(?:^c)(?s:.*)"}}}, "response": {"status": 200,
            "delayDistribution": {"type": "lognormal", "median": 5, "sigma": 0.5}}, "scenarioName": "cart",
            "requiredScenarioState": "Started", "newScenarioState": "full"}
            """#
        #expect(stub == (try JSONValue(parsing: Array(wanted.utf8))))
        #expect(leftOut.isEmpty)
        // A condition without a form would have the mapping answer more.
        set.request.body = [.sha256("00")]
        let (none, reasons) = try mapping()
        #expect(none == .null)
        #expect(reasons == ["it is left out: its condition on the digest of the body has no form there"])
    }

    private static func first(_ list: JSONValue?) -> JSONValue? {
        if case .array(let items)? = list { items.first } else { nil }
    }

    private struct ExpectationFailure: Error {}

    @Test("a curl script quotes for the shell")
    func curl() throws {
        let text = try Self.export(.curl).text
        #expect(text.hasPrefix("#!/bin/sh\n"))
        // The URL is sent as it is, whatever brackets and dots are in it.
        #expect(text.contains("--globoff --path-as-is "))
        #expect(
            text.contains(
                #"--request 'POST' --header 'Content-Type: application/json' --data-binary '{"a": 1}' 'http://b.test/bytes'"#
            )
        )
    }
}
