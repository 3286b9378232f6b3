import Testing

@testable import TapedeckCore

/// Which take a request with conditions or a range gets, and what is derived from it.
@Suite struct TakeSelectorTests {
    private static let url = "https://a.test/file"

    private static func take(
        _ status: Int,
        _ body: String = "",
        asked: [HeaderField] = [],
        _ headers: [HeaderField] = [HeaderField("ETag", "\"v1\"")]
    ) -> Take {
        Take(
            status: status,
            headers: headers,
            body: .inline(InlineBody(form: .text, content: Array(body.utf8))),
            recorded: "2026-11-21T10:00:00Z",
            request: asked.isEmpty ? nil : Take.Request(headers: asked)
        )
    }

    private static func part(_ bytes: ClosedRange<Int>, of size: Int = 10, tag: String = "\"v1\"") -> Take {
        self.take(
            206,
            String("0123456789".dropFirst(bytes.lowerBound).prefix(bytes.count)),
            asked: [HeaderField("Range", "bytes=\(bytes.lowerBound)-\(bytes.upperBound)")],
            [
                HeaderField("ETag", tag),
                HeaderField("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound)/\(size)"),
            ]
        )
    }

    private func session(_ takes: [Take], method: String = "GET") throws -> SessionState {
        let set = ResponseSet(
            name: "file",
            request: RequestMatcher(methods: [method], url: .exact(try #require(AbsoluteURL(Self.url)))),
            variants: [Variant(name: "recorded", takes: takes)]
        )
        return SessionState(name: "s", mode: .replay, tape: Tape([Cassette(name: "c", responseSets: [set])]))
    }

    /// Returns for each request the number of its take and the derived response; `nil` for a miss.
    private func answers(
        _ takes: [Take],
        method: String = "GET",
        _ requests: [HeaderField?]...
    ) throws -> [String?] {
        var state = try self.session(takes, method: method)
        return try requests.map { fields in
            switch state.answer(try Samples.matchRequest(method, Self.url, headers: fields.compactMap { $0 })) {
            case .decided(.play(let play)):
                guard let excerpt = play.staging?.excerpt else { return "\(play.take)" }
                switch excerpt {
                case .notModified: return "\(play.take) 304"
                case .preconditionFailed: return "\(play.take) 412"
                case .ranges: return "\(play.take) range"
                case .unsatisfiable: return "\(play.take) 416"
                case .parts(let parts, let content, let isPart):
                    let all = parts.map { "\($0.take):\($0.bytes.lowerBound)-\($0.bytes.upperBound - 1)" }
                    return (isPart ? "\(content.text) " : "200 ") + all.joined(separator: " ")
                }
            case .miss(.otherFields): return nil
            case let other: return "\(other)"
            }
        }
    }

    private static func range(_ text: String) -> HeaderField { HeaderField("Range", "bytes=\(text)") }
    private static func none(_ tag: String) -> HeaderField { HeaderField("If-None-Match", tag) }

    @Test func `a recorded range answers itself alone`() throws {
        let takes = [Self.part(0...4), Self.part(5...9)]
        #expect(
            try self.answers(takes, [Self.range("5-9")], [Self.range("0-4")], [Self.range("5-9")])
                == ["1", "0", "1"]
        )
        #expect(try self.answers([Self.part(5...9)], [nil], [Self.range("0-4")]) == [nil, nil])
    }

    @Test func `other ranges are put together from parts of one version`() throws {
        let takes = [Self.part(0...4), Self.part(3...6), Self.part(5...9)]
        #expect(
            try self.answers(takes, [Self.range("2-7")], [Self.range("8-")], [Self.range("-3")], [nil])
                == ["bytes 2-7/10 0:2-4 2:0-2", "bytes 8-9/10 2:3-4", "bytes 7-9/10 2:2-4", "200 0:0-4 2:0-4"]
        )
        #expect(try self.answers(takes, [Self.range("10-")]) == ["0 416"])
        let mixed = [Self.part(0...4), Self.part(5...9, tag: "\"v2\"")]
        #expect(try self.answers(mixed, [Self.range("2-7")], [Self.range("6-8")]) == [nil, "bytes 6-8/10 1:1-3"])
        let weak = [Self.part(0...4, tag: "W/\"v1\""), Self.part(5...9, tag: "W/\"v1\"")]
        #expect(try self.answers(weak, [Self.range("2-7")], [Self.range("2-3")]) == [nil, "bytes 2-3/10 0:2-3"])
    }

    @Test func `a range is cut from a whole response, unless the origin does not know ranges`() throws {
        let whole = Self.take(200, "0123456789")
        #expect(
            try self.answers([whole], [Self.range("2-3")], [nil], [Self.range("4-5")]) == ["0 range", "0", "0 range"]
        )
        let ignoring = Self.take(200, "0123456789", asked: [Self.range("0-3")])
        #expect(try self.answers([ignoring], [Self.range("0-3")], [Self.range("2-3")], [nil]) == ["0", "0", "0"])
        let refusing = Self.take(200, "0123456789", [HeaderField("Accept-Ranges", "none")])
        #expect(try self.answers([refusing], [Self.range("2-3")]) == ["0"])
        let date = HeaderField("If-Range", "\"v0\"")
        #expect(try self.answers([whole], [Self.range("2-3"), date]) == ["0"])
    }

    @Test func `ranges are of the version that played last, and use up none`() throws {
        let takes = [Self.take(200, "one"), Self.take(200, "two")]
        #expect(
            try self.answers(takes, [Self.range("0-0")], [nil], [Self.range("1-1")], [nil], [Self.range("2-2")])
                == ["0 range", "0", "0 range", "1", "1 range"]
        )
        let failing = [Self.take(503), Self.take(200, "one")]
        #expect(try self.answers(failing, [Self.range("0-0")], [Self.range("0-0")]) == ["0", "1 range"])
    }

    /// A part that was recorded with fields beside its range.
    private static func part(_ bytes: ClosedRange<Int>, _ headers: [HeaderField]) -> Take {
        var take = Self.part(bytes)
        take.headers = headers + take.headers.filter { $0.isNamed("content-range") }
        return take
    }

    @Test func `parts of one version are of one tag, date and coding`() throws {
        func asked(_ first: [HeaderField], _ second: [HeaderField]) throws -> String? {
            try self.answers([Self.part(0...4, first), Self.part(5...9, second)], [Self.range("2-7")])[0]
        }
        let joined = "bytes 2-7/10 0:2-4 1:0-2"
        func modified(_ second: Int) -> HeaderField {
            HeaderField("Last-Modified", "Fri, 20 Nov 2026 10:00:0\(second) GMT")
        }
        let date = HeaderField("Date", "Fri, 20 Nov 2026 10:00:05 GMT")
        let tag = HeaderField("ETag", "\"v1\"")
        #expect(try asked([tag, modified(1)], [tag, modified(1)]) == joined)
        // RFC 9110 section 15.3.7: a part may leave the date out, and the tag is enough (section 15.3.7.3).
        #expect(try asked([tag, modified(1)], [tag]) == joined)
        #expect(try asked([modified(4), date, HeaderField("Vary", "Cookie")], [modified(4), date]) == nil)
        // RFC 9110 section 8.8.2.2: within a second of its change a resource may change again.
        #expect(try asked([modified(4), date], [modified(4), date]) == joined)
        #expect(try asked([modified(5), date], [modified(5), date]) == nil)
        #expect(try asked([modified(4)], [modified(4)]) == nil)
        let bare = HeaderField("ETag", "v1")
        #expect(try asked([bare], [bare]) == nil)
        let coded = HeaderField("Content-Encoding", "gzip")
        #expect(try asked([tag, coded], [tag]) == nil)
        #expect(try asked([tag, coded], [tag, coded]) == joined)
        let varies = [tag, coded, HeaderField("Vary", "Origin, accept-encoding")]
        #expect(try asked(varies, varies) == nil)
    }

    @Test func `parts of different URLs are not of one version`() throws {
        var takes = [Self.part(0...4), Self.part(5...9)]
        for number in 0..<2 { takes[number].request?.url = "https://a.test/file?\(number)" }
        #expect(try self.answers(takes, [nil]) == [nil])
        for number in 0..<2 { takes[number].request?.url = Self.url }
        #expect(try self.answers(takes, [nil]) == ["200 0:0-4 1:0-4"])
    }

    @Test func `a refused range says nothing of other ranges`() throws {
        let takes = [Self.take(401, "no", asked: [Self.range("0-4")], []), Self.part(0...4), Self.part(5...9)]
        #expect(
            try self.answers(takes, [Self.range("0-4")], [Self.range("0-4")], [Self.range("2-7")], [nil])
                == ["0", "1", "bytes 2-7/10 1:2-4 2:0-2", "200 1:0-4 2:0-4"]
        )
        #expect(try self.answers([takes[0]], [nil], [Self.range("5-9")]) == [nil, nil])
        let refused = Self.take(404, "gone", asked: [Self.none("\"v1\"")], [])
        #expect(try self.answers([refused], [nil]) == ["0"])
    }

    @Test func `a client goes on with the version that it has begun`() throws {
        let match = HeaderField("If-Match", "\"v2\"")
        let parts = [Self.part(0...4, tag: "\"v1\""), Self.part(0...4, tag: "\"v2\""), Self.part(5...9, tag: "\"v2\"")]
        #expect(try self.answers(parts, [match, Self.range("3-6")]) == ["bytes 3-6/10 1:3-4 2:0-1"])
        let old = [Self.take(200, "old"), parts[1], parts[2]]
        #expect(try self.answers(old, [match, Self.range("3-6")]) == ["bytes 3-6/10 1:3-4 2:0-1"])
        #expect(
            try self.answers(old, [HeaderField("If-Range", "\"v2\""), Self.range("3-6")])
                == ["bytes 3-6/10 1:3-4 2:0-1"]
        )
    }

    @Test func `a 200 for a range whose condition failed has ranges`() throws {
        let fields = [Self.range("0-3"), HeaderField("If-Range", "\"v0\"")]
        let take = Self.take(200, "0123456789", asked: fields)
        #expect(try self.answers([take], fields.map { $0 }, [Self.range("2-3")]) == ["0", "0 range"])
    }

    @Test func `a tag that the response does not have is no match`() throws {
        let take = Self.take(200, "full", [])
        #expect(
            try self.answers([take], [HeaderField("If-Match", "\"v1\"")], [HeaderField("If-Match", "*")]) == [
                "0 412", "0",
            ]
        )
    }

    @Test func `a change with a condition does not play one that was recorded without`() throws {
        let match = HeaderField("If-Match", "\"v1\"")
        var written = Self.take(200)
        written.recorded = nil
        #expect(try self.answers([Self.take(204)], method: "PUT", [match], [nil]) == [nil, "0"])
        #expect(try self.answers([written], method: "PUT", [match], [nil]) == ["0", "0"])
        let takes = [Self.take(204, asked: [match]), written]
        let other = HeaderField("If-Match", "\"v2\"")
        #expect(try self.answers(takes, method: "PUT", [match], [other]) == ["0", "1"])
    }

    @Test func `a recorded 304 answers its condition alone, others are decided by the tag`() throws {
        let takes = [Self.take(200, "full"), Self.take(304, asked: [Self.none("\"v1\"")])]
        #expect(
            try self.answers(takes, [nil], [nil], [Self.none("\"v1\"")], [Self.none("W/\"v1\"")], [Self.none("\"v2\"")])
                == ["0", "0", "1", "0 304", "0"]
        )
        #expect(try self.answers([takes[1]], [nil], [Self.none("\"v2\"")]) == [nil, nil])
    }

    @Test func `dates decide where there is no tag`() throws {
        let modified = [HeaderField("Last-Modified", "Fri, 20 Nov 2026 10:00:00 GMT")]
        let take = Self.take(200, "full", modified)
        func since(_ day: String) -> HeaderField { HeaderField("If-Modified-Since", "\(day) Nov 2026 10:00:00 GMT") }
        #expect(try self.answers([take], [since("Fri, 20")], [since("Thu, 19")]) == ["0 304", "0"])
        let unmodified = HeaderField("If-Unmodified-Since", "Thu, 19 Nov 2026 10:00:00 GMT")
        #expect(try self.answers([take], [unmodified]) == ["0 412"])
    }

    @Test func `a PUT with another condition than the recorded one is unmatched`() throws {
        func match(_ tag: String) -> HeaderField { HeaderField("If-Match", tag) }
        let takes = [Self.take(204, asked: [match("\"v1\"")]), Self.take(412, asked: [match("\"v0\"")])]
        #expect(
            try self.answers(takes, method: "PUT", [match("\"v1\"")], [match("\"v0\"")], [match("\"v2\"")], [nil])
                == ["0", "1", nil, nil]
        )
    }

    @Test func `a take that a person wrote answers any request, with ranges of it`() throws {
        var take = Self.take(206, "part", asked: [Self.range("0-3")])
        take.recorded = nil
        #expect(try self.answers([take], [nil], [Self.none("\"v1\"")]) == ["0", "0"])
        var whole = Self.take(200, "full")
        whole.recorded = nil
        #expect(try self.answers([whole], [Self.none("\"v1\"")], [Self.range("0-1")]) == ["0", "0 range"])
    }
}
