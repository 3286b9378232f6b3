import Dispatch
import Logging
import NIOPosix
import TapedeckCassettes
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckTLS
import TestShare
import Testing

@testable import TapedeckDeck

/// A deck as it is inside a test process: sessions name the files of the test, and record into them.
@Suite struct RecordingByPathTests {
    private let folder = "\(testRunFolder)/tapedeck-server-tests.\(UInt32.random(in: 0 ... .max))"

    /// Calls of the client block, which the threads of tasks must not.
    private func blocking<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    private func session(_ client: ControlClient, _ mode: String, _ path: String) async throws -> SessionModel {
        var request = SessionRequest()
        request.mode = mode
        request.cassettes = [path]
        request.port = 0
        return try await self.blocking { [request] in try client.createSession(request) }
    }

    @Test func `a session's recording is in its file when it ends, and the next one plays it`() async throws {
        defer {
            FileContents.removeFolder("\(self.folder)/new")
            FileContents.removeFolder(self.folder)
        }
        let group = MultiThreadedEventLoopGroup.singleton
        let authority = try CertificateAuthority.ephemeral()
        let origin = try await DemoOrigin.start(authority: authority, group: group)
        var configuration = DeckConfiguration.serve([])
        configuration.authority = .ephemeral
        configuration.port = 0
        configuration.controlPort = 0
        configuration.token = .make()
        configuration.takesPaths = true
        configuration.watchesCassettes = false
        configuration.upstreamCAPEM = [authority.certificatePEM]
        let deck = try await Deck.start(configuration, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let client = try ControlClient(url: try #require(deck.controlURL), token: deck.token?.value)
        func get(_ path: String, _ session: SessionModel) async throws -> ProxyClient.Response {
            try await ProxyClient.get(
                path,
                from: DemoOrigin.host,
                port: origin.port,
                throughProxyOn: try #require(session.port),
                trusting: deck.authority,
                group: group
            )
        }
        let path = "\(self.folder)/new/octocat"
        let recording = try await self.session(client, "record", path)
        let live = try await get("/users/octocat", recording)
        let report = try await self.blocking { try client.session(recording.id).end() }
        #expect(report.saved?.exchanges == 1)
        #expect(FileContents.exists("\(path).yaml"))

        let appending = try await self.session(client, "append", path)
        let missing = try await get("/users/nobody", appending)
        _ = try await self.blocking { try client.session(appending.id).end() }
        try await origin.stop()

        let replaying = try await self.session(client, "replay", path)
        #expect(try await get("/users/octocat", replaying) == live)
        #expect(try await get("/users/nobody", replaying) == missing)
        _ = try await deck.stop()
    }
}
