import NIOPosix
import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckProxy
@testable import TapedeckSessions

/// Takes with dates, templates and changes.
@Suite struct StagedContentTests {
    private static let json = HeaderField("Content-Type", "application/json; charset=utf-8")
    /// Ten days after ``recorded``.
    private static let now = Instant(rfc3339: "2026-11-21T12:00:00Z")
    private static let recorded = "2026-11-11T12:00:00Z, answered in 120 ms"

    /// The take that is sent to a request for `https://api.example.test/users/ada?q=x`.
    private func staged(
        _ behaviour: Behaviour,
        time: TimeRules = TimeRules(),
        body: String = "",
        fields: [HeaderField] = [],
        hasBody: Bool = true,
        isHead: Bool = false
    ) throws -> Take {
        let template = URLMatcher.template(try URLTemplate("https://api.example.test/users/{name}"))
        let set = ResponseSet(
            name: "a",
            request: RequestMatcher(url: template),
            variants: [Variant(name: "b", behaviour: behaviour)]
        )
        let tape = Tape([Cassette(name: "tape", time: time, state: [StateEntry("mood", "good")], responseSets: [set])])
        let url = try #require(AbsoluteURL("https://api.example.test/users/ada?q=x"))
        let matchRequest = MatchRequest(
            RequestKey(method: "POST", url: url),
            fields: fields,
            body: ObservedBody(bytes: Array(body.utf8), sha256: "")
        )
        var settings = Session.Settings(mode: .replay)
        settings.seed = 7
        guard case .play(let play) = Session(settings, tape: tape).answer(matchRequest),
            let staging = play.staging
        else {
            throw NotStaged()
        }
        let player = TakePlayer(
            tape: tape,
            threadPool: .singleton,
            eventLoop: MultiThreadedEventLoopGroup.singleton.any()
        )
        return try StagedContent(
            source: TakeSource(asItStands: tape.takes[play.take]),
            staging: staging,
            templates: staging.scene == nil ? nil : player.templates(play.take, session: nil),
            now: try #require(Self.now),
            hasBody: hasBody,
            isHead: isHead
        ).staged()
    }

    private struct NotStaged: Error {}

    private func inline(_ form: InlineBody.Form, _ text: String, layout: JSONLayout? = nil) -> StoredBody {
        .inline(InlineBody(form: form, content: Array(text.utf8), layout: layout))
    }

    private func text(_ take: Take) throws -> String {
        guard case .inline(let body) = take.body else { throw NotStaged() }
        return String(decoding: body.decoded, as: UTF8.self)
    }

    // MARK: Dates

    @Test func onlyDatesAreShiftedByTheAgeOfTheTake() throws {
        let fields = [
            HeaderField("Date", "Wed, 11 Nov 2026 12:00:00 GMT"), HeaderField("Expires", "0"),
            HeaderField("X-Date", "Wed, 11 Nov 2026 12:00:00 GMT"),
        ]
        let trailer = HeaderField("Expires", "Wed, 11 Nov 2026 13:00:00 GMT")
        let body = self.inline(.json, #"{ "at": "2026-11-11T11:00:00Z", "n": 1.0 }"#)
        let take = Take(headers: fields, body: body, trailers: [trailer], recorded: Self.recorded)
        let time = TimeRules(shifts: true, jsonDates: [try JSONPath("$.at")])
        let staged = try self.staged(Behaviour(.takes([take])), time: time)
        #expect(staged.headers == [HeaderField("Date", "Sat, 21 Nov 2026 12:00:00 GMT"), fields[1], fields[2]])
        #expect(staged.trailers == [HeaderField("Expires", "Sat, 21 Nov 2026 13:00:00 GMT")])
        #expect(try self.text(staged) == #"{"at":"2026-11-21T11:00:00Z","n":1.0}"#)
    }

    @Test func aTakeWithoutARecordingTimeKeepsItsDates() throws {
        let take = Take(headers: [HeaderField("Date", "Wed, 11 Nov 2026 12:00:00 GMT")], body: self.inline(.text, "x"))
        #expect(try self.staged(Behaviour(.takes([take])), time: TimeRules(shifts: true)) == take)
    }

    @Test func aBodyWithoutDatesKeepsItsWhiteSpace() throws {
        let body = self.inline(.json, "{\n  \"a\": 1\n}\n", layout: .spaced)
        let take = Take(body: body, recorded: Self.recorded)
        let time = TimeRules(shifts: true, jsonDates: [try JSONPath("$.at")])
        #expect(try self.staged(Behaviour(.takes([take])), time: time) == take)
    }

    // MARK: Templates

    @Test func templatesAreFilledInFromRequestAndSession() throws {
        let body =
            "{{request.method}} {{url.name}} {{query.q}} {{json.a.0}} {{header.x-id}} {{state.mood}} {{take}} {{now}}"
        let take = Take(headers: [HeaderField("Location", "/users/{{url.name}}")], body: self.inline(.text, body))
        let staged = try self.staged(
            Behaviour(.takes([take]), isTemplate: true),
            body: #"{"a": ["first"]}"#,
            fields: [HeaderField("X-Id", "17")]
        )
        #expect(try self.text(staged) == "POST ada x first 17 good 1 2026-11-21T12:00:00Z")
        #expect(staged.headers == [HeaderField("Location", "/users/ada")])
    }

    @Test func templatesRenderFormFieldsAndTheBody() throws {
        let take = Take(body: self.inline(.text, "{{form.a}}|{{request.body}}"))
        let staged = try self.staged(Behaviour(.takes([take]), isTemplate: true), body: "a=1+2&b=3")
        #expect(try self.text(staged) == "1 2|a=1+2&b=3")
    }

    @Test func valuesInJSONAreEscapedAndItsLayoutStays() throws {
        let template = "{\n  \"name\": \"{{header.x-name}}\"\n}\n"
        let fields = [HeaderField("X-Name", "a \"b\" \\")]
        let json = Take(body: self.inline(.json, template, layout: .compact))
        #expect(
            try self.text(self.staged(Behaviour(.takes([json]), isTemplate: true), fields: fields))
                == #"{"name":"a \"b\" \\"}"#
        )
        let typed = Take(headers: [Self.json], body: self.inline(.text, template))
        #expect(
            try self.text(self.staged(Behaviour(.takes([typed]), isTemplate: true), fields: fields))
                == "{\n  \"name\": \"a \\\"b\\\" \\\\\"\n}\n"
        )
        let text = Take(body: self.inline(.text, template))
        #expect(
            try self.text(self.staged(Behaviour(.takes([text]), isTemplate: true), fields: fields))
                == "{\n  \"name\": \"a \"b\" \\\"\n}\n"
        )
    }

    @Test func aRequestCannotAddAHeaderFieldToItsAnswer() throws {
        let take = Take(headers: [HeaderField("X-Echo", "<{{json.v}}>")], trailers: [HeaderField("X-T", "{{json.v}}")])
        let staged = try self.staged(
            Behaviour(.takes([take]), isTemplate: true),
            body: #"{"v": "a\r\nSet-Cookie: b\u0000\u001b\u007f\tc"}"#
        )
        #expect(staged.headers == [HeaderField("X-Echo", "<a  Set-Cookie: b   \tc>")])
        #expect(staged.trailers == [HeaderField("X-T", "a  Set-Cookie: b   \tc")])
    }

    @Test func bytesThatAreNotUTF8RenderUnchanged() throws {
        let value = ByteText.string(from: [0x61, 0xFF, 0x62])
        let take = Take(body: self.inline(.text, "{{header.x}}"))
        let behaviour = Behaviour(.takes([take]), isTemplate: true)
        let staged = try self.staged(behaviour, fields: [HeaderField("X", value)])
        guard case .inline(let body) = staged.body else { throw NotStaged() }
        #expect(body.decoded == [0x61, 0xFF, 0x62])
    }

    @Test func randomValuesFollowFromTheSeedAndDifferFromPlaceToPlace() throws {
        let field = HeaderField("X-A", "{{random.uuid}}")
        let take = Take(headers: [field, field], body: self.inline(.text, "{{random.uuid}}"))
        let behaviour = Behaviour(.takes([take]), isTemplate: true)
        let first = try self.staged(behaviour)
        #expect(try self.staged(behaviour) == first)
        let values = try first.headers.map(\.value) + [self.text(first)]
        #expect(Set(values).count == 3)
    }

    @Test func headersAndBase64BodiesThatAreNotTemplatesStayUnchanged() throws {
        let field = HeaderField("X-A", "{{url.name}}")
        let base64 = Take(headers: [field], body: self.inline(.base64, "{{url.name}}"))
        #expect(try self.text(self.staged(Behaviour(.takes([base64]), isTemplate: true))) == "{{url.name}}")
        // Only its JSON is changed.
        let changed = Behaviour(.takes([base64]), changes: [.merge(.object([]))])
        #expect(try self.staged(changed) == base64)
    }

    @Test func aBrokenTemplateIsAnErrorThatSaysWhere() throws {
        let take = Take(body: self.inline(.text, "a\n{{#open}}"))
        let error = #expect(throws: (any Error).self) {
            try self.staged(Behaviour(.takes([take]), isTemplate: true))
        }
        #expect(error.map { "\($0)" }?.hasPrefix("line 2, ") == true)
    }

    // MARK: Changes

    @Test func changesAreMadeInOrderToJSON() throws {
        let patch = JSONValue.object([
            JSONMember(name: "b", value: .null), JSONMember(name: "c", value: .string("new")),
        ])
        let fuzz = BodyChange.fuzz(.emptyStrings, at: try JSONPath("$.c"))
        for take in [
            Take(body: self.inline(.json, #"{ "a": 1, "b": 2 }"#)),
            Take(headers: [Self.json], body: self.inline(.base64, #"{"a": 1, "b": 2}"#)),
            Take(body: self.inline(.text, #" {"a": 1, "b": 2}"#)),
        ] {
            #expect(
                try self.text(self.staged(Behaviour(.takes([take]), changes: [.merge(patch)]))) == #"{"a":1,"c":"new"}"#
            )
            let both = Behaviour(.takes([take]), changes: [.merge(patch), fuzz])
            #expect(try self.text(self.staged(both)) == #"{"a":1,"c":""}"#)
        }
    }

    @Test func fuzzFollowsFromTheSeed() throws {
        let members = (0..<20).map { "\"m\($0)\": \($0)" }.joined(separator: ",")
        let take = Take(body: self.inline(.json, "{\(members)}"))
        let behaviour = Behaviour(.takes([take]), changes: [.fuzz(.dropKeys, at: try JSONPath("$"))])
        let first = try self.staged(behaviour)
        #expect(first != take)
        #expect(try self.staged(behaviour) == first)
    }

    @Test(arguments: ["", "hello", "42", "{\"a\": "])
    func aBodyThatIsNotJSONIsNotChanged(_ text: String) throws {
        let take = Take(body: self.inline(.text, text))
        let patch = BodyChange.merge(.object([JSONMember(name: "a", value: .null)]))
        #expect(try self.staged(Behaviour(.takes([take]), changes: [patch])) == take)
    }

    @Test func aTemplateIsFilledInBeforeItIsChanged() throws {
        let take = Take(body: self.inline(.json, #"{"n": {{take}}}"#))
        let patch = BodyChange.merge(.object([JSONMember(name: "m", value: .bool(true))]))
        let behaviour = Behaviour(.takes([take]), isTemplate: true, changes: [patch])
        #expect(try self.text(self.staged(behaviour)) == #"{"n":1,"m":true}"#)
    }

    @Test func datesAreMovedBeforeATemplateIsFilledIn() throws {
        let body = self.inline(.json, #"{"at": "2026-11-11", "now": "{{now.date}}"}"#)
        let take = Take(body: body, recorded: Self.recorded)
        let time = TimeRules(shifts: true, jsonDates: [try JSONPath("$.*")])
        let staged = try self.staged(Behaviour(.takes([take]), isTemplate: true), time: time)
        #expect(try self.text(staged) == #"{"at":"2026-11-21","now":"2026-11-21"}"#)
    }

    @Test func headHasAContentLengthOnlyIfItIsTheSameForGET() throws {
        let length = HeaderField("Content-Length", "12")
        let template = Take(headers: [length, Self.json], body: self.inline(.text, "{\"n\": {{take}}}"))
        let head = try self.staged(Behaviour(.takes([template]), isTemplate: true), hasBody: false, isHead: true)
        #expect(head.headers == [Self.json])
        // GET and HEAD of these have the recorded length.
        let empty = Take(headers: [length])
        #expect(try self.staged(Behaviour(.takes([empty]), isTemplate: true), hasBody: false, isHead: true) == empty)
        let unchanged = Take(status: 304, headers: [length], body: self.inline(.text, "{{take}}"))
        #expect(
            try self.staged(Behaviour(.takes([unchanged]), isTemplate: true), hasBody: false, isHead: true).headers
                == [length]
        )
        let plain = Take(headers: [length], body: self.inline(.text, "x"), recorded: Self.recorded)
        let time = TimeRules(shifts: true)
        #expect(try self.staged(Behaviour(.takes([plain])), time: time, hasBody: false, isHead: true) == plain)
    }

    @Test func longURLsAndHeaderFieldsAreHeavyWork() throws {
        let url = try #require(AbsoluteURL("https://api.example.test/?q=" + String(repeating: "x", count: 40_000)))
        let short = try #require(AbsoluteURL("https://api.example.test/"))
        let long = HeaderField("X-Long", String(repeating: "x", count: 40_000))
        #expect(try self.content(url, []).isHeavy)
        #expect(try self.content(short, [long]).isHeavy)
        #expect(try !self.content(short, [HeaderField("X-Short", "x")]).isHeavy)
    }

    private func content(_ url: AbsoluteURL, _ fields: [HeaderField]) throws -> StagedContent {
        let take = Take(body: self.inline(.text, "{{request.url}}"))
        let set = ResponseSet(
            name: "a",
            request: RequestMatcher(url: .template(try URLTemplate("https://api.example.test/"))),
            variants: [Variant(name: "b", behaviour: Behaviour(.takes([take]), isTemplate: true))]
        )
        let tape = Tape([Cassette(name: "tape", responseSets: [set])])
        let session = Session(Session.Settings(mode: .replay), tape: tape)
        let matchRequest = MatchRequest(RequestKey(method: "GET", url: url), fields: fields)
        guard case .play(let play) = session.answer(matchRequest), let staging = play.staging else { throw NotStaged() }
        return StagedContent(
            source: TakeSource(asItStands: take),
            staging: staging,
            templates: try TakeTemplates(take),
            now: try #require(Self.now),
            hasBody: true
        )
    }

    @Test func aResponseWithoutABodyIsNotChanged() throws {
        let take = Take(body: self.inline(.json, "{\"a\":{{}"))
        let patch = BodyChange.merge(.object([JSONMember(name: "a", value: .null)]))
        #expect(try self.staged(Behaviour(.takes([take]), changes: [patch]), hasBody: false) == take)
    }

    // MARK: Files

    @Test func bodiesInFilesTakePartUpToAMebibyte() throws {
        let folder = try TemporaryFolder()
        let path = FilePath.join(folder.path, "body")
        func file(_ text: String) throws -> Take {
            try FileContents.replace(path, with: Array(text.utf8))
            return Take(body: .file(BodyFile(name: "body", path: path, size: text.utf8.count, coding: .gzip)))
        }
        let patch = BodyChange.merge(.object([JSONMember(name: "a", value: .null)]))
        let small = try file(#"{"a": 1, "b": "{{url.name}}"}"#)
        let changed = try self.staged(Behaviour(.takes([small]), isTemplate: true, changes: [patch]))
        #expect(try self.text(changed) == #"{"b":"ada"}"#)
        #expect(changed.body.coding == .gzip)
        let large = try file(#"{"a": ""# + String(repeating: "x", count: 1 << 20) + "\"}")
        #expect(try self.staged(Behaviour(.takes([large]), isTemplate: true, changes: [patch])) == large)
    }
}
