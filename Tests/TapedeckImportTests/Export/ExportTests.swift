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
        let exchanges = ExportedExchanges(try self.cassette()) { body in
            if case .inline(let body) = body { body.decoded } else { [] }
        }
        let file = format.file(exchanges, name: "shop", version: "1")
        return (String(decoding: file.bytes, as: UTF8.self), file.leftOut)
    }

    @Test("what a format cannot say is named", arguments: ExportFormat.allCases)
    func leftOut(format: ExportFormat) throws {
        let reasons = try Self.export(format).leftOut.map(\.line)
        #expect(reasons.contains { $0.hasPrefix("greeting: ") && $0.contains("'other'") })
        #expect(reasons.contains { $0.hasPrefix("down: ") } == (format == .vcr))
    }

    @Test("HAR and VCR are read back with the same answers", arguments: [ExportFormat.har, .vcr])
    func readBack(format: ExportFormat) throws {
        let file = ImportFile(path: "shop", bytes: Array(try Self.export(format).text.utf8))
        let reader = try #require(ImportFormats.recognising(file))
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
        #expect(try ContentCoder.decode(exchanges[1].body, .gzip, limit: 100) == Array("coded".utf8))
        #expect(exchanges[1].headers.first(named: "content-encoding") == "gzip")
        #expect(exchanges[2].body == [0, 0xFF])
        #expect(exchanges[2].requestBody == Self.json)
        #expect(exchanges[2].headers.filter { $0.isNamed("set-cookie") }.map(\.value) == ["a", "b"])
        #expect(exchanges.allSatisfy { $0.time?.rfc3339 == "2026-11-21T10:00:00Z" })
    }

    @Test("a fault is a failed entry of HAR")
    func fault() throws {
        let file = ImportFile(path: "shop", bytes: Array(try Self.export(.har).text.utf8))
        let entries = try HARFile().read(file).exchanges
        #expect(entries.contains { (try? $0.result.get().fault) == .emptyResponse })
    }

    @Test("several answers are a scenario of WireMock, and hosts are told apart")
    func wireMock() throws {
        let mappings = try JSONValue(parsing: Array(try Self.export(.wiremock).text.utf8))["mappings"]
        guard case .array(let stubs)? = mappings else { throw ExpectationFailure() }
        #expect(stubs.map { $0["scenarioName"]?.stringValue } == ["greeting", "greeting", nil, nil])
        #expect(stubs.map { $0["requiredScenarioState"]?.stringValue } == ["Started", "answer 2", nil, nil])
        #expect(stubs.map { $0["newScenarioState"]?.stringValue } == ["answer 2", nil, nil, nil])
        #expect(stubs[0]["request"]?["url"]?.stringValue == "/greeting?x=1")
        #expect(stubs[0]["request"]?["host"]?["equalTo"]?.stringValue == "a.test")
        #expect(stubs[1]["response"]?["body"]?.stringValue == "coded")
        #expect(stubs[1]["response"]?["headers"] == nil)
        #expect(stubs[2]["response"]?["base64Body"]?.stringValue == "AP8=")
        #expect(stubs[3]["response"]?["fault"]?.stringValue == "EMPTY_RESPONSE")
    }

    private struct ExpectationFailure: Error {}

    @Test("a script of curl quotes for the shell")
    func curl() throws {
        let text = try Self.export(.curl).text
        #expect(text.hasPrefix("#!/bin/sh\n"))
        #expect(
            text.contains(#"--request 'POST' --data-binary '{"a": 1}' --header 'Content-Type:' 'http://b.test/bytes'"#)
        )
    }
}
