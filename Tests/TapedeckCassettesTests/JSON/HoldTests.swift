import TapedeckCassettes
import TapedeckCore
import Testing

@Suite("Variants that hold requests, and the answers these get")
struct HoldTests {
    private func problems<Value>(_ result: Result<Value, CassetteJSON.Invalid>) -> [String] {
        switch result {
        case .success: []
        case .failure(let invalid): invalid.problems.map { "\($0.pointer): \($0.message)" }
        }
    }

    private func set(_ json: String) -> Result<ResponseSet, CassetteJSON.Invalid> {
        CassetteJSON.responseSet(Array(json.utf8), name: "s")
    }

    @Test("A set or one of its variants may hold requests, and both read back")
    func sets() throws {
        let stub = try self.set(#"{"request": {"url": "/a"}, "priority": 4, "requires": {"a": "b"}, "hold": true}"#)
            .get()
        #expect(stub.variants == [Variant(name: "stub", behaviour: Behaviour(.hold))])
        #expect(stub.priority == 4)
        let two = try self.set(
            #"{"request": {"url": "/a"}, "variants": [{"name": "a", "empty": true}, {"name": "b", "hold": true}]}"#
        ).get()
        #expect(two.variants.last == Variant(name: "b", behaviour: Behaviour(.hold)))
        for set in [stub, two] {
            let read = try CassetteJSON.responseSet(CassetteJSON.json(of: set)).get()
            #expect(read == set)
        }
    }

    private static let alone = "does not go with `hold`: whoever lets the request go"

    @Test(
        "Keys that conflict with hold are reported",
        arguments: [
            (
                #"{"request": {}, "hold": false}"#,
                "/hold: `hold` is true; leave it out in a variant that answers by itself"
            ),
            (
                #"{"request": {}, "hold": "yes"}"#,
                "/hold: `hold` is true; leave it out in a variant that answers by itself"
            ),
            (#"{"request": {}, "hold": true, "delay": "1s"}"#, "/delay: `delay` \(Self.alone) says what is answered"),
            (
                #"{"request": {}, "hold": true, "template": true}"#,
                "/template: `template` \(Self.alone) says what is answered"
            ),
            (
                #"{"request": {}, "hold": true, "sets": {"a": "b"}}"#,
                "/sets: `sets` \(Self.alone) can change the session's state, too"
            ),
            (
                #"{"request": {}, "variants": [{"name": "a", "hold": true, "sets": {"a": "b"}}]}"#,
                "/variants/0/sets: `sets` \(Self.alone) says what is answered"
            ),
            (
                #"{"request": {}, "variants": [{"name": "a", "sequence": [{"hold": true}]}]}"#,
                "/variants/0/sequence/0/hold: `hold` must be the only behaviour of a variant, not a part of it"
            ),
            (
                #"{"request": {}, "hold": true, "takes": [{"status": 200}]}"#,
                "/takes: a variant has `hold` or `takes`, not both"
            ),
        ]
    )
    func nonsense(_ json: String, _ problem: String) {
        let said = self.problems(self.set(json.replacing(#""request": {}"#, with: #""request": {"url": "/a"}"#)))
        #expect(said == [problem])
    }

    @Test("A file cannot hold requests, as nothing would release them")
    func files() throws {
        try ExpectedDiagnostic.expect(
            """
            tapedeck: 1
            responseSets:
              - name: s
                request: { url: /a }
                variants:
                  - name: a
                    §hold: true

            """,
            "only a test or the control API can let a request go that is held, so no file has `hold`: add the set to a "
                + "session"
        )
    }

    // MARK: Answers

    private func answer(_ json: String) throws -> Result<CassetteJSON.Answer, CassetteJSON.Invalid> {
        CassetteJSON.answer(try JSONValue(parsing: Array(json.utf8)), at: "/take")
    }

    @Test("An answer is a take, which may have a fault or a delay")
    func answers() throws {
        let full = try self.answer(
            #"{"status": 409, "headers": [{"A": "1"}, {"A": "2"}], "body": {"json": {"a": [1]}}, "delay": "20ms"}"#
        ).get()
        #expect(full.take.status == 409)
        #expect(full.take.headers == [HeaderField("A", "1"), HeaderField("A", "2")])
        #expect(full.take.body == .inline(InlineBody(form: .json, content: Array(#"{"a":[1]}"#.utf8))))
        #expect(full.delay == .fixed(20))
        let fault = try self.answer(#"{"fault": "connectionReset"}"#).get()
        #expect(fault == CassetteJSON.Answer(take: Take(fault: .connectionReset)))
        let uneven = try self.answer(#"{"status": 200, "delay": {"uniform": ["1ms", "5ms"]}}"#).get()
        #expect(uneven.delay == .uniform(from: 1, to: 5))
    }

    @Test(
        "An invalid answer is reported with its place",
        arguments: [
            ("5", "/take: a take is a JSON object"),
            ("{}", "/take: a take needs a `status`, such as 200, a `grpcStatus`, or a `fault`"),
            (
                #"{"status": 99}"#,
                "/take/status: `status` is a number from 200 to 999; 1xx responses go under `interim`"
            ),
            (#"{"status": 200, "delay": "soon"}"#, "/take/delay: "),
            (#"{"status": 200, "template": true}"#, "/take/template: a take has no key `template`"),
            (#"{"status": 200, "delay": "1s", "delay": "2s"}"#, "/take: the member \"delay\" comes twice"),
        ]
    )
    func noAnswers(_ json: String, _ start: String) throws {
        let said = self.problems(try self.answer(json))
        #expect(said.count == 1)
        #expect(said.first?.hasPrefix(start) == true, "\(said)")
    }
}
