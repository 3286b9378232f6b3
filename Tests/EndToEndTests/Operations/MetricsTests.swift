import Foundation
import TestShare
import Testing

/// The metrics of a deck, as Prometheus reads them.
@Suite(.ownThreads) struct MetricsTests {
    @Test(.long) func `requests are counted by mode and outcome`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve", "users", "--loopback", "--upstream-ca", origin.authorityPath)
        let control = try folder.control(deck)
        for _ in 1...3 { try folder.curl(deck, Cassettes.usersURL) }
        try folder.curl(deck, "http://api.example.com/nowhere")
        let (recording, _) = try control.session(#"{"mode": "record", "cassettes": ["taped"]}"#)
        let (passing, _) = try control.session(#"{"mode": "passthrough", "cassettes": []}"#)
        try folder.curl(deck, "--proxy-user", "\(recording):", origin.url("/json", .https))
        try folder.curl(deck, "--proxy-user", "\(passing):", origin.url("/json", .https))
        try folder.curl(deck, "--proxy-user", "\(passing):", origin.url("/reset"))
        try folder.curl(deck, "--proxy-user", "nobody:", origin.url("/json"))
        let client = try RawConnection(port: deck.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n")
        _ = try client.readToEnd()

        let page = try control.metrics()
        #expect(page.requests("replay", "played") == 3)
        #expect(page.requests("replay", "unmatched") == 1)
        #expect(page.requests("record", "recorded") == 1)
        #expect(page.requests("passthrough", "forwarded") == 1)
        #expect(page.requests("passthrough", "failed") == 1)
        #expect(page.requests("none", "refused") == 2)
        #expect(page["tapedeck_unmatched_requests_total"] == 1)
        #expect(page["tapedeck_request_duration_seconds_count{outcome=\"played\"}"] == 3)
        #expect(page["tapedeck_request_duration_seconds_sum{outcome=\"recorded\"}"] > 0)
        #expect(page["tapedeck_requests_in_flight"] == 0)
        #expect(page["tapedeck_sessions"] == 3)
        #expect(page["tapedeck_sessions_created_total"] == 3)
        #expect(page["tapedeck_upstream_connections_opened_total"] == 2)
        #expect(page["tapedeck_leaf_certificates_minted_total"] == 1)
        #expect(page["tapedeck_journal_bytes"] > 1_000)
        #expect(page["tapedeck_recordings"] == 1)
        #expect(page["tapedeck_recordings_failed_total"] == 0)
        #expect(page["process_resident_memory_bytes"] > 1_000_000)
        #expect(page["process_open_fds"] > 5)
        #expect(page["process_cpu_seconds_total"] > 0)
        #expect(abs(page["process_start_time_seconds"] - Date().timeIntervalSince1970) < 300)
        #expect(page.samples.keys.contains { $0.hasPrefix("tapedeck_build_info{version=\"") })
        // Ids of sessions are not labels: each would be a new series.
        #expect(!page.samples.keys.contains { $0.contains(recording) })

        try control.get("DELETE", "/v1/sessions/\(recording)")
        let later = try control.metrics()
        #expect(later["tapedeck_recordings"] == 0)
        #expect(later["tapedeck_sessions"] == 2)
        #expect(later["tapedeck_sessions_created_total"] == 3)
        try deck.stop()
    }

    @Test func `a request in progress is visible`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("passthrough")
        let control = try folder.control(deck)
        let client = try RawConnection(port: deck.port)
        client.send("GET \(origin.url("/slow-chunks?n=2&key=m")) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        _ = try client.read(through: "\r\n\r\n")
        let during = try control.metrics()
        #expect(during["tapedeck_requests_in_flight"] == 1)
        #expect(during["tapedeck_client_connections"] == 1)
        #expect(during["tapedeck_upstream_connections"] == 1)
        #expect(during.requests("passthrough", "forwarded") == 0)
        try folder.run(Curl.direct(origin) + ["-X", "POST", origin.url("/_go?n=2&key=m")])
        _ = try client.readToEnd()
        let after = try control.metrics()
        #expect(after["tapedeck_requests_in_flight"] == 0)
        #expect(after.requests("passthrough", "forwarded") == 1)
        try deck.stop()
    }

    @Test func `a recording that cannot be saved is counted`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve", "--loopback")
        let control = try folder.control(deck)
        let (id, _) = try control.session(#"{"mode": "record", "cassettes": ["one"]}"#)
        try folder.curl(deck, "-H", "X-Tapedeck-Session: \(id)", origin.url("/json"))
        try folder.write("", to: "cassettes/one.yaml/in-the-way")
        _ = try control.ask("DELETE", "/v1/sessions/\(id)")
        #expect(try control.metrics()["tapedeck_recordings_failed_total"] == 1)
    }

    @Test func `with a token the numbers are for those who have it`() throws {
        let folder = try TestFolder()
        try folder.write("s3same\n", to: "token")
        let deck = try folder.serve("serve", "--token-file", "token")
        let control = try folder.control(deck)
        #expect(try control.ask("GET", "/metrics").status == 401)
        let answer = try control.ask("GET", "/metrics", headers: ["Authorization: Bearer s3same"])
        #expect(answer.status == 200)
        try deck.stop()
    }
}
