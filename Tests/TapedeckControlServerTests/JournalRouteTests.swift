import TapedeckControlAPI
import TapedeckCore
import Testing

@testable import TapedeckControlServer
@testable import TapedeckSessions

/// Looking at what a session saw.
@Suite struct JournalRouteTests {
    private static let path = "/v1/sessions/default/journal"

    private static func page(_ control: RunningControl, _ query: String) async throws -> [Int] {
        try await control.ask(JournalPage.self, "GET", "\(Self.path)?\(query)").entries.map(\.number)
    }

    @Test func theJournalIsPagedAndFiltered() async throws {
        try await RunningControl.use { control in
            let session = try control.session
            for number in 1...5 { session.see("GET", "/items/\(number)") }
            session.see("POST", "/orders", outcome: .refused(reason: "no"))
            #expect(try await Self.page(control, "") == [1, 2, 3, 4, 5, 6])
            #expect(try await Self.page(control, "limit=2") == [5, 6])
            #expect(try await Self.page(control, "after=1&limit=2") == [2, 3])
            #expect(try await Self.page(control, "before=4&limit=2") == [2, 3])
            #expect(try await Self.page(control, "outcome=refused") == [6])
            #expect(try await Self.page(control, "search=ITEMS%2F3") == [3])
            #expect(try await Self.page(control, "search=get+http&limit=1") == [5])
            let page = try await control.ask(JournalPage.self, "GET", Self.path)
            #expect(page.seen == 6)
            let entry = try #require(page.entries.first)
            #expect(entry.url == "http://shop.test/items/1")
            #expect(entry.time == "2026-11-21T10:09:08.000Z")
            #expect(entry.outcome == "passedThrough")
            #expect(entry.status == 200)
            #expect(entry.milliseconds == 1.5)
            #expect(entry.request == nil)
        }
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "limit=x", "bodies=yes", "outcome=lost", "limits=1", "after=-1", "limit=%zz",
    ])
    func anInvalidQueryIsReported(_ query: String) async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask("GET", "\(Self.path)?\(query)")
            #expect(answer.status == 400)
            #expect(answer.problem == "bad-request")
        }
    }

    @Test func anEntryIsShownWithReadableBodies() async throws {
        try await RunningControl.use { control in
            // "hello" in gzip (RFC 1952), as Python's gzip.compress(b"hello", mtime=0) makes it.
            let zipped: [UInt8] = [
                0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0, 0x86, 0xa6, 0x10,
                0x36,
                0x05, 0, 0, 0,
            ]
            let image: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0]
            try control.session.see(
                "POST",
                "/photo",
                body: JournalBody(bytes: zipped, length: zipped.count),
                headers: ["Content-Encoding: gzip", "X-Trace: a", "X-Trace: b"],
                answer: JournalResponse(
                    status: 200,
                    reason: "OK",
                    fields: [HeaderField("Content-Type", "image/png")],
                    body: JournalBody(bytes: image, length: 9)
                )
            )
            let entry = try await control.ask(JournalEntryModel.self, "GET", "\(Self.path)/1")
            #expect(entry.request?.body == .init(text: "hello", length: zipped.count, isCut: false))
            #expect(entry.request?.headers.contains(["X-Trace", "b"]) == true)
            #expect(entry.response?.body == .init(base64: "iVBORwA=", length: 9, isCut: true))
            let short = try await control.ask(JournalEntryModel.self, "GET", "\(Self.path)/1?limit=2")
            #expect(short.request?.body == .init(text: "he", length: zipped.count, isCut: true))
            let raw = try await control.ask("GET", "\(Self.path)/1/request-body")
            #expect(raw.text == "hello")
            #expect(raw.headers["content-type"] == "application/octet-stream")
            #expect(raw.headers["content-disposition"] == "attachment")
            #expect(
                try await control.ask("GET", "\(Self.path)/1/response-body").headers["x-tapedeck-body-cut"] == "true"
            )
            #expect(try await control.ask("GET", "\(Self.path)/2").problem == "unknown-entry")
            #expect(try await control.ask("GET", "\(Self.path)/x/request-body").problem == "unknown-entry")
        }
    }

    @Test func aProgramCanShowAnEntryWithoutItsSecrets() async throws {
        try await RunningControl.use { control in
            let (key, token) = ("Rk3q9ZtW7bYp2LxVn5Ds", "hT8mXc4QeJ6uGa1SfKz0")
            let body = Array(#"{"user":"ada","password":"\#(key)x"}"#.utf8)
            let answer = Array(#"{"access_token":"\#(token)","note":"for \#(key)"}"#.utf8)
            try control.session.see(
                "POST",
                "/login",
                body: JournalBody(bytes: body, length: body.count),
                headers: ["Content-Type: application/json", "X-Api-Key: \(key)", "Accept: */*"],
                answer: JournalResponse(
                    status: 200,
                    reason: "OK",
                    fields: [HeaderField("Content-Type", "application/json")],
                    body: JournalBody(bytes: answer, length: answer.count)
                )
            )
            let entry = try await control.ask(JournalEntryModel.self, "GET", "\(Self.path)/1")
            // Tests read the original values.
            #expect(entry.request?.headers.contains(["X-Api-Key", key]) == true)
            #expect(entry.response?.body?.text == String(decoding: answer, as: UTF8.self))
            let shown = try #require(entry.request?.shownHeaders)
            #expect(shown.count == entry.request?.headers.count)
            #expect(shown.contains(["X-Api-Key", "{{secret.api_key}}"]))
            #expect(shown.contains(["Accept", "*/*"]))
            #expect(entry.request?.body?.shownText == #"{"user":"ada","password":"{{secret.password}}"}"#)
            // The rules recognise only the token of the response; the key is known from the request.
            #expect(
                entry.response?.body?.shownText
                    == #"{"access_token":"{{secret.access_token}}","note":"for {{secret.api_key}}"}"#
            )
            #expect(entry.response?.shownHeaders == nil)
            let texts = ShownTexts(texts: ["GET http://shop.test/?api_key=\(key) failed", "plain"])
            let answered = try await control.ask(
                ShownTexts.self,
                "POST",
                "/v1/sessions/default/texts",
                String(decoding: try Reply.encode(texts), as: UTF8.self)
            )
            #expect(answered.texts == ["GET http://shop.test/?api_key={{secret.api_key}} failed", "plain"])
        }
    }

    @Test func onlyTheBeginningOfALongTextIsShown() async throws {
        try await RunningControl.use { control in
            let long = Array(
                (#"{"password":"q8Zr2LmW5tYb","text":""# + String(repeating: "lorem ", count: 5_000) + #""}"#).utf8
            )
            try control.session.see(
                "POST",
                "/text",
                body: JournalBody(bytes: long, length: long.count),
                headers: ["Content-Type: application/json"]
            )
            let body = try await control.ask(JournalEntryModel.self, "GET", "\(Self.path)/1").request?.body
            #expect(body?.text?.utf8.count == long.count)
            #expect(body?.shownText?.utf8.count == 1_024)
            #expect(body?.shownText?.hasPrefix(#"{"password":"{{secret.password}}","text":"lorem "#) == true)
        }
    }

    @Test func aPlayedAnswerIsShownFromItsTake() async throws {
        try await RunningControl.use { control in
            let session = try control.session
            let url = try #require(AbsoluteURL("http://shop.test/cart"))
            guard case .play(let play) = session.answer(MatchRequest(RequestKey(method: "GET", url: url))) else {
                Issue.record("the cassette answers this")
                return
            }
            session.see("GET", "/cart", answer: nil, outcome: .played(PlayedAnswer(play)))
            let entry = try await control.ask(JournalEntryModel.self, "GET", "\(Self.path)/1")
            #expect(entry.outcome == "played")
            #expect(entry.played?.set == "GET shop.test/cart")
            #expect(entry.played?.variant == "full")
            #expect(entry.response?.body?.text == "two apples")
            #expect(try await control.ask("GET", "\(Self.path)/1/response-body").text == "two apples")
        }
    }

    @Test func anUnmatchedRequestIsShownWithItsNearMisses() async throws {
        try await RunningControl.use { control in
            let session = try control.session
            let url = try #require(AbsoluteURL("http://shop.test/carts"))
            guard case .reject(let report, _) = session.answer(MatchRequest(RequestKey(method: "GET", url: url))) else {
                Issue.record("the cassette does not answer this")
                return
            }
            session.see("GET", "/carts", answer: nil, outcome: .unmatched(report))
            let entry = try await control.ask(JournalPage.self, "GET", "\(Self.path)?outcome=unmatched").entries.first
            #expect(entry?.unmatched?.reason == "noMatch")
            #expect(entry?.unmatched?.remedy.contains("tapedeck append") == true)
            let miss = entry?.unmatched?.nearest.first
            #expect(miss?.set == "GET shop.test/cart")
            #expect(miss?.parts.contains { $0.name == "path" && $0.came == "/carts" && !$0.isMet } == true)
        }
    }

    @Test func aQueryFindsTheEntriesThatMatch() async throws {
        try await RunningControl.use { control in
            let session = try control.session
            let body = #"{"sku": "apple"}"#
            let json = JournalBody(bytes: Array(body.utf8), length: body.utf8.count)
            session.see("POST", "/orders", body: json, headers: ["Content-Type: application/json", "X-User: ann"])
            session.see("POST", "/orders", headers: ["X-User: ben"])
            session.see("GET", "/orders")
            session.see("POST", "/orders", body: nil, ending: nil)
            func found(_ matcher: String) async throws -> [Int] {
                let answer = try await control.ask("POST", "\(Self.path)/query", #"{"request": \#(matcher)}"#)
                try #require(answer.status == 200, "\(answer.text)")
                return try answer.decoded(JournalPage.self).entries.map(\.number)
            }
            #expect(try await found("{}") == [1, 2, 3])
            #expect(try await found(#"{"method": "POST", "url": "http://shop.test/orders"}"#) == [1, 2])
            #expect(try await found(#"{"host": "shop.test", "headers": {"x-user": "ben"}}"#) == [2])
            #expect(try await found(#"{"host": "shop.test", "body": {"json": "{\"sku\": \"apple\"}"}}"#) == [1])
            let wrong = try await control.ask("POST", "\(Self.path)/query", #"{"request": {"hots": "a"}}"#)
            #expect(wrong.status == 422)
            #expect(try wrong.decoded(ProblemModel.self).errors?.first?.pointer.hasPrefix("/request") == true)
        }
    }

    @Test func aConditionOnABodyThatWasTooLongDoesNotHold() async throws {
        try await RunningControl.use { control in
            try control.session.see("POST", "/orders", body: JournalBody(bytes: Array("ab".utf8), length: 3))
            let query = #"{"request": {"url": "http://shop.test/orders", "body": {"text": "ab"}}}"#
            let page = try await control.ask(JournalPage.self, "POST", "\(Self.path)/query", query)
            #expect(page.entries.isEmpty)
        }
    }

    @Test func aClearedJournalContinuesItsNumbers() async throws {
        try await RunningControl.use { control in
            try control.session.see("GET", "/a")
            #expect(try await control.ask("DELETE", Self.path).status == 204)
            try control.session.see("GET", "/b")
            #expect(try await Self.page(control, "") == [2])
        }
    }

    @Test func passedThroughRequestsAreSavedAsACassette() async throws {
        try await RunningControl.use { control in
            let session = try control.session
            session.see("GET", "/live")
            session.see("GET", "/other")
            session.see("GET", "/cut", answer: nil, ending: .abandoned)
            session.see("GET", "/refused", outcome: .refused(reason: "no"))
            let saved = try await control.ask(
                RecordingModel.self,
                "POST",
                "/v1/sessions/default/snapshot",
                #"{"cassette": "later", "request": {"urlTemplate": "http://shop.test/{path}"}}"#
            )
            #expect(saved.exchanges == 2)
            #expect(saved.changed == true)
            #expect(saved.leftOut == ["GET http://shop.test/cut: the exchange was not complete"])
            let cassette = try await control.ask("GET", "/v1/cassettes/later", headers: ["Accept: application/yaml"])
            #expect(cassette.text.contains("url: http://shop.test/live"))
            #expect(!cassette.text.contains("/refused"))
        }
    }
}
