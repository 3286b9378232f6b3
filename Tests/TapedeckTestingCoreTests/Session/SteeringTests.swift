import TapedeckTestingCore
import Testing

/// Changes of a test to its session while it runs.
@Suite(.timeLimit(.minutes(20)))
struct SteeringTests {
    @Test func `a variant plays from its selection until it is reverted`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            try await deck.select("half", for: "price")
            #expect(try await client.get(Shop.price).text == "half")
            try await deck.reset("price")
            #expect(try await client.get(Shop.price).text.contains("1"))
        }
    }

    @Test func `an unknown variant cannot be selected, and the error lists the known ones`() async throws {
        try await withTapedeck(.shop) { deck in
            let variant = await #expect(throws: TapedeckError.self) { try await deck.select("free", for: "price") }
            #expect(variant?.kind == .refused)
            #expect(variant?.description.contains("cheap") == true)
            let set = await #expect(throws: TapedeckError.self) { try await deck.select("cheap", for: "prize") }
            #expect(set?.description.contains("price") == true)
            let reset = await #expect(throws: TapedeckError.self) { try await deck.reset("prize") }
            #expect(reset?.kind == .refused)
            let profile = await #expect(throws: TapedeckError.self) { try await deck.apply(profile: "sail") }
            #expect(profile?.description.hasPrefix(#"there is no profile "sail""#) == true)
        }
    }

    @Test func `an unknown variant cannot be selected at the start either`() async throws {
        let variant = await #expect(throws: TapedeckError.self) {
            try await withTapedeck(.cassette(.shop).select("free", for: "price")) { _ in }
        }
        #expect(variant?.kind == .refused)
        #expect(variant?.description.contains("cheap") == true)
        let profile = await #expect(throws: TapedeckError.self) {
            try await withTapedeck(.cassette(.shop).profiles("sail")) { _ in }
        }
        #expect(profile?.kind == .refused)
    }

    @Test func `takes play in order, and again from the first after a reset`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            for text in ["2", "1", "0", "0"] { #expect(try await client.get(Shop.stock).text == text) }
            try await deck.reset("stock")
            #expect(try await client.get(Shop.stock).text == "2")
            try await deck.reset()
            #expect(try await client.get(Shop.stock).text == "2")
        }
    }

    @Test func `state comes from cassette, test and answers, and a reset restores it`() async throws {
        try await withTapedeck(.cassette(.shop).state("user", "ada")) { deck in
            let start = ["shelf": "top", "user": "ada"]
            let first = try await deck.state()
            #expect(first == start)
            _ = try await AppClient(deck).post("https://shop.example/orders", #"{"sku":"a1"}"#)
            try await deck.setState(["shelf": nil, "user": "bob"])
            let changed = try await deck.state()
            #expect(changed == ["user": "bob", "ordered": "yes"])
            try await deck.reset()
            let again = try await deck.state()
            #expect(again == start)
        }
    }

    @Test func `profiles lie one over the other, and may be limited`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            try await deck.apply(profile: "sale")
            #expect(try await client.get(Shop.price).text == "half")
            try await deck.apply(profile: "server-error", only: ["price"])
            #expect(try await client.get(Shop.price).status == 500)
            #expect(try await client.get(Shop.stock).status == 200)
            try await deck.revert(profile: "server-error")
            #expect(try await client.get(Shop.price).text == "half")
            try await deck.reset()
            #expect(try await client.get(Shop.price).text.contains("NOK"))
        }
    }

    @Test func `the same seed makes the same random choices`() async throws {
        func draw(seed: UInt64?) async throws -> (seed: UInt64, texts: [String]) {
            try await withTapedeck(.cassette(.shop).select("any", for: "stock").seed(seed)) { deck in
                var texts: [String] = []
                for _ in 0..<20 { texts.append(try await AppClient(deck).get(Shop.stock).text) }
                return (deck.seed, texts)
            }
        }
        let first = try await draw(seed: nil)
        let again = try await draw(seed: first.seed)
        #expect(again.seed == first.seed)
        #expect(again.texts == first.texts)
        #expect(Set(first.texts).count > 1)
    }
}
