import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions
import Testing

@testable import TapedeckProxy

@Suite struct ResponseCacheTests {
    private func tape(_ text: String) throws -> Tape {
        try Tape([RunningProxy.cassette(["/a": Behaviour(.takes([Take(body: RunningProxy.text(text))]))])])
    }

    private func players() -> ResponseCache {
        ResponseCache(threadPool: .singleton, eventLoop: MultiThreadedEventLoopGroup.singleton.any())
    }

    @Test func theCacheDoesNotKeepAnUnusedTape() throws {
        let players = self.players()
        weak let gone = try {
            let tape = try self.tape("a")
            #expect(players.player(for: tape).ready(0, for: ClientAbilities()) != nil)
            return tape
        }()
        #expect(gone == nil)
    }

    @Test func preparedResponsesAreKeptAsLongAsTheirTape() throws {
        let players = self.players()
        let kept = try self.tape("kept")
        let first = try #require(players.player(for: kept).ready(0, for: ClientAbilities()))
        for number in 0..<100 { _ = players.player(for: try self.tape("\(number)")).ready(0, for: ClientAbilities()) }
        #expect(players.player(for: kept).ready(0, for: ClientAbilities()) === first)
        #expect(players.count <= 8)
    }

    @Test func manyLiveTapesDoNotEvictEachOther() throws {
        let players = self.players()
        let tapes = try (0..<500).map { try self.tape("\($0)") }
        let first = try tapes.map { try #require(players.player(for: $0).ready(0, for: ClientAbilities())) }
        let second = try tapes.map { try #require(players.player(for: $0).ready(0, for: ClientAbilities())) }
        #expect(zip(first, second).allSatisfy { $0 === $1 })
    }

    @Test func largeResponsesOfAllTapesShareABudget() throws {
        let players = self.players()
        let body = String(repeating: "x", count: 1_000_000)
        let tapes = try (0..<40).map { try self.tape("\($0)\(body)") }
        let first = try tapes.map { try #require(players.player(for: $0).ready(0, for: ClientAbilities())) }
        let kept = tapes.indices.reversed().count {
            players.player(for: tapes[$0]).ready(0, for: ClientAbilities()) === first[$0]
        }
        // 32 MiB hold 33 of them.
        #expect(kept <= 33)
        #expect(kept > 0)
    }
}
