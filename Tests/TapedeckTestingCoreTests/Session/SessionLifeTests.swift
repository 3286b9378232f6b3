import Foundation
import Synchronization
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckTestingCore
import Testing

/// From the beginning of a session to its end, and that nothing of it stays.
@Suite(.timeLimit(.minutes(20)))
struct SessionLifeTests {
    @Test func `a test that is cancelled and does not end shows its traffic`() async throws {
        try await withTapedeck(.shop) { deck in
            _ = try await AppClient(deck).get(Shop.price)
            let gate = Gate()
            let (shown, show) = AsyncStream.makeStream(of: String.self)
            let stuck = Task {
                await TapedeckScope.watching(deck, pause: {}, show: { show.yield($0) }) { await gate.pass() }
            }
            stuck.cancel()
            for await traffic in shown {
                #expect(traffic.contains("1  GET \(Shop.price) → 200"))
                break
            }
            gate.open()
            await stuck.value
        }
    }

    private struct Broken: Error, Equatable {}

    private let name = "life \(UUID().uuidString)"

    /// Names of the sessions that the deck of this process has.
    private func sessions(_ deck: Tapedeck) async throws -> [String] {
        let control = deck.deck.control
        return try await OwnThread.run { try control.sessions().map(\.name) }
    }

    @Test func `a session and its files exist while its block runs`() async throws {
        let kept = try await withTapedeck(name: self.name) { deck in
            #expect(try await self.sessions(deck).contains(self.name))
            let file = try #require(try deck.environment["SSL_CERT_FILE"])
            #expect(FileManager.default.fileExists(atPath: file))
            return (deck: deck, file: file)
        }
        #expect(try await !self.sessions(kept.deck).contains(self.name))
        #expect(!FileManager.default.fileExists(atPath: kept.file))
    }

    @Test func `a block that throws leaves nothing behind, and its error is thrown`() async throws {
        var kept: Tapedeck?
        await #expect(throws: Broken()) {
            try await withTapedeck(name: self.name) { deck in
                kept = deck
                throw Broken()
            }
        }
        #expect(try await !self.sessions(try #require(kept)).contains(self.name))
    }

    @Test func `the value of a block is returned`() async throws {
        #expect(try await withTapedeck { deck in deck.mode } == .replay)
    }

    @Test func `a cancelled block leaves nothing behind, and fails nothing`() async throws {
        let name = self.name
        let (begun, kept) = (Gate(), DeckBox())
        let task = Task {
            try await withTapedeck(name: name) { deck in
                deck.expect(.get("/never"))
                _ = try await deck.hold(.get("/held"))
                kept.deck = deck
                begun.open()
                try await deck.waitFor(.get("/never"), timeout: .seconds(300))
            }
        }
        await begun.pass()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let deck = try #require(kept.deck)
        #expect(try await !self.sessions(deck).contains(name))
    }

    @Test(arguments: 0..<20)
    func `a test that is cancelled while its session is created leaves none behind`(number: Int) async throws {
        let name = "\(self.name) \(number)"
        let task = Task {
            try await withTapedeck(name: name) { _ in () }
        }
        task.cancel()
        _ = await task.result
        try await withTapedeck { deck in
            // The unwanted session is created and ended on a separate thread: wait for that.
            while try await self.sessions(deck).contains(name) { await Task.yield() }
        }
    }

    @Test func `blocks may be nested, each with its own session`() async throws {
        try await withTapedeck(.cassette(.shop).select("half", for: "price").state("who", "outer")) { outer in
            try await withTapedeck(.tapedeck().state("who", "inner")) { inner in
                #expect(inner !== outer)
                #expect(try Tapedeck.current === inner)
                let reply = try await AppClient(inner).get(Shop.price)
                #expect(reply.text == "half")
                #expect(try await inner.state()["who"] == "inner")
            }
            #expect(try Tapedeck.current === outer)
            #expect(try await outer.requests().isEmpty)
            #expect(try await outer.state()["who"] == "outer")
        }
    }

    @Test func `child tasks have the deck of their block, detached ones have none`() async throws {
        try await withTapedeck { deck in
            async let child = try? Tapedeck.current
            let inGroup = await withTaskGroup(of: Tapedeck?.self) { group in
                group.addTask { try? Tapedeck.current }
                return await group.next() ?? nil
            }
            let (inChild, inTask) = (await child, await Task { try? Tapedeck.current }.value)
            let inDetached = await Task.detached { try? Tapedeck.current }.value
            #expect(inChild === deck)
            #expect(inGroup === deck)
            #expect(inTask === deck)
            #expect(inDetached == nil)
        }
    }

    @Test func `use of a deck after its block is an error`() async throws {
        let deck = try await withTapedeck(name: self.name) { $0 }
        let uses: [@Sendable (Tapedeck) async throws -> Void] = [
            { try await $0.stub(.get("/x"), .text("x")) }, { _ = try await $0.requests() }, { try await $0.reset() },
            { try await $0.waitFor(.get("/x")) }, { try await $0.verify() }, { _ = try await $0.hold(.get("/x")) },
        ]
        for use in uses {
            let error = await #expect(throws: TapedeckError.self) { try await use(deck) }
            #expect(error?.kind == .refused)
            #expect(error?.description.hasPrefix("the session \"\(self.name)\" is over") == true)
        }
        #expect(try await AppClient(deck).get(Shop.price).status == 410)
    }
}

/// Hands a deck out of a block that does not return.
private final class DeckBox: Sendable {
    private let slot = Mutex<Tapedeck?>(nil)

    var deck: Tapedeck? {
        get { self.slot.withLock { $0 } }
        set { self.slot.withLock { $0 = newValue } }
    }
}
