import Foundation
import TapedeckTestingCore
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Progress and end of a URLSession's transfers.
@Suite(.timeLimit(.minutes(20)))
struct TransferProgressTests {
    /// Notes what a download's delegate is told.
    private final class Watch: NSObject, URLSessionDownloadDelegate {
        enum Event: Sendable, Equatable {
            case wrote(Int64, total: Int64, expected: Int64)
            case sent(total: Int64, expected: Int64)
            case file(Int)
            case end(URLError.Code?)
        }

        let events: AsyncStream<Event>
        private let continuation: AsyncStream<Event>.Continuation

        override init() {
            (self.events, self.continuation) = AsyncStream.makeStream(of: Event.self)
        }

        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64,
            totalBytesExpectedToWrite: Int64
        ) {
            self.continuation.yield(
                .wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite)
            )
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didSendBodyData bytesSent: Int64,
            totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            self.continuation.yield(.sent(total: totalBytesSent, expected: totalBytesExpectedToSend))
        }

        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            didFinishDownloadingTo location: URL
        ) {
            self.continuation.yield(.file((try? Data(contentsOf: location).count) ?? -1))
            try? FileManager.default.removeItem(at: location)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            self.continuation.yield(.end((error as? URLError)?.code))
        }
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://files.example\(path)")) }

    private func session(_ deck: Tapedeck, _ watch: Watch) -> URLSession {
        URLSession(configuration: deck.urlSessionConfiguration(), delegate: watch, delegateQueue: nil)
    }

    @Test func `a download reports its progress to the delegate`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/film"))
            let watch = Watch()
            let task = self.session(deck, watch).downloadTask(with: try self.url("/film"))
            task.resume()
            var events = watch.events.makeAsyncIterator()
            let request = try await held.next(timeout: .seconds(50))
            try await request.begin(headers: ["content-length": "6"])
            try await request.send(Data("abcd".utf8))
            #expect(await events.next() == .wrote(4, total: 4, expected: 6))
            try await request.send(Data("ef".utf8))
            #expect(await events.next() == .wrote(2, total: 6, expected: 6))
            try await request.end()
            #expect(await events.next() == .file(6))
            #expect(await events.next() == .end(nil))
            #expect(task.error == nil)
        }
    }

    @Test func `a cancelled download is reported in Swift and in the journal`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/film"))
            let watch = Watch()
            let task = self.session(deck, watch).downloadTask(with: try self.url("/film"))
            task.resume()
            var events = watch.events.makeAsyncIterator()
            let request = try await held.next(timeout: .seconds(50))
            try await request.send(Data("abcd".utf8))
            #expect(await events.next() == .wrote(4, total: 4, expected: -1))
            task.cancel()
            #expect(await events.next() == .end(.cancelled))
            // The deck hears of it in its own time; nothing says when.
            while try await deck.lastRequest?.outcome != .cancelled { await Task.yield() }
            #expect(try await deck.lastRequest?.duration != nil)
        }
    }

    @Test func `a task that fails reports the error to the delegate`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(.get("/film"), .urlError(.dataNotAllowed))
            let watch = Watch()
            let task = self.session(deck, watch).dataTask(with: try self.url("/film"))
            task.resume()
            var events = watch.events.makeAsyncIterator()
            #expect(await events.next() == .end(.dataNotAllowed))
        }
    }

    @Test func `an upload reports how much was sent`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(.post("/photos"), .status(201))
            let watch = Watch()
            let body = Data(count: 600_000)
            var request = URLRequest(url: try self.url("/photos"))
            request.httpMethod = "POST"
            let task = self.session(deck, watch).uploadTask(with: request, from: body)
            task.resume()
            var totals: [Int64] = []
            for await event in watch.events {
                if case .sent(let total, let expected) = event {
                    totals.append(total)
                    #expect(expected == 600_000)
                }
                if case .end(let code) = event {
                    #expect(code == nil)
                    break
                }
            }
            #expect(totals.last == 600_000)
            #expect(totals.count > 1)
            #expect(totals == totals.sorted())
        }
    }
}

/// `URLSession.shared`, which no test configures.
@Suite(.timeLimit(.minutes(20)))
struct SharedSessionTests {
    private func shared(_ url: String) async throws -> String {
        String(decoding: try await URLSession.shared.data(from: try #require(URL(string: url))).0, as: UTF8.self)
    }

    @Test(arguments: 0..<8)
    func `requests of the shared session reach each test that opts in, one test at a time`(
        number: Int
    ) async throws {
        try await withTapedeck(.tapedeck().sharedURLSession()) { deck in
            try await deck.stub(.get("/who"), .text("\(number)"))
            #expect(try await self.shared("https://api.example/who") == "\(number)")
            try await withTapedeck { inner in
                try await inner.stub(.get("/who"), .text("inner \(number)"))
                #expect(try await self.shared("https://api.example/who") == "inner \(number)")
            }
            #expect(try await self.shared("https://api.example/who") == "\(number)")
            deck.expect(.get("/who"), .exactly(2))
        }
    }

    @Test func `a test leaves no cookies and credentials to the next`() async throws {
        let storage = HTTPCookieStorage.shared
        let mine = try #require(
            HTTPCookie(properties: [.name: "mine", .value: "1", .domain: "other.example", .path: "/"])
        )
        let space = URLProtectionSpace(
            host: "api.example",
            port: 443,
            protocol: "https",
            realm: nil,
            authenticationMethod: nil
        )
        for number in 0..<2 {
            try await withTapedeck(.tapedeck().sharedURLSession()) { deck in
                if number == 0 { storage.setCookie(mine) }
                try await deck.stub(.get("/login"), .text("in", headers: ["set-cookie": "id=\(number); Path=/"]))
                try await deck.stub(.get("/me")) { request in .text(request.request[header: "cookie"] ?? "none") }
                #expect(try await self.shared("https://api.example/me") == "none")
                _ = try await self.shared("https://api.example/login")
                #expect(try await self.shared("https://api.example/me") == "id=\(number)")
                let credential = URLCredential(user: "user \(number)", password: "p", persistence: .forSession)
                URLCredentialStorage.shared.set(credential, for: space)
                try await withTapedeck(.tapedeck().sharedURLSession()) { inner in
                    try await inner.stub(.get("/me")) { request in .text(request.request[header: "cookie"] ?? "none") }
                    #expect(try await self.shared("https://api.example/me") == "none")
                }
                #expect(try await self.shared("https://api.example/me") == "id=\(number)")
            }
            #expect(storage.cookies?.contains { $0.domain.hasSuffix("example") } == false)
            #expect(URLCredentialStorage.shared.allCredentials[space] == nil)
        }
    }

    @Test func `requests go to their origin if no test opts in`() async throws {
        let origin = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlive")
        }
        try await withTapedeck(.tapedeck().sharedURLSession()) { deck in
            try await deck.stub(.get("/who"), .text("deck"))
            #expect(try await self.shared("http://127.0.0.1:\(origin.port)/who") == "deck")
        }
        // Others may want them meanwhile, but no more than their own.
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(origin.port)/own")))
        request.cachePolicy = .reloadIgnoringLocalCacheData
        let session = URLSession(configuration: .ephemeral)
        #expect(String(decoding: try await session.data(for: request).0, as: UTF8.self) == "live")
    }
}
