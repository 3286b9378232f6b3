import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// URLSession, which on Linux can be given no certificate authority, against a deck as its base URL.
@Suite(.ownThreads) struct ReverseListenerTests {
    private struct Answer: Equatable {
        var status: Int
        var headers: [String: String]
        var body: Data
    }

    private static func ask(
        _ base: String,
        _ path: String,
        method: String = "GET",
        body: Data? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        var request = URLRequest(url: try #require(URL(string: base + path)), timeoutInterval: 30)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        let fields = http.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        return Answer(status: http.statusCode, headers: Dictionary(fields) { $1 }, body: data)
    }

    private static func askAll(_ base: String) async throws -> [Answer] {
        var answers: [Answer] = []
        for path in [
            "/json", "/gzip", "/chunked", "/cookies", "/bad-utf8", "/empty", "/status/404", "/redirect/2",
            "/binary?size=1000000", "/counter?key=u", "/counter?key=u",
        ] {
            answers.append(try await self.ask(base, path))
        }
        answers.append(try await self.ask(base, "/head-me", method: "HEAD"))
        answers.append(try await self.ask(base, "/range", headers: ["Range": "bytes=10-19"]))
        for text in [#"{"a":1}"#, #"{"a":2}"#] {
            answers.append(
                try await self.ask(
                    base,
                    "/echo",
                    method: "POST",
                    body: Data(text.utf8),
                    headers: ["Content-Type": "application/json"]
                )
            )
        }
        return answers
    }

    @Test func `URLSession gets the same from a replay, and the tape names the real origin`() async throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let base = origin.base(.https)

        let recording = try folder.serve("record", "app", "--reverse", base, "--upstream-ca", origin.authorityPath)
        let live = try await Self.askAll(recording.url)
        try recording.stop()
        #expect(live.first?.status == 200)
        #expect(live.last?.body == Data("POST /echo\n\n{\"a\":2}".utf8))
        #expect(try folder.read("cassettes/app.yaml").contains("url: \(base)/json\n"))
        let hosts = Set(try origin.requests().flatMap { $0.values("host") })
        #expect(hosts == ["localhost:\(origin.port(.https))"])
        try origin.stop()

        let replay = try folder.serve("replay", "app", "--reverse", base)
        let replayed = try await Self.askAll(replay.url)
        for (live, replayed) in zip(live, replayed) {
            #expect(live.status == replayed.status)
            #expect(Self.comparable(live.headers) == Self.comparable(replayed.headers))
            expectSame(replayed.body, live.body)
        }
        // The other way in.
        let result = try folder.curl(replay, base + "/json")
        expectSame(result.output, try #require(live.first).body)
        let summary = try replay.stop().errorText
        #expect(summary.contains("18 requests played, 0 unmatched, 0 connections opened upstream"), "\(summary)")
    }

    /// URLSession on Linux keeps one of several spellings of a name, and a different one from run to run. The round
    /// trips with curl compare those.
    private static func comparable(_ headers: [String: String]) -> [String: String] {
        headers.filter { !["set-cookie", "x-dup"].contains($0.key.lowercased()) }
    }

    @Test func `a plain HTTP origin can be behind a reverse listener`() throws {
        let folder = try TestFolder()
        try folder.redactNothing()
        let origin = try Origin(in: folder)
        let recording = try folder.serve("record", "app", "--reverse", origin.base(.http))
        let live = try folder.run(["curl", "-q", "-sS", "-i", recording.url + "/cookies"])
        try recording.stop()
        try origin.stop()
        let replay = try folder.serve("replay", "app", "--reverse", origin.base(.http))
        let replayed = try folder.run(["curl", "-q", "-sS", "-i", replay.url + "/cookies"])
        try replay.stop()
        expectSame(replayed.output, live.output)
        #expect(live.outputText.hasSuffix("\r\n\r\ncookies\n"))
    }
}
