import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckTLS
import Testing

@testable import TapedeckSessions

/// Behind a load balancer the id of a session tells which deck has it.
@Suite struct DeckNameTests {
    private static func directory(_ name: String?) -> SessionDirectory {
        var configuration = SessionDirectory.Configuration(allowsDialling: false)
        configuration.deckName = name
        return SessionDirectory(
            configuration,
            library: CassetteLibrary(folder: "cassettes", store: CassetteStore { SHA256.hexDigest(of: $0) }),
            default: nil,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private static func id(_ name: String?, deck: String?) throws -> String {
        var request = SessionDirectory.Request(mode: .replay, cassettes: [])
        request.name = name
        return try self.directory(deck).create(request).id
    }

    @Test func everyIdBeginsWithTheNameOfItsDeck() throws {
        #expect(try Self.id(nil, deck: "a").hasPrefix("a-"))
        #expect(try Self.id("my test", deck: "a").hasPrefix("a-my-test-"))
        #expect(try !Self.id(nil, deck: nil).contains("-"))
    }

    @Test(arguments: [nil, "a", "sixteenletters16"])
    func anIdHasAtMost40Characters(_ deck: String?) throws {
        let id = try Self.id(String(repeating: "x", count: 100), deck: deck)
        #expect(id.utf8.count == 40)
    }

    @Test func aDeckRecognisesTheIdsOfAnotherDeck() {
        let deck = Self.directory("a")
        #expect(deck.foreignDeck(of: "b-k7f3") == SessionDirectory.ForeignDeck(name: "b", own: "a"))
        for id in ["a-k7f3", "k7f3", "default", "B-k7f3", "-k7f3", "b-", "b_c-k7f3", ""] {
            #expect(deck.foreignDeck(of: id) == nil, "\(id)")
        }
        #expect(Self.directory(nil).foreignDeck(of: "b-k7f3") == nil)
    }

    @Test func aRefusalNamesTheOtherDeck() throws {
        let foreign = try #require(Self.directory("a").foreignDeck(of: "b-k7f3"))
        let refusal = SessionRefusal.unknown("b-k7f3", foreign)
        #expect(refusal.status == 404)
        #expect(refusal.reason == .unknownSession)
        #expect(refusal.message.contains("belongs to the deck b, and this is the deck a"))
    }

    @Test func aNameIsShortAndPlain() {
        for name in ["a", "deck1", "0", "sixteenletters16"] { #expect(SessionDirectory.isDeckName(name)) }
        for name in ["", "A", "a-b", "a_b", "é", "seventeenletters1"] { #expect(!SessionDirectory.isDeckName(name)) }
    }
}
