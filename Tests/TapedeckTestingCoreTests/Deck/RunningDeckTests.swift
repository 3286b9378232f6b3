import Foundation
import Logging
import TapedeckDeck
import TapedeckTestingCore
import Testing

/// Sessions on a deck that runs already, and cannot read the test's disk.
@Suite(.timeLimit(.minutes(20)))
struct RunningDeckTests {
    private static let url = "http://files.example/photo"

    private let files: TestFiles

    init() throws {
        self.files = try TestFiles([
            "own/photo.yaml": TestFiles.cassette("photo", Self.url, "file: photo/deep/large.bin"),
            "own/photo/deep/large.bin": "a photo of the test's",
            "deck/known.yaml": TestFiles.cassette("known", Self.url, "text: the deck's own"),
        ])
    }

    private func start(
        onlyReplays: Bool = false
    ) async throws -> (choice: DeckChoice, deck: Deck) {
        let folder = "\(self.files.path)/deck"
        var configuration: DeckConfiguration = onlyReplays ? .replay([], folder: folder) : .serve([], folder: folder)
        configuration.port = 0
        configuration.controlPort = 0
        configuration.authority = .ephemeral
        configuration.grace = 0
        configuration.token = .make()
        let deck = try await Deck.start(configuration, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let url = try #require(URL(string: deck.controlURL ?? ""))
        return (.running(url: url, token: deck.token?.value), deck)
    }

    private func withDeck(
        onlyReplays: Bool = false,
        _ body: (DeckChoice, Deck) async throws -> Void
    ) async throws {
        let (choice, deck) = try await self.start(onlyReplays: onlyReplays)
        do {
            try await body(choice, deck)
            _ = try await deck.stop()
        } catch {
            _ = try? await deck.stop()
            throw error
        }
    }

    @Test func `a cassette of the test's is sent along, with its body files`() async throws {
        try await self.withDeck { choice, running in
            try await withTapedeck(.cassette("photo", folder: "\(self.files.path)/own").deck(choice)) { deck in
                #expect(deck.proxyPort == running.port)
                let reply = try await AppClient(deck).get(Self.url)
                #expect(reply.text == "a photo of the test's")
            }
        }
    }

    @Test func `a deck cannot record to the test's disk, and reports that`() async throws {
        try await self.withDeck { choice, _ in
            let error = await #expect(throws: TapedeckError.self) {
                try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
                    try await withTapedeck(.cassette(.named("\(self.files.path)/new")).mode(.all).deck(choice)) { _ in }
                }
            }
            #expect(error?.kind == .badOptions)
            let reason = "has a disk of its own and cannot write \(self.files.path)/new.yaml"
            #expect(error?.description.contains(reason) == true)
        }
    }

    @Test func `a cassette that only the deck has is the deck's`() async throws {
        try await self.withDeck { choice, _ in
            try await withTapedeck(.cassette("known", folder: "\(self.files.path)/own").deck(choice)) { deck in
                let reply = try await AppClient(deck).get(Self.url)
                #expect(reply.text == "the deck's own")
            }
        }
    }

    @Test func `a cassette that neither the deck nor the test has is missing`() async throws {
        try await self.withDeck { choice, _ in
            let error = await #expect(throws: TapedeckError.self) {
                try await withTapedeck(.cassette("nowhere", folder: "\(self.files.path)/own").deck(choice)) { _ in }
            }
            #expect(error?.kind == .missingCassette)
            #expect(error?.description.contains("\(self.files.path)/own/nowhere.yaml") == true)
        }
    }

    @Test func `stubs, holds and expectations work on a running deck`() async throws {
        try await self.withDeck { choice, _ in
            try await withTapedeck(.cassette(.shop).deck(choice)) { deck in
                let client = AppClient(deck)
                try await deck.stub(.get(Shop.price)) { request in
                    var response = try await request.proceed()
                    response.status = 203
                    return .response(response)
                }
                #expect(try await client.get(Shop.price).status == 203)
                deck.expect(.get(Shop.price), .exactly(1))
            }
        }
    }

    @Test func `a program in a child process trusts the deck`() async throws {
        try await self.withDeck { choice, _ in
            try await withTapedeck(.cassette(.shop).deck(choice)) { deck in
                let output = try await Curl.run([Shop.price], environment: try deck.environment)
                #expect(output.contains("NOK"))
            }
        }
    }

    @Test func `a deck records into its own folder`() async throws {
        let origin = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlive")
        }
        try await self.withDeck { choice, _ in
            try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
                try await withTapedeck(.cassette("fresh").mode(.all).deck(choice)) { deck in
                    let reply = try await AppClient(deck).get("http://127.0.0.1:\(origin.port)/")
                    #expect(reply.text == "live")
                }
            }
        }
        #expect(self.files.text("deck/fresh.yaml")?.contains("live") == true)
    }

    @Test func `a replaying deck rejects the live modes`() async throws {
        try await self.withDeck(onlyReplays: true) { choice, running in
            try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
                for mode in [TapedeckMode.once, .new, .all] {
                    let error = await #expect(throws: TapedeckError.self) {
                        try await withTapedeck(.cassette("fresh").mode(mode).deck(choice)) { _ in }
                    }
                    #expect(error?.kind == .badOptions)
                    let url = try #require(running.controlURL)
                    #expect(
                        error?.description.hasPrefix(
                            "the deck at \(url) only replays, so that no test can have the mode \(mode)"
                        )
                            == true
                    )
                }
            }
        }
    }

    @Test func `a deck rejects a missing or wrong token`() async throws {
        try await self.withDeck { _, running in
            let url = try #require(URL(string: running.controlURL ?? ""))
            for token in [nil, "wrong"] {
                let error = await #expect(throws: TapedeckError.self) {
                    try await withTapedeck(.tapedeck().deck(.running(url: url, token: token))) { _ in }
                }
                #expect(error?.kind == .refused)
                let trouble = token == nil ? "wants its token" : "has another token"
                #expect(error?.description.hasPrefix("the deck at \(url) \(trouble): give it with") == true)
            }
        }
    }

    @Test func `without a deck, the error says so`() async throws {
        // A port that was just free: its server is gone.
        var port = 0
        do {
            let server = try WireServer { _, _ in }
            port = server.port
        }
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck(.tapedeck().deck(.running(url: #require(URL(string: "http://127.0.0.1:\(port)"))))) {
                _ in
            }
        }
        #expect(error?.kind == .noDeck)
        #expect(error?.description.contains("http://127.0.0.1:\(port)") == true)
    }

    @Test func `a URL that is not a deck's is an error`() async throws {
        let error = await #expect(throws: TapedeckError.self) {
            try await TestEnvironment.$substitute.withValue(TestEnvironment(url: "over there")) {
                try await withTapedeck { _ in }
            }
        }
        #expect(error?.kind == .noDeck)
        #expect(error?.description.contains("over there") == true)
    }

    @Test func `the environment names a deck for tests without one`() async throws {
        try await self.withDeck { choice, running in
            guard case .running(let url, let token) = choice else { return }
            try await TestEnvironment.$substitute.withValue(TestEnvironment(url: url.absoluteString, token: token)) {
                try await withTapedeck { deck in #expect(deck.proxyPort == running.port) }
                try await withTapedeck(.tapedeck().deck(.inProcess)) { deck in #expect(deck.proxyPort != running.port) }
            }
        }
    }

    @Test func `a deck that stops while a test runs fails the test`() async throws {
        let told = try await issues {
            let (choice, running) = try await self.start()
            try await withTapedeck(.tapedeck().deck(choice)) { _ in _ = try await running.stop() }
        }
        #expect(told.count == 1)
        #expect(told.first?.message.hasPrefix("the deck cannot say what was asked: ") == true)
    }
}
