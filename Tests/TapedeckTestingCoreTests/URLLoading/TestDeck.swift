import Foundation
import Logging
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckDeck
import TapedeckTestingCore

/// A deck in the test's process, with a session for each given cassette.
struct TestDeck: Sendable {
    let deck: Deck
    private let client: ControlClient
    private let folder: URL

    struct Unexpected: Error {}

    /// Runs `body` with a deck, and stops that.
    ///
    /// - Parameter isLive: whether sessions may ask origins.
    static func with<Result: Sendable>(
        isLive: Bool = false,
        _ body: (TestDeck) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tapedeck-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration: DeckConfiguration =
            isLive ? .serve([], folder: folder.path) : .replay([], folder: folder.path)
        configuration.requiresSession = true
        configuration.port = 0
        configuration.controlPort = 0
        configuration.authority = .ephemeral
        configuration.grace = 0
        let deck = try await Deck.start(configuration, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        do {
            guard let url = deck.controlURL else { throw Unexpected() }
            let result = try await body(
                TestDeck(deck: deck, client: try ControlClient(url: url), folder: folder)
            )
            _ = try await deck.stop()
            return result
        } catch {
            _ = try? await deck.stop()
            throw error
        }
    }

    /// A session that plays a cassette, given as its response sets in YAML.
    func session(_ sets: String = "", mode: String = "replay") async throws -> TestSession {
        var request = SessionRequest()
        request.mode = mode
        request.cassettes = []
        if !sets.isEmpty {
            let name = "tape-\(UUID().uuidString)"
            let text = "tapedeck: 1\nresponseSets:\n\(sets)\n"
            try Data(text.utf8).write(to: self.folder.appending(path: "\(name).yaml"))
            request.cassettes = [name]
        }
        let client = self.client
        let session = try await onThread { [request] in try client.createSession(request) }
        guard let token = session.token else { throw Unexpected() }
        return TestSession(
            route: ProxyRoute(host: "127.0.0.1", port: self.deck.port, sessionKey: "\(session.id):\(token)"),
            client: self.client.session(session.id)
        )
    }
}

struct TestSession: Sendable {
    let route: ProxyRoute
    private let client: SessionClient

    init(route: ProxyRoute, client: SessionClient) {
        self.route = route
        self.client = client
    }

    /// The journal with headers and bodies.
    func journal() async throws -> [JournalEntryModel] {
        try await self.ask { client in
            var filter = SessionClient.JournalFilter()
            filter.bodies = true
            return try client.journal(filter).entries
        }
    }

    func ask<Result: Sendable>(
        _ body: @escaping @Sendable (SessionClient) throws -> Result
    ) async throws -> Result {
        let client = self.client
        return try await onThread { try body(client) }
    }
}

/// Does what blocks on a thread of its own: the threads of tasks are few, and the deck's control API needs them.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
