import TapedeckTesting
import Testing

/// Tests of Swift Testing that are not asynchronous block the few threads that all tasks of the process share.
@Suite(.tapedeck(folder: "Fixtures"), .cassette("shop"))
struct SynchronousTests {
    private static let price = "http://shop.example/price"

    @Test(arguments: 0..<40)
    func `the deck answers many synchronous tests at once`(number: Int) throws {
        let deck = try Tapedeck.current
        let variant = number.isMultiple(of: 2) ? "dear" : "cheap"
        for _ in 0..<3 {
            try deck.select(variant, for: "price")
            #expect(try Visit.get(Self.price, deck).body == (number.isMultiple(of: 2) ? "100" : "1"))
        }
        #expect(try deck.requests().count == 3)
    }
}
