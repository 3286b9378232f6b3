import TapedeckCassettes
import TapedeckProxy
import TapedeckSessions
import Testing

@testable import TapedeckDeck

@Suite struct OptionNumberTests {
    @Test func `the text of a size is read as the same size`() throws {
        let limits = UsageLimits()
        let sizes = [
            limits.files, limits.matchedBody, limits.journal, limits.sessionJournal, limits.disk, limits.sessionDisk,
            limits.freeDisk, limits.archive, DeckConfiguration.Defaults.scanLimit, 1, 1_000, 1_536,
        ]
        for size in sizes { #expect(try OptionNumber.size(OptionNumber.text(ofSize: size), "--size") == size) }
        #expect(OptionNumber.text(ofSize: 512 << 20) == "512M")
        #expect(OptionNumber.text(ofSize: 1_536) == "1536")
    }

    @Test func `0 means no limit, except for free disk space`() throws {
        #expect(try OptionNumber.count(0, "--count") == .max)
        #expect(try OptionNumber.size("0", "--size") > 1 << 45)
        #expect(try OptionNumber.room("0", "--room") == 0)
    }

    @Test func `an invalid limit is refused with the name of its option`() {
        for make in [{ try OptionNumber.count(-1, "--max-files") }, { try OptionNumber.size("x", "--max-files") }] {
            let error = #expect(throws: DeckError.self) { try make() }
            #expect(error?.description.contains("--max-files") == true)
        }
    }

    @Test func `a deck without options has the defaults of the proxy`() throws {
        let proxy = try DeckConfiguration.replay([]).proxy(token: nil)
        let defaults = ProxyConfiguration()
        #expect(proxy.connectTimeout == defaults.connectTimeout)
        #expect(proxy.readTimeout == defaults.readTimeout)
        #expect(proxy.headTimeout == defaults.headTimeout)
        #expect(proxy.bodyTimeout == defaults.bodyTimeout)
        #expect(proxy.matchedBodyLimit == defaults.matchedBodyLimit)
    }
}
