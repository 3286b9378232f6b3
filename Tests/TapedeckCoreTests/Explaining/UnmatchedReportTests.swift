import Testing

@testable import TapedeckCore

@Suite
struct UnmatchedReportTests {
    private func report(_ method: String, _ url: String, _ cassettes: [Cassette]) throws -> UnmatchedReport {
        let matchRequest = try Samples.matchRequest(method, url)
        return TapeStack(Tape(cassettes))
            .explainMiss(matchRequest, state: [:], reason: .noMatch, session: "default", mode: .replay)
    }

    @Test func reportsTheRequestAndTheNearestSet() throws {
        let cassette = try Samples.cassette(
            [
                Samples.set("search", "GET", "https://example.com/search?page=1"),
                Samples.set("elsewhere", "GET", "https://other.example/search"),
            ],
            name: "github"
        )
        let report = try self.report("GET", "https://example.com/search?page=2", [cassette])
        #expect(report.request.description == "GET https://example.com/search?page=2")
        #expect(report.session == "default")
        #expect(report.mode == .replay)
        #expect(report.cassettes == ["github"])
        #expect(report.candidates == 2)
        #expect(report.nearest.map(\.set) == ["search"])
        #expect(report.nearest.map(\.cassette) == ["github"])
        #expect(report.nearest.first?.differences == ["query page is 2, the tape has 1"])
        #expect(report.summary == #"nearest is "search": query page is 2, the tape has 1"#)
        #expect(
            report.remedy == "To record what is missing: tapedeck append github -- COMMAND; if it may differ: "
                + "tapedeck ignore github 'query:page'"
        )
        // An answer to another operation would be wrong.
        let operation = try Samples.cassette([Samples.set("a", "GET", "https://example.com/?action=list")], name: "a")
        #expect(try self.report("GET", "https://example.com/?action=delete", [operation]).ignoring == nil)
    }

    @Test func theJSONHoldsAllOfIt() throws {
        let cassette = try Samples.cassette([Samples.set("a \"b\"", "GET", "https://example.com/a")], name: "api")
        let report = try self.report("POST", "https://example.com/a", [cassette])
        #expect(
            report.json.pretty == """
                {
                  "type": "error",
                  "error": {
                    "type": "unmatched",
                    "code": 501,
                    "status": "UNIMPLEMENTED",
                    "message": "Nothing on tape answers POST https://example.com/a: nearest is \\"a \\"b\\"\\": \
                method is POST, the tape has GET. To record what is missing: tapedeck append api -- COMMAND"
                  },
                  "reason": "noMatch",
                  "message": "Nothing on tape answers POST https://example.com/a: nearest is \\"a \\"b\\"\\": \
                method is POST, the tape has GET.",
                  "request": {
                    "method": "POST",
                    "url": "https://example.com/a"
                  },
                  "session": "default",
                  "mode": "replay",
                  "cassettes": [
                    "api"
                  ],
                  "candidates": 1,
                  "nearest": [
                    {
                      "set": "a \\"b\\"",
                      "cassette": "api",
                      "differences": [
                        "method is POST, the tape has GET"
                      ]
                    }
                  ],
                  "remedy": "To record what is missing: tapedeck append api -- COMMAND"
                }
                """
        )
    }

    @Test func reportsThatTheTapeHasNothingForTheOrigin() throws {
        let report = try self.report("GET", "https://example.com/a", [Samples.cassette([])])
        #expect(report.nearest.isEmpty)
        #expect(report.summary == "nothing on tape is for https://example.com")
        #expect(report.candidates == 0)
    }

    @Test func withoutACassetteTheRemedyStillReadsWell() throws {
        let report = try self.report("GET", "https://example.com/a", [])
        #expect(report.remedy == "To record what is missing: tapedeck append NAME -- COMMAND")
        #expect(report.json.compact.contains(#""cassettes":[],"candidates":0,"nearest":[]"#))
    }

    @Test func aRequestOverTheBodyLimitNamesTheSetItWouldHaveMatched() throws {
        let set = try Samples.set("upload", "PUT", "https://example.com/a", body: Samples.text("x"))
        let matchRequest = MatchRequest(
            try Samples.key("PUT", "https://example.com/a"),
            body: ObservedBody(bytes: nil, sha256: "0123456789abcdef")
        )
        let report = TapeStack(Tape([Samples.cassette([set])]))
            .explainMiss(matchRequest, state: [:], reason: .noMatch, session: "default", mode: .replay)
        #expect(
            report.nearest.first?.differences
                == ["body is too large to look at, SHA-256 0123456789ab…, the tape has x"]
        )
    }

    @Test(
        arguments: [
            (MissReason.usedUp(set: "a", variant: "v"), "all takes of its variant \"v\" are used up", "after"),
            (.passthrough(set: "a", variant: "v"), "asks the live server", "--allow-passthrough"),
            (.noAnswer(set: "a", variant: "v"), "has no answer for this request", "otherwise"),
        ]
    )
    func aMatchingSetThatDoesNotAnswerHasItsOwnReason(_ reason: MissReason, _ words: String, _ remedy: String) throws {
        let tape = try Tape([Samples.cassette([Samples.set("a", "GET", "https://example.com/a")])])
        let report = try TapeStack(tape).explainMiss(
            Samples.matchRequest("GET", "https://example.com/a"),
            state: [:],
            reason: reason,
            session: "default",
            mode: .replay
        )
        #expect(report.summary.contains(words))
        #expect(report.remedy.contains(remedy))
        #expect(report.nearest.isEmpty)
    }

    @Test func theReportForALongURLIsShort() throws {
        let set = Samples.set("p", RequestMatcher(url: try Samples.pattern("https://example.com/[0-9]+")))
        let url =
            "https://example.com/" + String(repeating: "a", count: 60_000) + "?" + String(repeating: "q&", count: 900)
        let report = try self.report("GET", url, [Samples.cassette([set])])
        #expect(report.json.pretty.utf8.count < 4_000)
        #expect(report.summary.utf8.count < 1_000)
        #expect("\(report.request)".count < 400)
    }

    @Test func theHeaderHoldsOneLineOfVisibleASCII() throws {
        let name = "\u{FC}ber\r\nX-Injected: 1" + String(repeating: "x", count: 300)
        let set = try Samples.set(name, "GET", "https://example.com/a")
        let report = try self.report("POST", "https://example.com/a", [Samples.cassette([set])])
        #expect(report.headerValue.utf8.count == 200)
        #expect(report.headerValue.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
}
