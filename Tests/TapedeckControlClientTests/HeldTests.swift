import TapedeckControlAPI
import Testing

@testable import TapedeckControlClient

/// Requests that are held, as a client of the control API steers them.
@Suite struct HeldTests {
    private static let entry = """
        {"number":7,"version":9,"time":"now","method":"POST","url":"http://a.test/","protocol":"http/1.1","outcome":"pending",
        "requestBytes":2,"responseBytes":0,
        "request":{"headers":[["A","b"]],"body":{"text":"hi","length":2,"isCut":false}}}
        """

    @Test func `held requests are listed after a version and within a time`() throws {
        let list = #"{"held":[{"number":7,"set":"s","version":3,"entry":\#(Self.entry)}],"version":3}"#
        let server = try CannedServer(.json(list), .json(#"{"held":[],"version":3}"#))
        let session = try ControlClient(url: server.url).session("a/b")
        let held = try session.held()
        #expect(held.version == 3)
        #expect(held.held.map(\.number) == [7])
        #expect(held.held.first?.entry.request?.body?.text == "hi")
        let later = try session.held(after: 3, within: .seconds(30))
        #expect(later.held.isEmpty)
        #expect(
            server.requests.map(\.line) == [
                "GET /v1/sessions/a%2Fb/held HTTP/1.1", "GET /v1/sessions/a%2Fb/held?after=3&within=30000ms HTTP/1.1",
            ]
        )
    }

    @Test func `a request is released with the tape's answer, or with a given take`() throws {
        let head = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
        let nothing = CannedServer.Answer(pieces: [head], ending: .hold)
        let tape = """
            {"outcome":"played","set":"s","variant":"v",
            "take":{"status":200,"headers":[{"A":"b"}],"body":{"base64":"AA=="}}}
            """
        let server = try CannedServer(.json(tape), nothing, nothing)
        let session = try ControlClient(url: server.url).session("s")
        let answer = try session.tapeAnswer(ofHeld: 7)
        #expect(answer.outcome == "played")
        #expect(answer.take?.headers == [["A": "b"]])
        #expect(answer.take?.body == TakeModel.Body(base64: "AA=="))
        try session.proceed(held: 7)
        try session.release(held: 8, withTake: #"{"status": 503}"#)
        #expect(
            server.requests.map(\.line) == [
                "POST /v1/sessions/s/held/7/tape HTTP/1.1", "POST /v1/sessions/s/held/7 HTTP/1.1",
                "POST /v1/sessions/s/held/8 HTTP/1.1",
            ]
        )
        #expect(server.requests.map(\.body) == ["", #"{"proceed":true}"#, #"{"take":{"status": 503}}"#])
    }

    @Test func `a released request is the problem unknown-held`() throws {
        let problem = """
            {"type":"https://tapedeck.local/problems/unknown-held","title":"There is no such thing","status":404,
            "detail":"the session holds no request 7"}
            """
        let server = try CannedServer(.json(problem, status: "404 Not Found", type: "application/problem+json"))
        let error = #expect(throws: ControlError.self) {
            try ControlClient(url: server.url).session("s").proceed(held: 7)
        }
        #expect(error?.problem?.type.hasSuffix("/unknown-held") == true)
    }
}
