import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import Testing

@Suite struct RunSuggestionsTests {
    private struct Exchange {
        var request: String
        var answer = "{}"
        var status = 200

        init(_ request: String, _ answer: String = "{}", status: Int = 200) {
            (self.request, self.answer, self.status) = (request, answer, status)
        }
    }

    private func cassette(_ exchanges: [Exchange], day: Int = 1) throws -> Cassette {
        let sets = exchanges.enumerated().map { number, exchange in
            """
              - name: set \(number)
                request: { \(exchange.request) }
                variants:
                  - name: recorded
                    takes:
                      - status: \(exchange.status)
                        recorded: '2026-01-0\(day)T00:00:0\(number)Z, request \(number + 1)'
                        body: { json: '\(exchange.answer)' }

            """
        }
        let text = "tapedeck: 1\nresponseSets:\n" + sets.joined()
        let result = CassetteReader.read(Array(text.utf8), name: "x", path: "x.yaml")
        try #require(!result.hasErrors, "\(result.diagnostics)")
        return result.cassette
    }

    private func suggestions(_ old: [Exchange], _ new: [Exchange]) throws -> RunSuggestions {
        RunSuggestions(for: try self.cassette(old), from: try self.cassette(new, day: 2)) { "\($0)" }
    }

    private func post(_ json: String, _ path: String = "jobs") -> String {
        "method: POST, url: 'https://a.test/\(path)', body: { json: '\(json)' }"
    }

    @Test func `values that two runs show to differ are learned, and those that differ by their form are not needed`()
        throws
    {
        let found = try self.suggestions(
            [Exchange(self.post(#"{"name": "swift-otter", "day": "2026-01-01", "kind": "box"}"#))],
            [Exchange(self.post(#"{"name": "calm-lion", "day": "2026-01-02", "kind": "box"}"#))]
        )
        #expect(found.varies == ["set 0": [VaryingPlace("$.name", [VaryingPiece(.word)])]])
        #expect((found.requests, found.answeredBefore, found.answeredAfter) == (1, 0, 1))
        #expect(found.places.map(\.example.live) == ["calm-lion"])
    }

    @Test func `ids that each server makes are followed, and not learned`() throws {
        let found = try self.suggestions(
            [
                Exchange(self.post(#"{"name": "swift-otter"}"#), #"{"id": 7, "token": "otter-1"}"#),
                Exchange("method: GET, url: 'https://a.test/jobs/7'"),
                Exchange(self.post(#"{"id": 7, "of": "otter-1"}"#, "done")),
            ],
            [
                Exchange(self.post(#"{"name": "calm-lion"}"#), #"{"id": 12, "token": "lion-22"}"#),
                Exchange("method: GET, url: 'https://a.test/jobs/12'"),
                Exchange(self.post(#"{"id": 12, "of": "lion-22"}"#, "done")),
            ]
        )
        #expect(Array(found.varies.keys) == ["set 0"])
        #expect(found.answeredAfter == 3)
        #expect(found.unmatched.isEmpty)
    }

    @Test func `what a URL asks for is not learned`() throws {
        let found = try self.suggestions(
            [
                Exchange("method: GET, url: 'https://a.test/?q=swift'"),
                Exchange("method: GET, url: 'https://a.test/list?page=1'"),
                Exchange("method: DELETE, url: 'https://a.test/users/ada'"),
            ],
            [
                Exchange("method: GET, url: 'https://a.test/?q=rust'"),
                Exchange("method: GET, url: 'https://a.test/list?page=2'"),
                Exchange("method: DELETE, url: 'https://a.test/users/production'"),
            ]
        )
        #expect(found.varies.isEmpty)
        #expect(found.unmatched.count == 3)
    }

    @Test func `a place on which the status depends is not learned`() throws {
        let found = try self.suggestions(
            [Exchange(self.post(#"{"user": "ada"}"#))],
            [Exchange(self.post(#"{"user": "mallory"}"#), status: 403)]
        )
        #expect(found.varies.isEmpty)
    }

    @Test func `an order is learned where it differs, and not beside it`() throws {
        let found = try self.suggestions(
            [Exchange(self.post(#"{"tags": ["a", "b", "c"]}"#)), Exchange(self.post(#"{"tags": ["d", "e", "f"]}"#))],
            [Exchange(self.post(#"{"tags": ["c", "a", "b"]}"#)), Exchange(self.post(#"{"tags": ["d", "e", "f"]}"#))]
        )
        #expect(found.varies == ["set 0": [VaryingPlace("$.tags", [VaryingPiece(.order)])]])
    }

    @Test(arguments: [
        // Another request of the tape, plain words, most of a path, and words that say what is to be done.
        ("pay/charge-1", "pay/refund-1", "{}", "{}"), ("pay/charge", "pay/refund", "{}", "{}"),
        ("a/b-1/c-1", "a/b-2/c-2", "{}", "{}"), ("x", "x", #"{"action": "create"}"#, #"{"action": "delete"}"#),
        ("x", "x", #"{"query": "mutation { add(id: 1) }"}"#, #"{"query": "mutation { drop(id: 1) }"}"#),
    ])
    func `what a request is for is not learned`(_ one: String, _ other: String, _ body: String, _ asked: String) throws
    {
        let found = try self.suggestions(
            [Exchange(self.post(body, one)), Exchange("method: GET, url: 'https://a.test/pay/refund-1'")],
            [Exchange(self.post(asked, other))]
        )
        #expect(found.varies.isEmpty)
        #expect(found.answeredAfter == 0)
    }

    @Test(arguments: [
        (
            "application/x-www-form-urlencoded", "text: 'Action=CreateUser&Name=ada'",
            "text: 'Action=DeleteUser&Name=ada'", "text: 'Action=CreateUser&Name=bob'"
        ),
        (
            "text/xml", "xml: '<r><action>create</action><n>1</n></r>'", "xml: '<r><action>drop</action><n>1</n></r>'",
            "xml: '<r><action>create</action><n>2</n></r>'"
        ),
        (
            "application/json", #"json: '{"a": {"method": "add", "n": 1}}'"#,
            #"json: '{"a": {"method": "drop", "n": 1}}'"#, #"json: '{"a": {"method": "add", "n": 2}}'"#
        ),
    ])
    func `nor in a form, in XML or deeper in JSON, but what stands beside it`(
        _ type: String,
        _ recorded: String,
        _ other: String,
        _ varied: String
    ) throws {
        func exchange(_ body: String) -> Exchange {
            Exchange("method: POST, url: 'https://a.test/x', headers: { Content-Type: \(type) }, body: { \(body) }")
        }
        #expect(try self.suggestions([exchange(recorded)], [exchange(other)]).varies.isEmpty)
        #expect(try self.suggestions([exchange(recorded)], [exchange(varied)]).varies.count == 1)
    }

    @Test func `a made name in a path is learned within its segment`() throws {
        let found = try self.suggestions(
            [Exchange("method: PUT, url: 'https://a.test/item/anna-smith'")],
            [Exchange("method: PUT, url: 'https://a.test/item/bob-jones'")]
        )
        #expect(found.varies == ["set 0": [VaryingPlace("path", [VaryingPiece(.word, before: "/item/")])]])
    }

    // MARK: Changed requests

    /// Members that a person has chosen, each with another choice that is as like it as can be.
    private static let chosen: [(name: String, recorded: String, changed: [String])] = [
        ("amount", "42", ["43", "420", "-42", "42.5", #""42""#]), ("currency", #""EUR""#, [#""USD""#, #""eur""#]),
        ("file", #""/finance/2026/q3.csv""#, [#""/finance/2026/q4.csv""#, #""/finance/2025/q3.csv""#]),
        ("mail", #""ada@example.com""#, [#""grace@example.com""#, #""ada@example.org""#]),
        ("dry", "true", ["false", "null"]), ("limit", "10", ["100", "1"]), ("model", #""small-1""#, [#""large-1""#]),
        ("ids", "[1, 2, 3]", ["[1, 2, 4]", "[1, 2]", "[3, 2, 1]"]),
        ("text", #""Summarise the report in three sentences.""#, [#""Translate the report into three sentences.""#]),
    ]

    /// Members that vary, as two runs show them and as a third has them; `%` is text beside them that a person has chosen.
    private static let varying: [(recorded: String, live: String, later: String)] = [
        ("0.532", "0.498", "12.25"), (#""swift-otter""#, #""calm-lion""#, #""keen-eagle""#),
        (#""Ada Lovelace""#, #""Grace Hopper""#, #""Edsger Dijkstra""#),
        (#""took 3 s in %""#, #""took 14 s in %""#, #""took 5 s in %""#),
        (#""%: done by swift-otter""#, #""%: done by calm-lion""#, #""%: done by keen-eagle""#),
        (#"["a", "b", "c"]"#, #"["c", "a", "b"]"#, #"["b", "c", "a"]"#),
        (
            #""da39a3ee5e6b4b0d3255bfef95601890afd80709""#, #""2fd4e1c67a2d28fced849ee1bb76e7391b93eb12""#,
            #""0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33""#
        ),
        (#"{"lag": 4711, "step": "%"}"#, #"{"lag": 815, "step": "%"}"#, #"{"lag": 23, "step": "%"}"#),
    ]

    private static func body(_ value: String, _ member: String, _ chosen: String, near: String) -> String {
        #"{"v": \#(value.replacing("%", with: near)), "\#(member)": \#(chosen), "kind": "order"}"#
    }

    private func isAnswered(_ body: String, by cassette: Cassette) throws -> Bool {
        let ask = try self.cassette([Exchange(self.post(body))], day: 3)
        let found = RunSuggestions(for: cassette, from: ask) { "\($0)" }
        return found.answeredBefore == 1
    }

    @Test func `after learning, a run is answered, and a request that asks for something else is not`() throws {
        var changed = 0
        for (member, recorded, others) in Self.chosen {
            for value in Self.varying {
                func body(_ value: String, _ chosen: String, near: String = "checkout") -> String {
                    Self.body(value, member, chosen, near: near)
                }
                let runs = [body(value.recorded, recorded), body(value.live, recorded)]
                let found = try self.suggestions([Exchange(self.post(runs[0]))], [Exchange(self.post(runs[1]))])
                var cassette = try self.cassette([Exchange(self.post(runs[0]))])
                cassette.responseSets[0].varies = try #require(found.varies["set 0"], "\(runs)")
                #expect(try self.isAnswered(body(value.later, recorded), by: cassette), "\(member), \(value)")
                for other in others {
                    changed += 1
                    let asked = body(value.later, other)
                    #expect(try !self.isAnswered(asked, by: cassette), "\(asked)")
                }
                // The text beside the piece, and another structure.
                for asked in [
                    value.later.contains("%") ? body(value.later, recorded, near: "payment") : body("null", recorded),
                    body(#"{"other": 1}"#, recorded),
                ] {
                    changed += 1
                    #expect(try !self.isAnswered(asked, by: cassette), "\(asked)")
                }
            }
        }
        #expect(changed >= 300)
    }
}
