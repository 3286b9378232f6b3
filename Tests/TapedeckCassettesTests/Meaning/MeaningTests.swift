import TapedeckCassettes
import TapedeckCore
import Testing

/// Requests that mean the same, and requests that do not: each pair is recorded and then asked, written by hand and then
/// asked, and explained.
@Suite struct MeaningTests {
    // MARK: Pairs

    struct Pair: Sendable, CustomTestStringConvertible {
        var kind: String
        var name: String
        var isSame: Bool
        var one: RecordedExchange
        var other: RecordedExchange

        var testDescription: String { "\(self.kind): \(self.name)" }
    }

    private static func items(_ file: String) -> [JSONValue] {
        let path = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Pairs/\(file)"
        guard let bytes = try? FileContents.read(path), case .array(let items)? = try? JSONValue(parsing: bytes) else {
            Issue.record("\(path) is no list")
            return []
        }
        return items
    }

    private static func text(_ value: JSONValue, _ name: String) -> String? { value[name]?.stringValue }

    private static func exchange(_ url: String, _ type: String? = nil, _ body: String? = nil) -> RecordedExchange {
        var exchange = RecordedExchange.made(
            1,
            body == nil ? "GET" : "POST",
            text: "answer",
            sends: body ?? "",
            sentType: type
        )
        exchange.url = url
        return exchange
    }

    static let urls: [Pair] = Self.items("urls.json").map { item in
        Pair(
            kind: "url",
            name: Self.text(item, "name") ?? "",
            isSame: item["same"] == .bool(true),
            one: Self.exchange(Self.text(item, "a") ?? ""),
            other: Self.exchange(Self.text(item, "b") ?? "")
        )
    }

    static let bodies: [Pair] = Self.items("bodies.json").map { item in
        let type = Self.text(item, "type")
        let url = "https://a.test/"
        return Pair(
            kind: Self.text(item, "kind") ?? "",
            name: Self.text(item, "name") ?? "",
            isSame: item["same"] == .bool(true),
            one: Self.exchange(url, type, Self.text(item, "a")),
            other: Self.exchange(url, Self.text(item, "typeB") ?? type, Self.text(item, "b"))
        )
    }

    @Test func `there are as many pairs as a table needs`() {
        #expect(Self.urls.count >= 200)
        for kind in ["form", "multipart", "xml", "json", "graphql"] {
            #expect(Self.bodies.count { $0.kind == kind } >= 60, "\(kind)")
        }
    }

    // MARK: Recorded

    @Test func `recorded, then asked`() throws {
        for pair in Self.urls + Self.bodies {
            let fixture = try CassetteFixture()
            try fixture.record([pair.one])
            let isAnswered = try fixture.set(answering: pair.other) != nil
            let text = try fixture.text
            #expect(isAnswered == pair.isSame, "\(pair.testDescription): \(text)")
            #expect(try fixture.set(answering: pair.one) != nil, "\(pair.testDescription) itself")
            // The same request recorded again adds nothing but its answer.
            var again = pair.other
            again.number = 2
            let both = try CassetteFixture()
            try both.record([pair.one, again])
            #expect(try both.load().responseSets.count == (pair.isSame ? 1 : 2), "\(pair.testDescription), both")
        }
    }

    @Test func `explained`() throws {
        for pair in Self.urls + Self.bodies where !pair.isSame {
            let fixture = try CassetteFixture()
            try fixture.record([pair.one])
            let tapes = TapeStack(Tape([try fixture.load()]))
            let report = tapes.explainMiss(
                try CassetteFixture.matchRequest(pair.other),
                state: [:],
                reason: .noMatch,
                session: "default",
                mode: .replay
            )
            guard let near = report.nearest.first else {
                // Sets of other hosts are no near misses.
                #expect(pair.kind == "url", "\(pair.testDescription)")
                continue
            }
            #expect(!near.differences.isEmpty, "\(pair.testDescription)")
            for part in near.parts where !part.isMet {
                let difference = part.difference
                let texts = difference.dropFirst(part.name.count + 4).split(separator: ", the tape has ")
                #expect(texts.first != texts.last || texts.count == 1, "\(pair.testDescription): \(difference)")
                #expect(part.wanted != "all conditions of the set", "\(pair.testDescription): \(part)")
            }
        }
    }

    // MARK: By hand

    @Test func `written by hand, then asked`() throws {
        for pair in Self.urls + Self.bodies {
            guard let text = try Self.cassette(pair) else { continue }
            let fixture = try CassetteFixture(text)
            #expect(try fixture.set(answering: pair.one) != nil, "\(pair.testDescription) itself: \(text)")
            let isAnswered = try fixture.set(answering: pair.other) != nil
            #expect(isAnswered == pair.isSame, "\(pair.testDescription): \(text)")
        }
    }

    /// The conditions that a person would write; `nil` where a condition does not cover the body as a whole.
    private static func cassette(_ pair: Pair) throws -> String? {
        guard case .bytes(let body) = pair.one.requestBody else { return nil }
        let condition: String
        switch pair.kind {
        case "url": return CassetteText.request("method: GET\nurl: \(Self.quoted(pair.one.url))")
        case "form":
            let fields = body.withUnsafeBytes { FormBody.parse($0) }
            let values = Dictionary(grouping: fields, by: \.name).mapValues { $0.map { Self.quoted($0.value) } }
            // A field without a name cannot be written.
            guard values[""] == nil else { return nil }
            let lines = values.sorted { $0.key < $1.key }.map { name, values in
                "    \(Self.quoted(name)): "
                    + (values.count == 1 ? values[0] : "{ values: [\(values.joined(separator: ", "))] }")
            }
            condition = "form:\n\(lines.joined(separator: "\n"))\n  otherFields: refused"
        case "multipart":
            guard let parts = Self.parts(pair.one), let others = Self.parts(pair.other),
                Set(parts.map(\.name)).count == parts.count, !parts.contains(where: { $0.content.contains("\r\n--") }),
                // Such a condition lets other parts, and names of files that it does not have, be what they are.
                pair.isSame || parts.contains(where: { part in !others.contains { $0 == part } })
            else { return nil }
            let lines = parts.map { "    \(Self.quoted($0.name)): { content: \(Self.quoted($0.content)) }" }
            condition = "multipart:\n\(lines.joined(separator: "\n"))"
        case "json", "graphql": condition = "json: \(Self.quoted(String(decoding: body, as: UTF8.self)))"
        case "xml": condition = "xml: \(Self.quoted(String(decoding: body, as: UTF8.self)))"
        case "text": condition = "text: \(Self.quoted(String(decoding: body, as: UTF8.self)))"
        default: return nil
        }
        return CassetteText.request("method: POST\nurl: https://a.test/\nbody:\n  \(condition)")
    }

    private struct Part: Equatable {
        var name: String
        var content: String
    }

    /// The parts of form data; `nil` for one that has none, or one without a name or a text.
    private static func parts(_ exchange: RecordedExchange) -> [Part]? {
        guard case .bytes(let body) = exchange.requestBody,
            let type = exchange.requestHeaders.first(named: "content-type"), type.contains("form-data"),
            let parsed = body.withUnsafeBytes({ MultipartBody($0, contentType: type) })
        else { return nil }
        let parts = parsed.parts.compactMap { part in
            part.name.flatMap { name in
                String(validating: part.content, as: UTF8.self).map { Part(name: name, content: $0) }
            }
        }
        return parts.count == parsed.parts.count ? parts : nil
    }

    /// JSON's strings are YAML's.
    private static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).compactText, as: UTF8.self)
            .unicodeScalars.map { scalar in
                (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFEFF
                    ? "\\u\(String(0x1_0000 + scalar.value, radix: 16).dropFirst())" : String(scalar)
            }.joined()
    }

    // MARK: Small differences

    /// Requests that differ in meaning by one small place.
    static let falseHits: [(name: String, one: RecordedExchange, other: RecordedExchange)] =
        Self.items("false-hits.json").map { item in
            func exchange(_ suffix: String) -> RecordedExchange {
                var exchange = Self.exchange(Self.text(item, "url\(suffix)") ?? Self.text(item, "url") ?? "")
                exchange.method = Self.text(item, "method\(suffix)") ?? Self.text(item, "method") ?? "GET"
                let body = item["body\(suffix)"] ?? item["body"]
                exchange.requestBody = .bytes(Array((body?.stringValue ?? "").utf8))
                if case .object(let fields)? = item["fields\(suffix)"] ?? item["fields"] {
                    exchange.requestHeaders = fields.map { HeaderField($0.name, $0.value.stringValue ?? "") }
                }
                return exchange
            }
            return (Self.text(item, "name") ?? "", exchange(""), exchange("B"))
        }

    /// Fields that select no set by themselves: takes, by their conditions; answers that say so in Vary; or details of what
    /// is stored.
    private static let unselecting = [
        "range", "if-match", "accept", "accept-language", "x-amz-acl", "x-amz-storage-class", "x-github-event",
        "notion-version", "anthropic-version",
    ]

    @Test func `no request gets the answer to one that differs in one small place`() throws {
        #expect(Self.falseHits.count >= 500)
        var answered = 0
        for (name, one, other) in Self.falseHits {
            let changed = Self.unselecting.contains { name in
                one.requestHeaders.first(named: name) != other.requestHeaders.first(named: name)
            }
            // A field that only the request has selects nothing.
            if changed || one.requestHeaders.count < other.requestHeaders.count { continue }
            let fixture = try CassetteFixture()
            try fixture.record([one])
            #expect(try fixture.set(answering: one) != nil, "\(name) itself")
            guard try fixture.set(answering: other) != nil else { continue }
            answered += 1
            Issue.record("\(name): \(one.url) \(other.url)")
        }
        #expect(answered == 0)
    }
}

/// Requests whose values vary are recognised, but no request that means something else.
extension MeaningTests {
    @Test(arguments: [0, 9]) func `no value that varies makes another request the same`(days: Int64) throws {
        let pairs =
            (Self.urls + Self.bodies).filter { !$0.isSame }.map { ($0.testDescription, $0.one, $0.other) }
            + Self.falseHits
        var answered = 0
        for (name, one, other) in pairs {
            let fixture = try CassetteFixture()
            try fixture.record([one])
            var state = SessionState(name: "default", mode: .replay, tape: Tape([try fixture.load()]), seed: 1)
            let request = try CassetteFixture.matchRequest(other)
            // A request that matches without more is the table's own matter.
            guard try fixture.set(answering: other) == nil else { continue }
            let now = Instant(seconds: Int64(one.time) + days * 86_400)
            let found = state.varying(request)
            let varying = try #require(found)
            let index = VariationIndex(varying.tape, Surroundings())
            let run = VaryingRun(now: now, start: now, zone: 0, surroundings: Surroundings())
            guard varying.variation(run, index) != nil else { continue }
            answered += 1
            Issue.record("\(name): \(one.url) \(other.url)")
        }
        #expect(answered == 0)
    }
}
