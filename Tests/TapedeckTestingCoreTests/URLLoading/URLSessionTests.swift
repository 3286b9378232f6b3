import Foundation
import FoundationNetworking
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckTestingCore
import Testing

/// A URLSession as a test gets it, against a deck.
@Suite(.timeLimit(.minutes(20)))
struct URLSessionTests {
    private static let sets = """
          - name: user
            request: { method: GET, url: "https://api.example.com/users/7?full=1" }
            variants:
              - name: ok
                takes:
                  - status: 200
                    headers: [{ Content-Type: application/json }, { X-Kind: a }, { X-Kind: b }]
                    body: { json: '{"name": "Ada"}' }
              - name: gone
                takes: [{ status: 404 }]
          - name: login
            request: { method: POST, url: "https://api.example.com/login" }
            variants:
              - name: ok
                takes: [{ status: 201, headers: [{ Set-Cookie: "sid=1; Path=/" }], body: { text: welcome } }]
          - name: nothing
            request: { method: DELETE, url: "https://api.example.com/users/7" }
            variants: [{ name: ok, empty: true }]
          - name: same
            request: { url: "https://api.example.com/same" }
            variants: [{ name: ok, takes: [{ status: 304, headers: [{ ETag: '"1"' }] }] }]
        """

    private static func url(_ path: String) throws -> URL {
        try #require(URL(string: "https://api.example.com\(path)"))
    }

    @Test func anHTTPSURLIsAnsweredFromTheTape() async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.sets)
            let client = URLSession(configuration: session.route.urlSessionConfiguration())
            let (data, response) = try await client.data(from: Self.url("/users/7?full=1"))
            let http = try #require(response as? HTTPURLResponse)
            #expect(String(decoding: data, as: UTF8.self).contains("Ada"))
            #expect(http.statusCode == 200)
            #expect(http.url == (try Self.url("/users/7?full=1")))
            #expect(http.value(forHTTPHeaderField: "content-type") == "application/json")
            #expect(http.value(forHTTPHeaderField: "X-Kind") == "a, b")
            #expect(http.mimeType == "application/json")
            #expect(http.expectedContentLength == Int64(data.count))
            let entry = try #require(try await session.journal().first)
            #expect(entry.url == "https://api.example.com/users/7?full=1")
            let names = Set((entry.request?.headers ?? []).map { $0[0].lowercased() })
            #expect(!names.contains { $0.hasPrefix("x-tapedeck") })
        }
    }

    @Test func answersWithoutABodyEnd() async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.sets)
            let client = URLSession(configuration: session.route.urlSessionConfiguration())
            for (method, path, status) in [
                ("DELETE", "/users/7", 204), ("GET", "/same", 304), ("HEAD", "/same", 304),
                ("HEAD", "/users/7?full=1", 501),
            ] {
                var request = URLRequest(url: try Self.url(path))
                request.httpMethod = method
                let (data, response) = try await client.data(for: request)
                #expect((response as? HTTPURLResponse)?.statusCode == status)
                #expect(data.isEmpty)
            }
        }
    }

    @Test func anUnmatchedRequestIsAnAnswer() async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.sets)
            let client = URLSession(configuration: session.route.urlSessionConfiguration())
            let (data, response) = try await client.data(from: Self.url("/other"))
            #expect((response as? HTTPURLResponse)?.statusCode == 501)
            #expect(String(decoding: data, as: UTF8.self).contains("/other"))
        }
    }

    @Test func theCompletionHandlerGetsAllOfIt() async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.sets)
            let client = URLSession(configuration: session.route.urlSessionConfiguration())
            let url = try Self.url("/users/7?full=1")
            let text = await withCheckedContinuation { continuation in
                client.dataTask(with: url) { data, response, error in
                    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                    continuation.resume(returning: "\(status) \(data?.count ?? 0) \(error == nil)")
                }.resume()
            }
            #expect(text.hasPrefix("200 ") && text.hasSuffix(" true"))
            #expect(!text.contains(" 0 "))
        }
    }

    @Test func cookiesAndHeaderFieldsGoAlong() async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.sets)
            let base = URLSessionConfiguration.ephemeral
            base.httpAdditionalHeaders = ["X-App": "tests", "X-Both": "configuration"]
            let client = URLSession(configuration: session.route.urlSessionConfiguration(base))
            var login = URLRequest(url: try Self.url("/login"))
            login.httpMethod = "POST"
            login.httpBody = Data("user=ada".utf8)
            login.setValue("request", forHTTPHeaderField: "X-Both")
            _ = try await client.data(for: login)
            _ = try await client.data(from: Self.url("/users/7?full=1"))
            let journal = try await session.journal()
            func value(_ index: Int, _ name: String) -> String? {
                journal[index].request?.headers.first { $0[0].lowercased() == name }?[1]
            }
            #expect(value(0, "x-app") == "tests")
            #expect(value(0, "x-both") == "request")
            #expect(value(0, "content-type") == "application/x-www-form-urlencoded")
            #expect(journal[0].request?.body?.text == "user=ada")
            #expect(value(0, "cookie") == nil)
            #expect(value(1, "cookie") == "sid=1")
            #expect(base.httpAdditionalHeaders?.count == 2)
        }
    }

    @Test func twoSessionsInOneProcessAreIndependent() async throws {
        try await TestDeck.with { deck in
            let one = try await deck.session(Self.sets)
            let two = try await deck.session(Self.sets)
            try await two.ask { try $0.select("gone", of: "user") }
            let clients = [one, two].map { URLSession(configuration: $0.route.urlSessionConfiguration()) }
            let url = try Self.url("/users/7?full=1")
            let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let (_, response) = try await clients[number % 2].data(from: url)
                        return (number % 2, (response as? HTTPURLResponse)?.statusCode ?? 0)
                    }
                }
                return try await group.reduce(into: [[], []] as [Set<Int>]) { $0[$1.0].insert($1.1) }
            }
            #expect(statuses == [[200], [404]])
            #expect(try await one.ask { try $0.get().requests } == 50)
            #expect(try await two.ask { try $0.get().requests } == 50)
        }
    }
}

/// Cookies of a session of the deck.
@Suite(.timeLimit(.minutes(20)))
struct URLSessionCookieTests {
    @Test func `sessions with default configurations share cookies within a test and not beyond`() async throws {
        func cookies(_ session: URLSession) async throws -> String {
            let url = try #require(URL(string: "https://cookies.example/me"))
            return String(decoding: try await session.data(from: url).0, as: UTF8.self)
        }
        for number in 0..<2 {
            try await withTapedeck { deck in
                try await deck.stub(.get("/login"), .text("in", headers: ["set-cookie": "id=\(number); Path=/"]))
                try await deck.stub(.get("/me")) { request in .text(request.request[header: "cookie"] ?? "none") }
                #expect(try await cookies(deck.urlSession(.default)) == "none")
                let login = try #require(URL(string: "https://cookies.example/login"))
                _ = try await deck.urlSession(.default).data(from: login)
                #expect(try await cookies(deck.urlSession(.default)) == "id=\(number)")
                #expect(try await cookies(deck.urlSession()) == "none")
            }
        }
        #expect(HTTPCookieStorage.shared.cookies?.contains { $0.domain.hasSuffix("cookies.example") } != true)
    }

    @Test func `a cookie storage of the test's own stays`() async throws {
        let own = URLSessionConfiguration.ephemeral
        try await withTapedeck { deck in
            #expect(deck.urlSessionConfiguration(own).httpCookieStorage === own.httpCookieStorage)
            #expect(deck.urlSessionConfiguration(.default).httpCookieStorage !== HTTPCookieStorage.shared)
            #expect(deck.urlSessionConfiguration(.default).urlCredentialStorage !== URLCredentialStorage.shared)
        }
    }
}
