import Foundation
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckEmbedded
import TapedeckTestingCore
import Testing

/// The deck inside this very process, asked by a client that knows nothing of it but its address and its authority.
@Suite struct EmbeddedDeckTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          - name: greeting
            request: { url: 'http://api.test/greeting' }
            variants: [{ name: found, takes: [{ status: 200, body: { text: hello } }] }]
          - name: photo
            request: { url: 'https://api.test/photo' }
            variants: [{ name: found, takes: [{ status: 200, body: { file: api/photo.txt } }] }]

        """

    /// Runs blocking work on a separate thread, because tasks have few.
    private func blocking<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    private func client() async throws -> ControlClient {
        let started = try await #require(DeckStarter.registered).start()
        return try ControlClient(url: started.controlURL, token: started.token)
    }

    private func curl(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await self.blocking {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["curl", "-q", "-sS", "--max-time", "40"] + arguments
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
        }
    }

    @Test func `linking is enough, and the deck starts once`() async throws {
        let starter = try #require(DeckStarter.registered)
        let all = try await withThrowingTaskGroup(of: DeckStarter.Started.self) { group in
            for _ in 0..<8 { group.addTask { try await starter.start() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(all.map(\.controlURL)).count == 1)
        #expect(Set(all.map(\.token)).count == 1)
    }

    @Test func `control needs a token, and every request a session`() async throws {
        let client = try await self.client()
        let deck = try await self.blocking { try client.deck() }
        #expect(deck.requiresSession)
        #expect(deck.allowsDialling)
        #expect(deck.takesPaths == true)
        let stranger = try ControlClient(url: client.url)
        await #expect(throws: (any Error).self) { try await self.blocking { try stranger.deck() } }
        let answer = try await self.curl(["--noproxy", "", "--proxy", deck.proxyURL, "http://api.test/greeting"])
        #expect(!answer.output.contains("hello"))
    }

    @Test func `a session of files in memory answers over HTTP, and through CONNECT with TLS`() async throws {
        let client = try await self.client()
        let (deck, session) = try await self.blocking {
            var request = SessionRequest()
            request.files = ["api.yaml": .text(Self.cassette), "api/photo.txt": .base64("cGhvdG8=")]
            return (try client.deck(), try client.createSession(request))
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tapedeck-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        let authority = try await self.curl(["--noproxy", "*", "-o", file.path, "\(client.url)/v1/ca.pem"])
        #expect(authority.status == 0, "\(authority.output)")
        let proxy = [
            "--noproxy", "", "--proxy", deck.proxyURL, "--cacert", file.path,
            "--proxy-user", "\(session.id):\(session.token ?? "")",
        ]
        let plain = try await self.curl(proxy + ["http://api.test/greeting"])
        #expect(plain.status == 0, "\(plain.output)")
        #expect(plain.output == "hello")
        let tunnelled = try await self.curl(proxy + ["https://api.test/photo"])
        #expect(tunnelled.status == 0, "\(tunnelled.output)")
        #expect(tunnelled.output == "photo")
        let report = try await self.blocking { try client.session(session.id).end() }
        #expect(report.played == 2)
        #expect(report.connectionsOpened == 0)
    }
}
