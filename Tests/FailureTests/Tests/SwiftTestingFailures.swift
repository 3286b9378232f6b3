import Foundation
import TapedeckTesting
import Testing

/// Tests that fail on purpose: `FailureReportTests` runs each in a child process. The line at which one is to fail says
/// `HERE` and the test's name.
@Suite(.enabled(if: Shop.isFailing), .tapedeck(folder: "Fixtures"))
struct SwiftTestingFailures {
    @Test(  // HERE unmatched
        .cassette("shop")
    )
    func unmatched() async throws {
        try await Shop.get(Shop.priceInDollars, try Tapedeck.current)
    }

    @Test(.cassette("shop"))
    func unmetExpectation() async throws {
        let deck = try Tapedeck.current
        deck.expect(.get(Shop.price), .exactly(2))  // HERE unmetExpectation
        try await Shop.get(Shop.price, deck)
    }

    @Test(.cassette("shop"))
    func wrongOrder() async throws {
        let deck = try Tapedeck.current
        try await deck.stub(.get("http://shop.example/stock"), .text("many"))
        deck.expect(inOrder: [.get("http://shop.example/stock"), .get(Shop.price)])  // HERE wrongOrder
        try await Shop.get(Shop.price, deck)
        try await Shop.get("http://shop.example/stock", deck)
    }

    @Test(  // HERE unknownVariant
        .tapedeck().seed(1),
        .cassette("shop").select("free", for: "price"),
        .tapedeck().seed(2)
    )
    func unknownVariant() {
        Issue.record("the body ran")
    }

    @Test(  // HERE missingCassette
        .cassette("nowhere"),
        .cassette("shop")
    )
    func missingCassette() {
        Issue.record("the body ran")
    }

    @Test(  // HERE brokenCassette
        .cassette("broken")
    )
    func brokenCassette() {
        Issue.record("the body ran")
    }

    @Test(  // HERE wrongMode
        .cassette("shop")
    )
    func wrongMode() {
        Issue.record("the body ran")
    }

    @Test(  // HERE recordingInCI
        .cassette("shop").mode(.all)
    )
    func recordingInCI() {
        Issue.record("the body ran")
    }

    @Test(.cassette("shop"))
    func unimplemented() async throws {
        let deck = try Tapedeck.current
        try await deck.unimplemented(.get(Shop.price), "prices are cached")  // HERE unimplemented
        try await Shop.get(Shop.price, deck)
    }

    @Test(.cassette("shop"))
    func bodyError() async throws {
        let deck = try Tapedeck.current
        deck.expect(.get(Shop.price))  // HERE bodyError
        throw Shop.Trouble(text: "of the body")
    }

    @Test(.cassette("shop"))
    func throwingStub() async throws {
        let deck = try Tapedeck.current
        try await deck.stub(.get(Shop.price)) { _ in throw Shop.Trouble(text: "of the stub") }  // HERE throwingStub
        let status = try await Shop.get(Shop.price, deck).status
        #expect(status == 500)
    }

    @Test(  // HERE unused
        .cassette("shop").unused(.error)
    )
    func unused() {}

    @Test(.cassette("shop"))
    func waitInVain() async throws {
        let deck = try Tapedeck.current
        try await deck.waitFor(.get(Shop.price), timeout: .milliseconds(10))  // HERE waitInVain
        Issue.record("the body went on")
    }

    @Test(.cassette("shop"))
    func noUnmatched() async throws {
        let deck = try Tapedeck.current
        try await deck.withExpectedUnmatched {  // HERE noUnmatched
            _ = try await Shop.get(Shop.price, deck)
        }
    }

    @Test(.cassette("shop"))
    func ownFailure() async throws {
        try await Shop.get(Shop.price, try Tapedeck.current)
        Issue.record("of the body")  // HERE ownFailure
    }

    @Test(.cassette("shop"))
    func secrets() async throws {
        let deck = try Tapedeck.current
        for text in try await PlantedSecrets.current.exchange(deck) { Issue.record("\(text)") }
        let seen = try await deck.requests()
        #expect(seen.isEmpty)
        #expect(seen.first.map { "\($0.request)" } == seen.first.map { "\($0.response as Any)" })
    }

    @Test func bareScope() async throws {
        try await withTapedeck("shop") { deck in  // HERE bareScope
            _ = try await Shop.get(Shop.priceInDollars, deck)
        }
    }

    @Test func detached() async throws {
        try await Task.detached {
            try await withTapedeck("shop", folder: "Fixtures") { deck in  // HERE detached
                _ = try await Shop.get(Shop.priceInDollars, deck)
            }
        }.value
    }

    /// Passes: a cancelled test gets no further issues.
    @Test(.cassette("shop"))
    func cancelled() async throws {
        let deck = try Tapedeck.current
        deck.expect(.get(Shop.price))
        try Test.cancel("no more to see")
    }

    /// Ends as a test does that runs into its time limit in a request: its task is cancelled, and URLSession throws an error
    /// of its own.
    @Test(.cassette("shop"))
    func outOfTime() async throws {
        try await Shop.get(Shop.price, try Tapedeck.current)
        withUnsafeCurrentTask { $0?.cancel() }
        throw URLError(.cancelled)
    }

    @Test func outOfTimeInABlock() async throws {
        try await withTapedeck("shop") { deck in
            try await Shop.get(Shop.price, deck)
            withUnsafeCurrentTask { $0?.cancel() }
            throw URLError(.cancelled)
        }
    }

    /// Passes without output.
    @Test(.cassette("shop"))
    func passing() async throws {
        try await Shop.get(Shop.price, try Tapedeck.current)
    }

    @Suite(.tapedeck().select("free", for: "price"))
    struct OfASuite {  // HERE suiteVariant
        @Test(.cassette("shop"))
        func suiteVariant() {
            Issue.record("the body ran")
        }
    }

    static let options = TapedeckOptions.tapedeck("shop").select("free", for: "price")  // HERE valueVariant

    @Test(.tapedeck(Self.options))
    func valueVariant() {
        Issue.record("the body ran")
    }
}
