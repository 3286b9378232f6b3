import Foundation
import FoundationNetworking
import TapedeckClient
import Testing

/// What goes over the wire and how it ends, byte by byte: the deck is played by a plain server.
@Suite(.timeLimit(.minutes(1)))
struct URLSessionWireTests {
    private static func client(
        _ server: WireServer,
        _ base: URLSessionConfiguration = .ephemeral,
        delegate: (any URLSessionDelegate)? = nil
    ) -> URLSession {
        let route = ProxyRoute(host: "127.0.0.1", port: server.port, sessionKey: "s:t")
        return URLSession(configuration: route.urlSessionConfiguration(base), delegate: delegate, delegateQueue: nil)
    }

    private static func url(_ path: String = "/") throws -> URL {
        try #require(URL(string: "https://api.example.com\(path)"))
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

    // MARK: Requests

    @Test func theRequestIsInAbsoluteFormWithTheKey() async throws {
        let server = try WireServer { _, connection in connection.send(Self.ok) }
        _ = try await Self.client(server).data(from: Self.url("/a%20b?c=%2Fd#e"))
        let request = try #require(server.requests.first)
        #expect(request.head.hasPrefix("GET https://api.example.com/a%20b?c=%2Fd HTTP/1.1\r\n"))
        #expect(request["host"] == "api.example.com")
        #expect(request["x-tapedeck-session"] == "s:t")
        #expect(request["x-tapedeck-client"] == "URLSession")
        #expect(request["x-tapedeck-proxy"] == nil)
    }

    @Test(arguments: ["data", "stream", "upload", "file", "streamed"])
    func bodiesOfEveryKindArrive(_ kind: String) async throws {
        let server = try WireServer { _, connection in connection.send(Self.ok) }
        let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let client = Self.client(server)
        var request = URLRequest(url: try Self.url("/upload"))
        request.httpMethod = "PUT"
        switch kind {
        case "data":
            request.httpBody = body
            _ = try await client.data(for: request)
        case "stream":
            request.httpBodyStream = InputStream(data: body)
            _ = try await client.data(for: request)
        case "upload":
            _ = try await client.upload(for: request, from: body)
        case "file":
            let file = FileManager.default.temporaryDirectory.appending(path: "tapedeck-\(UUID().uuidString)")
            try body.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            _ = try await client.upload(for: request, fromFile: file)
        default:
            let delegate = StreamingDelegate(body: body)
            let client = Self.client(server, delegate: delegate)
            client.uploadTask(withStreamedRequest: request).resume()
            for await event in delegate.events { if case .end = event { break } }
        }
        let arrived = try #require(server.requests.first)
        #expect(arrived.body == body)
        #expect(arrived.head.hasPrefix("PUT "))
    }

    @Test func anEmptyPostSaysSo() async throws {
        let server = try WireServer { _, connection in connection.send(Self.ok) }
        var request = URLRequest(url: try Self.url())
        request.httpMethod = "POST"
        _ = try await Self.client(server).data(for: request)
        #expect(server.requests.first?["content-length"] == "0")
    }

    // MARK: Answers

    @Test func aDelegateGetsTheDataAsItComes() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            connection.hold()
        }
        let delegate = StreamingDelegate()
        let task = Self.client(server, delegate: delegate).dataTask(with: try Self.url())
        task.resume()
        var events: [String] = []
        for await event in delegate.events {
            switch event {
            case .response(let status): events.append("\(status)")
            case .data(let data):
                events.append(String(decoding: data, as: UTF8.self))
                // The rest would never come.
                task.cancel()
            case .end(let code):
                events.append("\(code.map { "\($0.rawValue)" } ?? "")")
            }
            if events.count == 3 { break }
        }
        #expect(events == ["200", "one", "\(URLError.Code.cancelled.rawValue)"])
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        let body = Data(repeating: 0x61, count: 50 << 20)
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.send(body)
        }
        let (data, response) = try await Self.client(server).data(from: Self.url())
        #expect(data == body)
        #expect(response.expectedContentLength == -1)
    }

    @Test func interimResponsesAndTrailersAreNotTheAnswer() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n")
        }
        let (data, response) = try await Self.client(server).data(from: Self.url())
        #expect(data == Data("ok".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func aDownloadGivesAFile() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 3) })
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
        }
        let (file, response) = try await Self.client(server).download(from: Self.url())
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try Data(contentsOf: file) == body)
        try FileManager.default.removeItem(at: file)

        let delegate = DownloadDelegate()
        Self.client(server, delegate: delegate).downloadTask(with: try Self.url()).resume()
        var contents: [Data?] = []
        for await data in delegate.files { contents.append(data) }
        #expect(contents == [body])
        #expect(server.requests.count == 2)
    }

    @Test func aFailedDownloadIsAnError() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        }
        let client = Self.client(server)
        let error = await #expect(throws: URLError.self) { try await client.download(from: Self.url()) }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test(arguments: [("Bearer", "WWW-Authenticate"), ("Basic realm=\"a\"", "X-Tapedeck-WWW-Authenticate")])
    func aChallengeIsAnAnswer(_ challenge: String, _ name: String) async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 401 No\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n")
        }
        let (_, response) = try await Self.client(server).data(from: Self.url())
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 401)
        #expect(http.value(forHTTPHeaderField: name) == challenge)
        #expect(server.requests.count == 1)
    }

    // MARK: Redirects

    @Test(arguments: [
        (301, "POST", "GET", ""), (302, "POST", "GET", ""), (303, "PUT", "GET", ""), (307, "POST", "POST", "body"),
        (308, "PUT", "PUT", "body"), (302, "GET", "GET", ""),
    ])
    func aRedirectIsFollowed(_ status: Int, _ method: String, _ then: String, _ body: String) async throws {
        let server = try WireServer { request, connection in
            connection.send(
                request.head.contains("/from")
                    ? "HTTP/1.1 \(status) Moved\r\nLocation: /to\r\nSet-Cookie: a=1\r\nContent-Length: 3\r\n\r\nold"
                    : Self.ok
            )
        }
        var request = URLRequest(url: try Self.url("/from"))
        request.httpMethod = method
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        if method != "GET" { request.httpBody = Data("body".utf8) }
        let (data, response) = try await Self.client(server).data(for: request)
        #expect(data == Data("ok".utf8))
        #expect(response.url == (try Self.url("/to")))
        let second = try #require(server.requests.last)
        #expect(second.head.hasPrefix("\(then) https://api.example.com/to "))
        #expect(String(decoding: second.body, as: UTF8.self) == body)
        #expect(second["authorization"] == "secret")
        #expect(second["cookie"] == "a=1")
    }

    @Test func credentialsDoNotGoToAnotherHostAndADelegateMayStay() async throws {
        let server = try WireServer { request, connection in
            connection.send(
                request.head.contains("api.example.com")
                    ? "HTTP/1.1 302 Moved\r\nLocation: http://other.example.com/\r\nContent-Length: 3\r\n\r\nold"
                    : Self.ok
            )
        }
        var request = URLRequest(url: try Self.url())
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        _ = try await Self.client(server).data(for: request)
        #expect(server.requests.last?["host"] == "other.example.com")
        #expect(server.requests.last?["authorization"] == nil)

        let delegate = StreamingDelegate(follows: false)
        Self.client(server, delegate: delegate).dataTask(with: request).resume()
        var status = 0
        var body = Data()
        for await event in delegate.events {
            if case .response(let number) = event { status = number }
            if case .data(let data) = event { body += data }
            if case .end = event { break }
        }
        #expect(status == 302)
        #expect(body == Data("old".utf8))
        #expect(server.requests.count == 3)
    }

    @Test func aLoopOfRedirectsEnds() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 302 Moved\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
        }
        let client = Self.client(server)
        let error = await #expect(throws: URLError.self) { try await client.data(from: Self.url()) }
        #expect(error?.code == .httpTooManyRedirects)
        #expect(server.requests.count == 17)
    }

    // MARK: Failures

    @Test(
        arguments: [
            ("", .networkConnectionLost), ("garbage\r\n\r\n", .badServerResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", .networkConnectionLost),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", .networkConnectionLost),
            (
                "HTTP/1.1 502 No\r\nX-Tapedeck-Fault: connectionRefused\r\nContent-Length: 0\r\n\r\n",
                .cannotConnectToHost
            ),
        ] as [(String, URLError.Code)]
    )
    func brokenAnswersAreErrors(_ answer: String, _ code: URLError.Code) async throws {
        let server = try WireServer { _, connection in connection.send(answer) }
        let client = Self.client(server)
        let error = await #expect(throws: URLError.self) { try await client.data(from: Self.url()) }
        #expect(error?.code == code)
    }

    @Test func aResetIsAnError() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            connection.reset()
        }
        let client = Self.client(server)
        let error = await #expect(throws: URLError.self) { try await client.data(from: Self.url()) }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test func silenceTimesOut() async throws {
        let server = try WireServer { request, connection in
            if request.head.contains("/body") { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") }
            connection.hold()
        }
        let base = URLSessionConfiguration.ephemeral
        base.timeoutIntervalForRequest = 0.2
        let client = Self.client(server, base)
        for path in ["/head", "/body"] {
            let error = await #expect(throws: URLError.self) { try await client.data(from: Self.url(path)) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func withoutADeckTheErrorSaysSo() async throws {
        var server: WireServer? = try WireServer { _, _ in }
        let route = ProxyRoute(host: "127.0.0.1", port: server?.port ?? 0, sessionKey: "s:t")
        server = nil
        let client = URLSession(configuration: route.urlSessionConfiguration())
        let error = await #expect(throws: URLError.self) { try await client.data(from: Self.url()) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.localizedDescription.contains("No deck listens") == true)
    }

    @Test func aConfigurationThatLostItsFieldsIsToldSo() async throws {
        let server = try WireServer { _, connection in connection.send(Self.ok) }
        let configuration = ProxyRoute(host: "127.0.0.1", port: server.port, sessionKey: "s:t")
            .urlSessionConfiguration()
        configuration.httpAdditionalHeaders = ["X-App": "tests"]
        let client = URLSession(configuration: configuration)
        let error = await #expect(throws: URLError.self) { try await client.data(from: Self.url()) }
        #expect(error?.localizedDescription.contains("httpAdditionalHeaders") == true)
        #expect(server.requests.isEmpty)
    }

    @Test func cancellingEndsTheConnection() async throws {
        let (gone, continuation) = AsyncStream.makeStream(of: Void.self)
        let (begun, started) = AsyncStream.makeStream(of: Void.self)
        let server = try WireServer { _, connection in
            started.finish()
            connection.hold()
            continuation.finish()
        }
        let client = Self.client(server)
        let url = try Self.url()
        let task = Task { try await client.data(from: url) }
        for await _ in begun {}
        task.cancel()
        for await _ in gone {}
        let result = await task.result
        #expect(throws: (any Error).self) { try result.get() }
    }
}

/// Notes what a session's delegate is told.
private final class StreamingDelegate: NSObject, URLSessionDataDelegate {
    enum Event: Sendable {
        case response(Int)
        case data(Data)
        case end(URLError.Code?)
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let body: Data
    private let follows: Bool

    init(body: Data = Data(), follows: Bool = true) {
        (self.events, self.continuation) = AsyncStream.makeStream(of: Event.self)
        self.body = body
        self.follows = follows
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        self.continuation.yield(.response((response as? HTTPURLResponse)?.statusCode ?? 0))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.continuation.yield(.data(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.continuation.yield(.end((error as? URLError)?.code))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        completionHandler(InputStream(data: self.body))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(self.follows ? request : nil)
    }
}

/// Notes what was in the files that a session's delegate is given.
private final class DownloadDelegate: NSObject, URLSessionDownloadDelegate {
    let files: AsyncStream<Data?>
    private let continuation: AsyncStream<Data?>.Continuation

    override init() {
        (self.files, self.continuation) = AsyncStream.makeStream(of: Data?.self)
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        self.continuation.yield(try? Data(contentsOf: location))
        try? FileManager.default.removeItem(at: location)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.continuation.finish()
    }
}
