import Foundation
import Testing

/// Promise 2: an unmatched request never gets a made-up success.
@Suite(.ownThreads) struct UnmatchedTests {
    private struct Body: Decodable {
        struct Request: Decodable {
            var method: String
            var url: String
        }

        struct Near: Decodable {
            var set: String
            var cassette: String
            var differences: [String]
        }

        struct Problem: Decodable {
            var type: String
            var message: String
        }

        var error: Problem
        var message: String
        var request: Request
        var mode: String
        var cassettes: [String]
        var candidates: Int
        var nearest: [Near]
        var remedy: String
    }

    @Test func `a client gets a 501 with the nearest set, and the report lists it`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let replay = try folder.serve("replay", "users")
        let client = try RawConnection(port: replay.port)
        client.send(
            "POST http://api.example.com/users?page=2 HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 2\r\n\r\nhi"
        )
        let response = try client.response()
        #expect(response.head.hasPrefix("HTTP/1.1 501 Not Implemented\r\n"))
        #expect(response.values("x-tapedeck-unmatched") == ["true"])
        #expect(response.values("cache-control") == ["no-store"])
        #expect(response.values("content-type") == ["application/json"])
        let body = try JSONDecoder().decode(Body.self, from: Data(response.body))
        #expect(body.error.type == "unmatched")
        #expect(body.error.message.contains(body.message) && body.error.message.contains(body.remedy))
        #expect(response.values("x-should-retry") == ["false"])
        #expect(body.request.method == "POST")
        #expect(body.request.url == "http://api.example.com/users?page=2")
        #expect(body.mode == "replay")
        #expect(body.cassettes == ["users"])
        #expect(body.candidates == 1)
        #expect(body.nearest.map(\.set) == ["users"])
        #expect(body.nearest.map(\.cassette) == ["users"])
        let differences = body.nearest.flatMap(\.differences).joined(separator: "\n")
        #expect(differences.contains("POST") && differences.contains("GET"), "\(differences)")
        #expect(differences.contains("page"), "\(differences)")
        #expect(body.remedy.contains("tapedeck append users -- COMMAND"))

        // The connection continues.
        client.send("GET http://api.example.com/users HTTP/1.1\r\nHost: api.example.com\r\n\r\n")
        #expect(try client.response().text == "ada")

        let report = try replay.stop().errorText
        #expect(report.contains("replay: 1 request played, 1 unmatched, 0 connections opened upstream"), "\(report)")
        #expect(report.contains("unmatched: POST http://api.example.com/users?page=2\n"))
        #expect(report.contains("nearest is \"users\""))
        #expect(report.contains("tapedeck append users -- COMMAND"))
    }

    @Test func `a request inside a tunnel is unmatched like any other`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let result = try folder.tapedeck("replay", "users", "--", "curl", "-sSi", "https://unknown.example.com/x")
        #expect(result.exitCode == 70)
        #expect(result.outputText.contains("HTTP/2 501 \r\n"))
        #expect(result.outputText.contains("nothing on tape is for https://unknown.example.com"))
        #expect(result.errorText.contains("unmatched: GET https://unknown.example.com/x\n"))
    }

    @Test func `a client that asks for a WebSocket may go on without`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let replay = try folder.serve("replay", "users")
        let client = try RawConnection(port: replay.port)
        let head = "GET http://api.example.com/live HTTP/1.1\r\nHost: api.example.com\r\n"
        client.send(
            head + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        let text = try client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
        #expect(text.contains("\r\nConnection: close\r\n") && text.contains("\r\nUpgrade: HTTP/1.1\r\n"))
        #expect(text.contains("\r\nX-Tapedeck-Reason: WebSockets are not recorded, so a replay has none\r\n"))
        // Any other protocol is an offer that need not be taken.
        let java = try RawConnection(port: replay.port)
        java.send(
            head + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
        )
        #expect(try java.response().status == 501)
        try replay.stop()
    }

    @Test func `another body is another request if the tape compares bodies`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/echo")
        let recording = try folder.serve("record", "x")
        try folder.curl(recording, "-d", "one", url)
        try folder.curl(recording, "-d", "two", url)
        try recording.stop()
        let replay = try folder.serve("replay", "x")
        #expect(try folder.curl(replay, "-d", "two", url).outputText == "POST /echo\n\ntwo")
        let other = try folder.curl(replay, "-i", "-d", "three", url)
        #expect(other.outputText.hasPrefix("HTTP/1.1 501 "))
        #expect(other.outputText.contains("body is three, the tape has one"))
        try replay.stop()
    }
}
