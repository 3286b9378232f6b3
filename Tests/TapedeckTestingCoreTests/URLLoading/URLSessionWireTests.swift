import Foundation
import FoundationNetworking
import TestShare
import Testing

/// Bytes on the wire, and the result of an answer; a plain server replaces the deck.
@Suite(.timeLimit(.minutes(20)))
struct URLSessionWireTests {
    // MARK: Requests

    @Test func theRequestIsInAbsoluteFormWithTheKey() async throws {
        let server = try WireServer { _, connection in connection.send(WireServer.ok) }
        _ = try await server.client().data(from: WireServer.url("/a%20b?c=%2Fd#e"))
        let request = try #require(server.requests.first)
        #expect(request.head.hasPrefix("GET https://api.example.com/a%20b?c=%2Fd HTTP/1.1\r\n"))
        #expect(request["host"] == "api.example.com")
        #expect(request["x-tapedeck-session"] == "s:t")
        #expect(request["x-tapedeck-client"] == "URLSession")
        #expect(request["x-tapedeck-proxy"] == nil)
    }

    @Test(.long, arguments: ["data", "stream", "upload", "file", "streamed"])
    func bodiesOfEveryKindArrive(_ kind: String) async throws {
        let server = try WireServer { _, connection in connection.send(WireServer.ok) }
        let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let client = server.client()
        var request = URLRequest(url: try WireServer.url("/upload"))
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
            let client = server.client(delegate: delegate)
            client.uploadTask(withStreamedRequest: request).resume()
            for await event in delegate.events { if case .end = event { break } }
        }
        let arrived = try #require(server.requests.first)
        #expect(arrived.body == body)
        #expect(arrived.head.hasPrefix("PUT "))
    }

    @Test func anEmptyPostHasAContentLengthOfZero() async throws {
        let server = try WireServer { _, connection in connection.send(WireServer.ok) }
        var request = URLRequest(url: try WireServer.url())
        request.httpMethod = "POST"
        _ = try await server.client().data(for: request)
        #expect(server.requests.first?["content-length"] == "0")
    }

    @Test func aLineBreakCannotAddAHeaderField() async throws {
        let server = try WireServer { _, connection in connection.send(WireServer.ok) }
        let base = URLSessionConfiguration.ephemeral
        base.httpAdditionalHeaders = ["X-A\r\nX-Evil": "1", "X-B: 2\nX-Evil": "2", "X-C": "a\r\nX-Evil: 3"]
        var request = URLRequest(url: try WireServer.url())
        request.setValue("b\r\nX-Evil: 3", forHTTPHeaderField: "X-E")
        request.setValue("4", forHTTPHeaderField: "X-D:\r\nX-Evil")
        _ = try await server.client(base).data(for: request)
        let arrived = try #require(server.requests.first)
        #expect(arrived["x-evil"] == nil)
        #expect(arrived["x-c"] == "aX-Evil: 3")
    }

    @Test(
        arguments: [
            ("http://[::1]:8080/a", "http://[::1]:8080/a", "[::1]:8080"),
            (
                "https://b\u{FC}cher.example/\u{FC}?q=\u{FC} x", "https://xn--bcher-kva.example/%C3%BC?q=%C3%BC%20x",
                "xn--bcher-kva.example"
            ),
            ("http://ada:p%40w@api.example.com?x", "http://api.example.com/?x", "api.example.com"),
            (
                "http://api.example.com/a%0D%0AX-Evil:%201", "http://api.example.com/a%0D%0AX-Evil:%201",
                "api.example.com"
            ),
        ]
    )
    func urlsOfEveryKindArrive(_ text: String, _ target: String, _ host: String) async throws {
        let server = try WireServer { _, connection in connection.send(WireServer.ok) }
        let url = try #require(URL(string: text))
        _ = try await server.client().data(from: url)
        let arrived = try #require(server.requests.first)
        #expect(arrived.head.hasPrefix("GET \(target) HTTP/1.1\r\n"))
        #expect(arrived["host"] == host)
        #expect(arrived["authorization"] == (text.contains("ada") ? "Basic YWRhOnBAdw==" : nil))
    }

    @Test(arguments: ["ftp://api.example.com/a", "ws://api.example.com/a", "file:///dev/null", "mailto:a@example.com"])
    func anUnsupportedURLIsRejectedAndNothingIsSent(_ text: String) async throws {
        let server = try WireServer { _, connection in connection.send(WireServer.ok) }
        let url = try #require(URL(string: text))
        let client = server.client()
        let error = await #expect(throws: URLError.self) { try await client.data(from: url) }
        #expect(error?.code == .unsupportedURL)
        #expect(server.requests.isEmpty)
    }

    @Test func aRequestThatDoesNotHandleCookiesStoresNone() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nContent-Length: 0\r\n\r\n")
        }
        let client = server.client()
        var request = URLRequest(url: try WireServer.url())
        request.httpShouldHandleCookies = false
        _ = try await client.data(for: request)
        #expect(client.configuration.httpCookieStorage?.cookies?.isEmpty == true)
        request.httpShouldHandleCookies = true
        _ = try await client.data(for: request)
        #expect(client.configuration.httpCookieStorage?.cookies?.map(\.name) == ["a"])
    }

    // MARK: Answers

    @Test func aDelegateGetsTheDataAsItComes() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            connection.hold()
        }
        let delegate = StreamingDelegate()
        let task = server.client(delegate: delegate).dataTask(with: try WireServer.url())
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
        let (data, response) = try await server.client().data(from: WireServer.url())
        #expect(data == body)
        #expect(response.expectedContentLength == -1)
    }

    @Test func interimResponsesAndTrailersAreNotTheAnswer() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n")
        }
        let (data, response) = try await server.client().data(from: WireServer.url())
        #expect(data == Data("ok".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test(.long) func aDownloadGivesAFile() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 3) })
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
        }
        let (file, response) = try await server.client().download(from: WireServer.url())
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try Data(contentsOf: file) == body)
        try FileManager.default.removeItem(at: file)

        let delegate = DownloadDelegate()
        server.client(delegate: delegate).downloadTask(with: try WireServer.url()).resume()
        var contents: [Data?] = []
        for await data in delegate.files { contents.append(data) }
        #expect(contents == [body])
        #expect(server.requests.count == 2)
    }

    @Test func aFailedDownloadIsAnError() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        }
        let client = server.client()
        let error = await #expect(throws: URLError.self) { try await client.download(from: WireServer.url()) }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test(arguments: [("Bearer", "WWW-Authenticate"), ("Basic realm=\"a\"", "X-Tapedeck-WWW-Authenticate")])
    func aChallengeIsAnOrdinaryResponse(_ challenge: String, _ name: String) async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 401 No\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n")
        }
        let (_, response) = try await server.client().data(from: WireServer.url())
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 401)
        #expect(http.value(forHTTPHeaderField: name) == challenge)
        #expect(server.requests.count == 1)
    }
}
