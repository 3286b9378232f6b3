import NIOCore
import TapedeckControlAPI
import TapedeckControlServer
import TapedeckCore
import TapedeckSessions
import TestShare
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Requests that are refused, over the wire.
@Suite struct ProblemTests {
    @Test(arguments: ["Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"])
    func aTruncatedBodyGetsA400(_ rest: String) async throws {
        try await RunningControl.use { control in
            let client = try await control.connect()
            try await client.send(
                "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(control.server.port)\r\n"
                    + "Content-Type: application/json\r\nConnection: close\r\n\(rest)"
            )
            // The deck may have refused it and closed already.
            try? await client.finishSending()
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        }
    }

    /// More than fits between two sockets, from a client that reads only once it has sent everything.
    @Test(.long) func aBodyThatIsTooLargeIsReadToItsEnd() async throws {
        try await RunningControl.use { control in
            let client = try await control.connect()
            let size = 32 << 20
            try await client.send(
                "PUT /v1/sessions/default/added/a HTTP/1.1\r\nHost: 127.0.0.1:\(control.server.port)\r\n"
                    + "Content-Type: application/json\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n"
            )
            try await client.send(String(repeating: " ", count: size))
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(200))")
        }
    }

    @Test(
        arguments: [
            ("GET", "/v1/nothing", 404, "unknown-route", nil),
            ("GET", "/v2/deck", 404, "unknown-route", nil),
            ("POST", "/v1/deck", 405, "wrong-method", "GET, HEAD"),
            ("PATCH", "/v1/sessions/default/added/a", 405, "wrong-method", "DELETE, GET, HEAD, PUT"),
            ("GET", "/v1/sessions/default/journal/wait", 405, "wrong-method", "POST"),
            ("OPTIONS", "/v1/sessions", 405, "wrong-method", "GET, HEAD, POST"),
            ("GET", "/v1/sessions/none", 404, "unknown-session", nil),
            ("GET", "/v1/sessions/%ff", 400, "bad-request", nil),
            ("GET", "/v1/cassettes/nothing", 404, "unknown-cassette", nil),
            ("GET", "/v1/cassettes/..%2Fshop", 422, "bad-cassette", nil),
        ] as [(String, String, Int, String, String?)]
    )
    func everyErrorIsAProblemDocument(
        _ method: String,
        _ path: String,
        _ status: Int,
        _ problem: String,
        _ allowed: String?
    ) async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask(method, path)
            #expect(answer.status == status)
            #expect(answer.problem == problem)
            #expect(answer.headers["allow"] == allowed)
        }
    }

    @Test func aHEADIsAGETWithoutTheBody() async throws {
        try await RunningControl.use { control in
            let get = try await control.ask("GET", "/v1/version")
            let head = try await control.ask("HEAD", "/v1/version")
            #expect(head.status == 200)
            #expect(head.text.isEmpty)
            #expect(head.headers["content-length"] == get.headers["content-length"])
        }
    }

    @Test func aBodyThatIsTooLargeIsRefused() async throws {
        try await RunningControl.use(.with { $0.bodyLimit = 100 }) { control in
            let body = String(repeating: " ", count: 101)
            let answer = try await control.ask("PUT", "/v1/sessions/default/recording", body)
            #expect(answer.status == 413)
            #expect(answer.problem == "body-too-large")
        }
    }

    @Test func aPageOfAnotherSiteCannotSelectAVariant() async throws {
        try await RunningControl.use { control in
            let path = "/v1/sessions/default/selections/order"
            let body = #"{"variant": "offline"}"#
            let rebound = try await control.ask("PUT", path, body, host: "evil.example:\(control.server.port)")
            #expect(rebound.problem == "wrong-host")
            let foreign = try await control.ask("PUT", path, body, headers: ["Origin: http://evil.example"])
            #expect(foreign.problem == "foreign-origin")
            #expect(!foreign.headers.keys.contains { $0.hasPrefix("access-control") })
            let fetched = try await control.ask("PUT", path, body, headers: ["Sec-Fetch-Site: cross-site"])
            #expect(fetched.problem == "foreign-origin")
            let form = "Content-Type: application/x-www-form-urlencoded"
            #expect(try await control.ask("POST", "/v1/sessions", "name=a", headers: [form]).problem == "not-json")
            let twoHosts = try await control.ask("PUT", path, body, headers: ["Host: evil.example"])
            #expect(twoHosts.status == 400)
            #expect(try control.session.selection.isEmpty)
            #expect(control.sessions.count == 1)
        }
    }

    @Test func theTokenIsRequiredAndAccepted() async throws {
        try await RunningControl.use(.with { $0.token = "secret" }) { control in
            let without = try await control.ask("GET", "/v1/deck", host: "deck.internal")
            #expect(without.status == 401)
            #expect(without.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
            let with = try await control.ask(
                "GET",
                "/v1/deck",
                headers: ["Authorization: Bearer secret"],
                host: "deck.internal"
            )
            #expect(with.status == 200)
            #expect(try with.decoded(DeckModel.self).controlURL == "http://deck.internal")
            #expect(try await control.ask("GET", "/", host: "deck.internal").status == 200)
        }
    }

    /// As Java's HttpClient does with its first request.
    @Test func `a request with an HTTP/2 upgrade is answered, and so is the next one`() async throws {
        try await RunningControl.use { control in
            let offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAAA"]
            let probe = try await control.connect()
            try await probe.send(control.head("GET", "/v1/health", headers: offer))
            #expect(await probe.read(until: #"{"status":"ok"}"#).hasPrefix("HTTP/1.1 200 OK\r\n"))
            try await probe.send(control.head("GET", "/v1/health"))
            #expect(await probe.read(until: #"{"status":"ok"}"#).hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `requests that were sent before the client closed its side are all answered`() async throws {
        try await RunningControl.use { control in
            let probe = try await control.connect()
            let request = control.head("GET", "/v1/health")
            try await probe.send(request + request + control.head("HEAD", "/v1/health", headers: ["Connection: close"]))
            let answers = await probe.readToEnd()
            #expect(answers.matches(of: /HTTP\/1\.1 200 OK/).count == 3)
            #expect(answers.matches(of: /\{"status":"ok"\}/).count == 2)
        }
    }

    @Test func `a client that expects 100 Continue gets it before it sends the body`() async throws {
        try await RunningControl.use { control in
            let probe = try await control.connect()
            let body = #"{"name": "a"}"#
            let fields = [
                "Expect: 100-continue", "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
            ]
            try await probe.send(control.head("POST", "/v1/sessions", headers: fields))
            #expect(await probe.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await probe.send(body)
            #expect(await probe.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201 Created\r\n"))
        }
    }

    @Test(arguments: ["0.0.0.0", "::"])
    func anAddressThatOtherMachinesReachNeedsAToken(_ host: String) async throws {
        await #expect(throws: ControlServerError.self) {
            try await RunningControl.use(.with { $0.host = host }) { _ in }
        }
    }

    @Test func aUsedPortIsReported() async throws {
        try await RunningControl.use { control in
            let error = await #expect(throws: IOError.self) {
                try await RunningControl.use(.with { $0.port = control.server.port }) { _ in }
            }
            #expect(error?.errnoCode == EADDRINUSE)
        }
    }
}
