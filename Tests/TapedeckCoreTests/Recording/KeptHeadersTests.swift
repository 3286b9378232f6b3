import TapedeckCore
import Testing

/// The request header fields that a take notes.
@Suite
struct KeptHeadersTests {
    private static let request = [
        HeaderField("Host", "api.example.com"), HeaderField("User-Agent", "app/1.2 (Linux)"),
        HeaderField("Accept", "application/json"), HeaderField("Accept-Language", "de"),
        HeaderField("Accept-Encoding", "gzip"), HeaderField("Content-Type", "text/plain"),
        HeaderField("Content-Length", "3"), HeaderField("Range", "bytes=0-9"), HeaderField("If-None-Match", "\"x\""),
        HeaderField("X-GitHub-Api-Version", "2022-11-28"), HeaderField("X-Request-Id", "7f3a"),
        HeaderField("X-Tapedeck-Session", "s"), HeaderField("Connection", "keep-alive"),
        HeaderField("Authorization", "{{secret.authorization}}"),
    ]

    private func names(_ text: String?, said: [String] = []) throws -> [String] {
        let kept = try text.map { try KeptHeaders($0) } ?? .usual
        return kept.fields(of: Self.request, said: said).map(\.name)
    }

    @Test func theDefaultKeepsHeadersThatDescribeTheRequest() throws {
        #expect(try self.names(nil) == ["Accept", "Range", "If-None-Match", "X-GitHub-Api-Version"])
    }

    @Test func anIDThatTheAnswerHasIsKeptUnlessNoneAre() throws {
        let id = "adaa1786-1b41-4312-af69-445594122df4"
        let request = [
            HeaderField("X-Request-Id", id), HeaderField("X-Other-Id", "7e9d1c2b-3a4f-4b5c-8d6e-1f2a3b4c5d6e"),
        ]
        var answers = [RecordedResponse(), RecordedResponse(), RecordedResponse()]
        answers[0].headers = [HeaderField("X-Request-Id", id)]
        answers[1].body = .bytes(Array(#"{"request": "\#(id)"}"#.utf8))
        answers[2].headers = [HeaderField("X-Request-Id", "\(id)0")]
        for (answer, kept) in zip(answers, [["X-Request-Id"], ["X-Request-Id"], []]) {
            #expect(KeptHeaders.usual.fields(of: request, said: [], answer: answer).map(\.name) == kept)
            #expect(try KeptHeaders("none").fields(of: request, said: [], answer: answer).isEmpty)
        }
        #expect(KeptHeaders.usual.fields(of: request, said: ["x-request-id"], answer: answers[0]).isEmpty)
    }

    @Test func anAcceptHeaderForAnyTypeIsNotKept() {
        for value in ["*/*", "application/json, text/plain, */*", "text/html, */*;q=0.8"] {
            #expect(KeptHeaders.usual.fields(of: [HeaderField("accept", value)], said: []).isEmpty)
        }
    }

    @Test func headersThatTheSetMatchesAreNotKept() throws {
        #expect(try self.names(nil, said: ["accept", "range"]) == ["If-None-Match", "X-GitHub-Api-Version"])
    }

    @Test func namesAddHeadersAndAStarKeepsAllButConnectionHeaders() throws {
        #expect(try self.names("user-agent, X-Request-Id").starts(with: ["User-Agent", "Accept"]))
        // The range and the preconditions select the answer.
        #expect(try self.names("none") == ["Range", "If-None-Match"])
        #expect(try self.names("none,X-Request-Id") == ["Range", "If-None-Match", "X-Request-Id"])
        #expect(
            try self.names("*") == [
                "User-Agent", "Accept", "Accept-Language", "Accept-Encoding", "Range", "If-None-Match",
                "X-GitHub-Api-Version", "X-Request-Id", "Authorization",
            ]
        )
    }

    @Test(arguments: ["", "a,,b", "a b", "X-Tenant:", "ü"])
    func refuses(_ text: String) {
        #expect(throws: KeptHeaders.Problem.self) { try KeptHeaders(text) }
    }
}
