import TapedeckTestingCore
import Testing

struct DeckStarterTests {
    @Test func `a linked deck needs no start`() {
        // Every test target of the package is linked into one program, the in-process deck with them.
        #expect(DeckStarter.registered != nil)
    }
}
