import Foundation
import FoundationNetworking
import Synchronization
import TapedeckTestingCore
import TestShare
import Testing

/// The end of requests that get no answer, or do not wait for it.
@Suite(.timeLimit(.minutes(20)))
struct URLSessionEndTests {
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
        let client = server.client()
        let error = await #expect(throws: URLError.self) { try await client.data(from: WireServer.url()) }
        #expect(error?.code == code)
    }

    @Test func aResetIsAnError() async throws {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            connection.reset()
        }
        let client = server.client()
        let error = await #expect(throws: URLError.self) { try await client.data(from: WireServer.url()) }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test func silenceTimesOut() async throws {
        let server = try WireServer { request, connection in
            if request.head.contains("/body") { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") }
            connection.hold()
        }
        let base = URLSessionConfiguration.ephemeral
        base.timeoutIntervalForRequest = 0.2
        let client = server.client(base)
        for path in ["/head", "/body"] {
            let error = await #expect(throws: URLError.self) { try await client.data(from: WireServer.url(path)) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func aMissingDeckIsReportedInTheError() async throws {
        let route = ProxyRoute(host: "127.0.0.1", port: try WireServer.deadPort(), sessionKey: "s:t")
        let client = URLSession(configuration: route.urlSessionConfiguration())
        let error = await #expect(throws: URLError.self) { try await client.data(from: WireServer.url()) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.localizedDescription.contains("No deck listens") == true)
    }

    @Test func aConfigurationWithoutOurHeaderFieldsIsReported() async throws {
        let server = try WireServer { _, connection in connection.send(WireServer.ok) }
        let configuration = ProxyRoute(host: "127.0.0.1", port: server.port, sessionKey: "s:t")
            .urlSessionConfiguration()
        configuration.httpAdditionalHeaders = ["X-App": "tests"]
        let client = URLSession(configuration: configuration)
        let error = await #expect(throws: URLError.self) { try await client.data(from: WireServer.url()) }
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
        let client = server.client()
        let url = try WireServer.url()
        let task = Task { try await client.data(from: url) }
        for await _ in begun {}
        task.cancel()
        for await _ in gone {}
        let result = await task.result
        #expect(throws: (any Error).self) { try result.get() }
    }

    @Test(.long) func aTaskThatIsSuspendedAndResumedByTwoThreadsGetsItsAnswer() async throws {
        let gate = Door()
        let server = try WireServer { _, connection in
            gate.wait()
            connection.send(WireServer.ok)
        }
        // Beside other work the threads below may have to wait for longer than the minute of a request.
        let base = URLSessionConfiguration.ephemeral
        base.timeoutIntervalForRequest = 86_400
        let client = server.client(base)
        let url = try WireServer.url()
        // Again and again: in which order Foundation calls the adapter depends on who comes first.
        for _ in 0..<500 {
            gate.close()
            let delivered = AsyncThrowingStream.makeStream(of: Data?.self)
            let task = client.dataTask(with: url) { data, _, error in
                delivered.continuation.yield(data)
                delivered.continuation.finish(throwing: error)
            }
            task.resume()
            async let suspended: Void = task.suspend()
            async let resumed: Void = task.resume()
            _ = await (suspended, resumed)
            task.resume()
            // Not before: Foundation ends the process of who resumes a task that is complete.
            gate.open()
            for try await data in delivered.stream { #expect(data == Data("ok".utf8)) }
        }
    }

    @Test func aTimeoutThatIsNotANumberDoesNotCrash() async throws {
        let server = try WireServer { _, connection in connection.hold() }
        let base = URLSessionConfiguration.ephemeral
        base.timeoutIntervalForRequest = .nan
        let client = server.client(base)
        let error = await #expect(throws: URLError.self) { try await client.data(from: WireServer.url()) }
        #expect(error?.code == .timedOut)
    }
}

/// Keeps threads until it is open.
private final class Door: Sendable {
    private let condition = NSCondition()
    private let isOpen = Mutex(false)

    func close() { self.isOpen.withLock { $0 = false } }

    func open() {
        self.condition.lock()
        self.isOpen.withLock { $0 = true }
        self.condition.broadcast()
        self.condition.unlock()
    }

    func wait() {
        self.condition.lock()
        while !self.isOpen.withLock({ $0 }) { self.condition.wait() }
        self.condition.unlock()
    }
}
