import TapedeckControlAPI
import Testing

@testable import TapedeckControlClient

@Suite struct ControlClientTests {
    private static let deck = """
        {"version":"0.1.0","api":1,"mode":"replay","proxyURL":"http://127.0.0.1:4747",
        "controlURL":"http://127.0.0.1:4748","requiresSession":false,"allowsDialling":false,"sessions":1}
        """

    private static let problem = """
        {"type":"https://tapedeck.local/problems/unknown-variant","title":"Unknown variant","status":422,
        "detail":"the set users has no variant offlin; did you mean offline?",
        "errors":[{"pointer":"/variant","detail":"is none of success, offline"}]}
        """

    @Test func `an answer of known length is read, and the request has the right fields`() throws {
        let server = try CannedServer(.json(Self.deck))
        let deck = try ControlClient(url: server.url, token: "secret").deck()
        #expect(deck.mode == "replay")
        #expect(deck.proxyURL == "http://127.0.0.1:4747")
        let request = try #require(server.requests.first)
        #expect(request.line == "GET /v1/deck HTTP/1.1")
        #expect(request.head.contains("\r\nHost: 127.0.0.1:\(server.port)\r\n"))
        #expect(request.head.contains("\r\nAuthorization: Bearer secret"))
    }

    @Test func `without a token none is sent`() throws {
        let server = try CannedServer(.json(Self.deck))
        let deck = try ControlClient(url: server.url).deck()
        #expect(deck.sessions == 1)
        #expect(try #require(server.requests.first).head.lowercased().contains("authorization") == false)
    }

    @Test func `an answer may arrive byte by byte and in chunks`() throws {
        let chunks = Self.deck.split(separator: ",", omittingEmptySubsequences: false).joined(separator: ",\u{0}")
            .split(separator: "\u{0}").map { "\(String($0.utf8.count, radix: 16));note=x\r\n\($0)\r\n" }
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let all = head + chunks.joined() + "0\r\nchecksum: none\r\n\r\n"
        let server = try CannedServer(CannedServer.Answer(pieces: all.unicodeScalars.map { String($0) }, ending: .hold))
        let deck = try ControlClient(url: server.url).deck()
        #expect(deck.version == "0.1.0")
    }

    @Test func `an answer without a length lasts until the connection ends`() throws {
        let server = try CannedServer(CannedServer.Answer(pieces: ["HTTP/1.1 200 OK\r\n\r\n", Self.deck]))
        let deck = try ControlClient(url: server.url).deck()
        #expect(deck.api == 1)
    }

    @Test func `names in a path may hold slashes, spaces, dots and other scripts`() throws {
        let server = try CannedServer(CannedServer.Answer(pieces: ["HTTP/1.1 204 No Content\r\n\r\n"], ending: .hold))
        let session = try ControlClient(url: server.url).session("a/b")
        try session.select("später ✓", of: "GET api.github.com/users?q=1")
        let request = try #require(server.requests.first)
        #expect(
            request.line
                == "PUT /v1/sessions/a%2Fb/selections/GET%20api.github.com%2Fusers%3Fq%3D1 HTTP/1.1"
        )
        #expect(request.body == #"{"variant":"später ✓"}"#)
        #expect(URLPart.encoded("..") == "%2E%2E")
    }

    @Test func `the query has exactly the requested parameters`() throws {
        let page = #"{"entries":[],"seen":0,"oldest":1,"version":0}"#
        let server = try CannedServer(.json(page), .json(page))
        let session = try ControlClient(url: server.url).session("default")
        var filter = SessionClient.JournalFilter()
        let empty = try session.journal(filter)
        filter.limit = 5
        filter.search = "a&b"
        filter.bodies = true
        let filtered = try session.journal(filter)
        #expect(empty == filtered)
        #expect(
            server.requests.map(\.line) == [
                "GET /v1/sessions/default/journal HTTP/1.1",
                "GET /v1/sessions/default/journal?limit=5&search=a%26b&bodies=true HTTP/1.1",
            ]
        )
    }

    @Test func `a wait sends the matcher as written`() throws {
        let server = try CannedServer(.json(#"{"isMet":true,"count":2,"entries":[]}"#))
        let result = try ControlClient(url: server.url).session("s")
            .wait(for: #"{"method": "GET"}"#, count: 2, within: .milliseconds(1_500), after: 7)
        #expect(result.isMet)
        let request = try #require(server.requests.first)
        #expect(request.line == "POST /v1/sessions/s/journal/wait HTTP/1.1")
        #expect(request.body == #"{"request":{"method": "GET"},"count":2,"within":"1500ms","after":7}"#)
    }

    @Test func `removed keys of the state are null`() throws {
        let server = try CannedServer(.json(#"{"state":{}}"#))
        try ControlClient(url: server.url).session("s").set(["a": nil, "b": "1"])
        #expect(server.requests.map(\.body) == [#"{"state":{"a":null,"b":"1"}}"#])
    }

    @Test func `all pages of the sets are fetched`() throws {
        let set =
            #"{"name":"NAME","cassette":"c","isAdded":false,"request":"GET /","conditions":[],"variants":[],"#
            + #""playing":"x","wrappers":[],"asked":0}"#
        let server = try CannedServer(
            .json(#"{"sets":[\#(set.replacing("NAME", with: "one"))],"total":2}"#),
            .json(#"{"sets":[\#(set.replacing("NAME", with: "two"))],"total":2}"#)
        )
        let sets = try ControlClient(url: server.url).session("s").sets()
        #expect(sets.map(\.name) == ["one", "two"])
        #expect(server.requests.map(\.line).last?.contains("offset=1") == true)
    }

    @Test func `all pages of the sessions are fetched`() throws {
        let session =
            #"{"id":"ID","name":"n","mode":"replay","cassettes":[],"selections":{},"profiles":[],"state":{},"seed":1,"#
            + #""unmatched":{"policy":"fail"},"created":"","idleSeconds":0,"requests":0,"played":0,"forwarded":0,"#
            + #""unmatchedRequests":0,"added":[],"revision":0}"#
        let server = try CannedServer(
            .json(#"{"sessions":[\#(session.replacing("ID", with: "one"))],"total":2}"#),
            .json(#"{"sessions":[\#(session.replacing("ID", with: "two"))],"total":2}"#)
        )
        let sessions = try ControlClient(url: server.url).sessions()
        #expect(sessions.map(\.id) == ["one", "two"])
        #expect(server.requests.map(\.line).last?.contains("offset=1") == true)
    }

    // MARK: What goes wrong

    private func error(_ url: String, timeout: Duration = .seconds(30)) throws -> ControlError {
        let client = try ControlClient(url: url, timeout: timeout)
        return try #require(throws: ControlError.self) { _ = try client.deck() }
    }

    @Test func `a problem has the deck's own message`() throws {
        let server = try CannedServer(
            .json(Self.problem, status: "422 Unprocessable Content", type: "application/problem+json; charset=utf-8")
        )
        let error = try self.error(server.url)
        #expect(error.problem?.status == 422)
        #expect(
            error.description == """
                the set users has no variant offlin; did you mean offline?
                  /variant: is none of success, offline
                """
        )
    }

    @Test func `the content of a problem is not repeated`() throws {
        let problem = """
            {"type":"https://tapedeck.local/problems/bad-body","title":"","status":422,
            "detail":"/mode: this must be replay","errors":[{"pointer":"/mode","detail":"this must be replay"}]}
            """
        let server = try CannedServer(.json(problem, status: "422 No", type: "application/problem+json"))
        #expect(try self.error(server.url).description == "/mode: this must be replay")
    }

    @Test func `if nothing listens, the error says so with advice`() throws {
        let server = try CannedServer(listens: false)
        let error = try self.error(server.url)
        #expect(error.kind == .noDeck)
        #expect(error.description.hasPrefix("no deck listens at \(server.url); start one with"))
        #expect(error.description.contains("--deck URL"))
    }

    @Test func `waiting for a silent deck ends`() throws {
        let server = try CannedServer(CannedServer.Answer(pieces: ["HTTP/1.1 200 OK\r\n"], ending: .hold))
        #expect(try self.error(server.url, timeout: .milliseconds(50)).kind == .timeout)
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ])
    func `a truncated answer is an error`(_ text: String) throws {
        let server = try CannedServer(CannedServer.Answer(pieces: [text]))
        #expect(try self.error(server.url).kind == .interrupted)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.9\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ])
    func `another service is not taken for a deck`(_ text: String) throws {
        let server = try CannedServer(CannedServer.Answer(pieces: [text]))
        let error = try self.error(server.url)
        #expect(error.kind == .notUnderstood)
        #expect(error.description.contains(server.url))
    }

    @Test func `an answer without end is not taken in whole`() throws {
        let piece = String(repeating: "x", count: 8 << 20)
        let pieces = ["HTTP/1.1 200 OK\r\n\r\n"] + Array(repeating: piece, count: 9)
        let server = try CannedServer(CannedServer.Answer(pieces: pieces, ending: .hold))
        #expect(try self.error(server.url).description.contains("64 MiB"))
    }
}
