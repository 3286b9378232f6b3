import Foundation
import FoundationNetworking
import Testing

/// The targets of redirects, and the data that they keep.
@Suite(.timeLimit(.minutes(20)))
struct URLSessionRedirectTests {
    @Test(arguments: [
        (301, "POST", "GET", ""), (302, "POST", "GET", ""), (303, "PUT", "GET", ""), (307, "POST", "POST", "body"),
        (308, "PUT", "PUT", "body"), (302, "GET", "GET", ""),
    ])
    func aRedirectIsFollowed(_ status: Int, _ method: String, _ then: String, _ body: String) async throws {
        let server = try WireServer { request, connection in
            connection.send(
                request.head.contains("/from")
                    ? "HTTP/1.1 \(status) Moved\r\nLocation: /to\r\nSet-Cookie: a=1\r\nContent-Length: 3\r\n\r\nold"
                    : WireServer.ok
            )
        }
        var request = URLRequest(url: try WireServer.url("/from"))
        request.httpMethod = method
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        if method != "GET" { request.httpBody = Data("body".utf8) }
        let (data, response) = try await server.client().data(for: request)
        #expect(data == Data("ok".utf8))
        #expect(response.url == (try WireServer.url("/to")))
        let second = try #require(server.requests.last)
        #expect(second.head.hasPrefix("\(then) https://api.example.com/to "))
        #expect(String(decoding: second.body, as: UTF8.self) == body)
        #expect(second["authorization"] == "secret")
        #expect(second["cookie"] == "a=1")
    }

    @Test func credentialsDoNotGoToAnotherHostAndADelegateMayRejectARedirect() async throws {
        let server = try WireServer { request, connection in
            connection.send(
                request.head.contains("api.example.com")
                    ? "HTTP/1.1 302 Moved\r\nLocation: http://other.example.com/\r\nContent-Length: 3\r\n\r\nold"
                    : WireServer.ok
            )
        }
        var request = URLRequest(url: try WireServer.url())
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        _ = try await server.client().data(for: request)
        #expect(server.requests.last?["host"] == "other.example.com")
        #expect(server.requests.last?["authorization"] == nil)

        let delegate = StreamingDelegate(follows: false)
        server.client(delegate: delegate).dataTask(with: request).resume()
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
        let client = server.client()
        let error = await #expect(throws: URLError.self) { try await client.data(from: WireServer.url()) }
        #expect(error?.code == .httpTooManyRedirects)
        #expect(server.requests.count == 17)
    }

    @Test func theConfigurationsCredentialsDoNotGoToAnotherHost() async throws {
        let server = try WireServer { request, connection in
            connection.send(
                request.head.contains("/from")
                    ? "HTTP/1.1 307 Moved\r\nLocation: //other.example.com/\r\nContent-Length: 0\r\n\r\n"
                    : WireServer.ok
            )
        }
        let base = URLSessionConfiguration.ephemeral
        base.httpAdditionalHeaders = ["Authorization": "secret", "Cookie": "a=1", "X-App": "tests"]
        _ = try await server.client(base).data(from: WireServer.url("/from"))
        let (first, second) = try #require(server.requests.count == 2 ? (server.requests[0], server.requests[1]) : nil)
        #expect(first["authorization"] == "secret")
        #expect(first["cookie"] == "a=1")
        #expect(second["host"] == "other.example.com")
        #expect(second["authorization"] == nil)
        #expect(second["cookie"] == nil)
        #expect(second["x-app"] == "tests")
    }

    @Test func anotherSpellingOfTheSameOriginKeepsTheCredentials() async throws {
        let server = try WireServer { request, connection in
            connection.send(
                request.head.contains("/from")
                    ? "HTTP/1.1 302 Moved\r\nLocation: HTTPS://API.example.com:443/to\r\nContent-Length: 0\r\n\r\n"
                    : WireServer.ok
            )
        }
        var request = URLRequest(url: try WireServer.url("/from"))
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        _ = try await server.client().data(for: request)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?["authorization"] == "secret")
    }

    @Test func anUndecidedRedirectCanBeCancelled() async throws {
        let (gone, closed) = AsyncStream.makeStream(of: Void.self)
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 302 Moved\r\nLocation: /to\r\nContent-Length: 5\r\n\r\n")
            connection.hold()
            closed.finish()
        }
        let delegate = UndecidedDelegate()
        let task = server.client(delegate: delegate).dataTask(with: try WireServer.url())
        task.resume()
        for await _ in delegate.asked { break }
        task.cancel()
        // The thread that waits for the delegate has the connection.
        for await _ in gone {}
        #expect(server.requests.count == 1)
        delegate.decide()
    }

    @Test(arguments: [307, 308], [true, false])
    func aStreamedUploadIsReadAgainIfTheDelegateHasANewStream(_ status: Int, _ hasStream: Bool) async throws {
        let server = try WireServer { request, connection in
            connection.send(
                request.head.contains("/from")
                    ? "HTTP/1.1 \(status) Moved\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n" : WireServer.ok
            )
        }
        let body = Data(repeating: 7, count: 700_000)
        let delegate = StreamingDelegate(body: body, streams: hasStream ? .max : 1)
        var request = URLRequest(url: try WireServer.url("/from"))
        request.httpMethod = "POST"
        server.client(delegate: delegate).uploadTask(withStreamedRequest: request).resume()
        var end: URLError.Code?
        for await case .end(let code) in delegate.events {
            end = code
            break
        }
        #expect(end == (hasStream ? nil : .requestBodyStreamExhausted))
        #expect(server.requests.map(\.body) == (hasStream ? [body, body] : [body]))
    }
}
