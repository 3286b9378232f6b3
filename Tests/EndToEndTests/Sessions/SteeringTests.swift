import Foundation
import TestShare
import Testing

/// A running deck is steered by curl, by Python and by a second `tapedeck`.
@Suite(.ownThreads) struct SteeringTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          - name: GET api.example.test/login
            request: { method: GET, url: http://api.example.test/login }
            variants:
              - name: success
                takes: [{ status: 200, body: { text: welcome } }]
              - name: invalid credentials
                takes: [{ status: 401, body: { text: go away } }]
          - name: cart
            request: { method: GET, url: http://api.example.test/cart }
            variants:
              - name: first
                template: true
                takes:
                  - { status: 200, body: { text: "cart of {{state.user}}" } }
        profiles:
          bad day: { GET api.example.test/login: invalid credentials, cart: server-error }

        """

    private let folder: TestFolder
    private let deck: TapedeckProcess
    private let control: ControlAPI

    init() throws {
        self.folder = try TestFolder()
        try self.folder.write(Self.cassette, to: "cassettes/shop.yaml")
        self.deck = try self.folder.serve("replay", "shop")
        self.control = try self.folder.control(self.deck)
    }

    private func ask(_ path: String, session: String? = nil) throws -> String {
        let key = session.map { ["-H", "X-Tapedeck-Session: \($0)"] } ?? []
        return try self.folder.run(Curl.through(self.deck) + key + ["http://api.example.test\(path)"]).outputText
    }

    /// Runs a second `tapedeck`, which knows only the address of the deck.
    private func tapedeck(_ arguments: String...) throws -> Program.Result {
        try self.folder.tapedeck(arguments, environment: ["TAPEDECK_URL": self.control.url])
    }

    // MARK: curl

    @Test func `a reset undoes all selections and profiles of a session, and restarts its takes`() throws {
        let login = "/v1/sessions/default/selections/GET%20api.example.test%2Flogin"
        try self.control.get("PUT", login, #"{"variant": "invalid credentials"}"#)
        #expect(try self.ask("/login") == "go away")
        try self.control.get("DELETE", login)
        #expect(try self.ask("/login") == "welcome")
        try self.control.get("PUT", "/v1/sessions/default/profiles/bad%20day")
        #expect(try self.ask("/login") == "go away")
        #expect(try self.ask("/cart").contains("internal server error"))
        try self.control.get("PATCH", "/v1/sessions/default/state", #"{"state": {"user": "ada"}}"#)
        try self.control.get("POST", "/v1/sessions/default/reset")
        #expect(try self.ask("/login") == "welcome")
        #expect(try self.ask("/cart") == "cart of ")
        try self.deck.stop()
    }

    @Test func `selections, state and stubs of one session do not affect another, and end with it`() throws {
        let (one, _) = try self.control.session()
        let (other, _) = try self.control.session()
        try self.control.get("PATCH", "/v1/sessions/\(one)/state", #"{"state": {"user": "ada"}}"#)
        try self.control.get(
            "PUT",
            "/v1/sessions/\(one)/added/maintenance",
            #"{"request": {"url": "/login"}, "status": 503, "body": {"json": {"down": true}}}"#
        )
        #expect(try self.ask("/login", session: one).contains(#""down""#))
        #expect(try self.ask("/cart", session: one) == "cart of ada")
        #expect(try self.ask("/login", session: other) == "welcome")
        #expect(try self.ask("/cart", session: other) == "cart of ")
        #expect(try self.ask("/login") == "welcome")
        try self.control.get("DELETE", "/v1/sessions/\(one)/added/maintenance")
        #expect(try self.ask("/login", session: one) == "welcome")
        let report = try self.control.get("DELETE", "/v1/sessions/\(one)")
        #expect(report["played"] as? Int == 3)
        #expect(report["unmatchedRequests"] as? Int == 0)
        #expect(try self.control.ask("GET", "/v1/sessions/\(one)").status == 410)
        #expect(try self.control.get("GET", "/v1/sessions/\(one)/report")["played"] as? Int == 3)
        try self.deck.stop()
    }

    @Test func `a wait ends when the requests have come, or reports that they have not`() throws {
        let path = "/v1/sessions/default/journal/wait"
        let waiting = try self.folder.start([
            "curl", "-sS", "--noproxy", "*", "-H", "Content-Type: application/json",
            "-d", #"{"request": {"url": "/login"}, "count": 2, "within": "60s"}"#, self.control.url + path,
        ])
        _ = try self.ask("/login")
        _ = try self.ask("/cart")
        _ = try self.ask("/login")
        let answer = try waiting.result().outputText
        #expect(answer.contains(#""isMet":true"#) || answer.contains(#""isMet" : true"#), "\(answer)")
        let late = try self.control.get("POST", path, #"{"request": {"url": "/nothing"}, "within": "10ms"}"#)
        #expect(late["isMet"] as? Bool == false)
        #expect(late["reason"] as? String == "timeout")
        let quiet = try self.control.get(
            "POST",
            path,
            #"{"request": {"url": "/login"}, "never": true, "within": "10ms", "after": 3}"#
        )
        #expect(quiet["isMet"] as? Bool == true)
        let loud = try self.control.get(
            "POST",
            path,
            #"{"request": {"url": "/login"}, "never": true, "within": "60s"}"#
        )
        #expect(loud["isMet"] as? Bool == false)
        try self.deck.stop()
    }

    @Test func `the journal has the answering set and reason of each request, and near misses`() throws {
        _ = try self.ask("/login")
        _ = try self.ask("/logni")
        let page = try self.control.get("GET", "/v1/sessions/default/journal")
        let entries = try #require(page["entries"] as? [[String: Any]])
        #expect(entries.map { $0["outcome"] as? String } == ["played", "unmatched"])
        #expect(entries.map { $0["status"] as? Int } == [200, 501])
        let played = try #require(entries[0]["played"] as? [String: Any])
        #expect(played["set"] as? String == "GET api.example.test/login")
        #expect(played["variant"] as? String == "success")
        let unmatched = try #require(entries[1]["unmatched"] as? [String: Any])
        let nearest = try #require(unmatched["nearest"] as? [[String: Any]])
        #expect(nearest.first?["set"] as? String == "GET api.example.test/login")
        let detail = try self.control.get("GET", "/v1/sessions/default/journal/1")
        let response = try #require(detail["response"] as? [String: Any])
        #expect((response["body"] as? [String: Any])?["text"] as? String == "welcome")
        let query = try self.control.get(
            "POST",
            "/v1/sessions/default/journal/query",
            #"{"request": {"method": "GET", "urlTemplate": "http://api.example.test/{page}"}, "outcome": "unmatched"}"#
        )
        #expect((query["entries"] as? [Any])?.count == 1)
        try self.deck.stop()
    }

    @Test func `the sets of a session have the playing variant and the number of requests`() throws {
        try self.control.get("PUT", "/v1/sessions/default/profiles/bad%20day")
        _ = try self.ask("/cart")
        let list = try self.control.get("GET", "/v1/sessions/default/sets?search=cart")
        #expect(list["total"] as? Int == 1)
        let set = try #require((list["sets"] as? [[String: Any]])?.first)
        #expect(set["playing"] as? String == "server-error")
        #expect(set["asked"] as? Int == 1)
        let table = try self.tapedeck("sets")
        #expect(table.outputText.contains("invalid credentials"), "\(table.errorText)")
        try self.deck.stop()
    }

    @Test func `the events of a session tell a program of selections and requests`() throws {
        let (id, _) = try self.control.session()
        let events = try self.folder.start([
            "curl", "-sSN", "--noproxy", "*", "\(self.control.url)/v1/sessions/\(id)/events",
        ])
        func wait(for text: String) throws {
            _ = try events.waitForOutput(text) { $0.contains(text) ? true : nil }
        }
        try wait(for: "event: session")
        try self.control.get("PUT", "/v1/sessions/\(id)/profiles/bad%20day")
        try wait(for: "bad day")
        _ = try self.ask("/cart", session: id)
        try wait(for: "event: entry")
        try wait(for: "http://api.example.test/cart")
        try self.control.get("DELETE", "/v1/sessions/\(id)")
        #expect(try events.result().outputText.contains("event: ended"))
        try self.deck.stop()
    }

    // MARK: Python

    private static let python = """
        import json, sys, urllib.request
        control, proxy = sys.argv[1], sys.argv[2]
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        def api(method, path, body=None):
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(control + path, data, {"Content-Type": "application/json"}, method=method)
            with direct.open(request) as answer:
                return json.load(answer)
        made = api("POST", "/v1/sessions", {"name": "from Python", "profiles": ["bad day"]})
        through = urllib.request.build_opener(
            urllib.request.ProxyHandler({"http": f"http://{made['id']}:{made['token']}@{proxy}"}))
        def status(path):
            try:
                return through.open("http://api.example.test" + path).status
            except urllib.error.HTTPError as error:
                return error.code
        before = status("/login")
        api("DELETE", f"/v1/sessions/{made['id']}/profiles/bad%20day")
        after = status("/login")
        missing = status("/missing")
        report = api("DELETE", f"/v1/sessions/{made['id']}")
        print(before, after, missing, report["played"], report["unmatched"][0]["request"], report["unusedSets"])
        """

    @Test func `a Python program makes a session, steers it and reads its report`() throws {
        let script = try self.folder.write(Self.python, to: "steer.py")
        let result = try self.folder.run(["python3", script, self.control.url, "127.0.0.1:\(self.deck.port)"])
        #expect(
            result.outputText == "401 200 501 2 GET http://api.example.test/missing ['cart']\n",
            "\(result.errorText)"
        )
        try self.deck.stop()
    }

    // MARK: tapedeck

    @Test(.long) func `a second tapedeck selects, applies profiles and sets state in a running one`() throws {
        #expect(try self.tapedeck("select", "GET api.example.test/login=invalid credentials").exitCode == 0)
        #expect(try self.ask("/login") == "go away")
        #expect(try self.tapedeck("reset", "GET api.example.test/login").exitCode == 0)
        #expect(try self.ask("/login") == "welcome")
        #expect(try self.tapedeck("profile", "apply", "bad day").exitCode == 0)
        #expect(try self.ask("/login") == "go away")
        #expect(try self.tapedeck("profile", "revert", "bad day").exitCode == 0)
        #expect(try self.tapedeck("state", "user=ada").exitCode == 0)
        #expect(try self.ask("/cart") == "cart of ada")
        let journal = try self.tapedeck("journal")
        #expect(journal.outputText.contains("http://api.example.test/cart"), "\(journal.errorText)")
        let report = try self.tapedeck("report")
        #expect(report.outputText.contains("4 requests played"), "\(report.outputText)\(report.errorText)")
        let typo = try self.tapedeck("select", "cart=frist")
        #expect(typo.exitCode == 64)
        #expect(typo.errorText.contains("did you mean \"first\"?"), "\(typo.errorText)")
        try self.deck.stop()
        let gone = try self.tapedeck("report")
        #expect(gone.exitCode == 69)
        #expect(gone.errorText.contains("no deck"), "\(gone.errorText)")
    }

    @Test func `a second tapedeck makes, lists and ends sessions, and fails when one had unmatched requests`() throws {
        let made = try self.tapedeck(
            "session",
            "create",
            "shop",
            "--name",
            "mine",
            "--select",
            "GET api.example.test/login=invalid credentials"
        )
        let id = made.outputText.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(id.hasPrefix("mine-"), "\(made.errorText)")
        #expect(try self.ask("/login", session: id) == "go away")
        #expect(try self.tapedeck("session", "list").outputText.contains(id))
        _ = try self.ask("/missing", session: id)
        let ended = try self.tapedeck("session", "end", id)
        #expect(ended.exitCode == 70)
        #expect((ended.outputText + ended.errorText).contains("GET http://api.example.test/missing"))
        #expect(try self.tapedeck("session", "end", id).exitCode != 0)
        try self.deck.stop()
    }

    @Test func `a command that Tapedeck runs finds the control API in its environment`() throws {
        let script = #"""
            id=$("$0" session create shop --select 'GET api.example.test/login=invalid credentials' 2>/dev/null)
            curl -sS -x "http://$id@${TAPEDECK_PROXY#http://}" http://api.example.test/login
            "$0" select 'GET api.example.test/login=invalid credentials' && curl -sS http://api.example.test/login
            """#
        let result = try self.folder.tapedeck("replay", "shop", "--", "sh", "-c", script, Tapedeck.path)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.hasPrefix("go away"), "\(result.outputText)")
        #expect(result.outputText.hasSuffix("go away"), "\(result.outputText)")
        try self.deck.stop()
    }
}
