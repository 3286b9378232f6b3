import TapedeckTestingCore
import Testing

struct DeckStarterTests {
    @Test func `a deck that is linked is there without anybody asking for it`() {
        // Every test target of the package is linked into one program, the in-process deck with them.
        #expect(DeckStarter.registered != nil)
    }
}
