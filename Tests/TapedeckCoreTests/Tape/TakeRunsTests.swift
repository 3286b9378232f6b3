import Testing

@testable import TapedeckCore

/// How often takes play.
@Suite struct TakeRunsTests {
    private static func take(_ json: String, times: Int = 1, status: Int = 200, headers: [HeaderField] = []) -> Take {
        var take = Take(
            status: status,
            headers: headers,
            body: .inline(InlineBody(form: .json, content: Array(json.utf8)))
        )
        take.times = times
        return take
    }

    private static func places(_ runs: TakeRuns?, _ count: Int, isFast: Bool) -> [Int?]? {
        runs.map { runs in (0..<count).map { runs.place($0, isFast: isFast, .repeatLast) } }
    }

    @Test func `a take plays as often as it says, and the last one again and again`() {
        let takes = [Self.take("1", times: 3), Self.take("2"), Self.take("3", times: 2)]
        let runs = TakeRuns(takes) { _ in false }
        #expect(Self.places(runs, 8, isFast: false) == [0, 0, 0, 1, 2, 2, 2, 2])
        #expect(Self.places(runs, 8, isFast: true) == [0, 0, 0, 1, 2, 2, 2, 2])
        #expect(runs?.place(7, isFast: false, .cycle) == 0)
        #expect(runs?.place(6, isFast: false, .unmatched) == nil)
        let some = (0..<6).map { runs?.place($0, among: [0, 2], isFast: false, .repeatLast) }
        #expect(some == [0, 0, 0, 2, 2, 2])
        #expect(runs?.place(5, among: [0, 2], isFast: false, .unmatched) == nil)
        #expect(TakeRuns([Self.take("1"), Self.take("2"), Self.take("3")]) { _ in true } == nil)
        #expect(TakeRuns([Self.take("1"), Self.take("2")]) { _ in true } == nil)
    }

    @Test func `polls are shortened to the first answer and the end`() {
        let takes = [
            Self.take(#"{"status":"queued"}"#, times: 4), Self.take(#"{"status":"Running","percent":10}"#),
            Self.take(#"{"status":"RUNNING","percent":60}"#), Self.take(#"{"status":"done"}"#), Self.take("{}"),
        ]
        let runs = TakeRuns(takes) { _ in true }
        #expect(Self.places(runs, 4, isFast: true) == [0, 3, 4, 4])
        #expect(Self.places(runs, 9, isFast: false) == [0, 0, 0, 0, 1, 2, 3, 4, 4])
        // A request in between may have made the change.
        let changed = TakeRuns(takes) { $0 != 1 }
        #expect(Self.places(changed, 5, isFast: true) == [0, 1, 2, 3, 4])
    }

    @Test(arguments: [
        (#"{"status":"pending"}"#, 200, true), (#"{"status":"succeeded"}"#, 200, false), ("{}", 202, true),
        (#"{"properties":{"provisioningState":"InProgress"}}"#, 200, true), (#"{"done":false}"#, 200, true),
        (#"{"done":true}"#, 200, false), (#"{"name":"pending"}"#, 200, false), ("[]", 200, false),
        (#"{"status":"pending"}"#, 404, false), (#"{"job":{"is_done":false}}"#, 201, true),
        (#"{"a":{"b":{"state":"new"}}}"#, 200, false),
    ])
    func `an answer says to wait`(_ json: String, _ status: Int, _ expected: Bool) {
        #expect(Self.take(json, status: status).saysToWait == expected)
    }

    @Test(arguments: ["Retry-After", "retry-after-ms", "X-Ms-Retry-After-Ms", "poll-after"])
    func `fields say to wait`(_ name: String) {
        #expect(Self.take("{}", headers: [HeaderField(name, "3")]).saysToWait)
        #expect(!Self.take("{}", headers: [HeaderField("x-\(name)", "3")]).saysToWait)
    }
}
