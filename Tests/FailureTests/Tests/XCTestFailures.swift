import TapedeckTesting
import XCTest

/// The failing tests for XCTest.
final class XCTestFailures: TapedeckTestCase {
    override class var tapedeck: TapedeckOptions {
        .cassette("shop", folder: "Fixtures")  // HERE unmatched wrongMode
    }

    override func tapedeckOptions() -> TapedeckOptions {
        let folder = "Fixtures"
        switch self.name.split(separator: ".").last {
        case "test_unknownVariant":
            return .cassette("shop", folder: folder).select("free", for: "price")  // HERE unknownVariant
        case "test_missingCassette":
            return .cassette("nowhere", folder: folder)  // HERE missingCassette
        case "test_brokenCassette":
            return .cassette("broken", folder: folder)  // HERE brokenCassette
        case "test_recordingInCI":
            return .cassette("shop", folder: folder).mode(.all)  // HERE recordingInCI
        case "test_unused":
            return .cassette("shop", folder: folder).unused(.error)  // HERE unused
        default:
            return super.tapedeckOptions()
        }
    }

    override func invokeTest() {
        // Not a skip in `setUp`: the session would have failed before it.
        if Shop.isFailing { super.invokeTest() }
    }

    func test_unmatched() async throws { try await Shop.get(Shop.priceInDollars, self.deck) }

    func test_unmetExpectation() async throws {
        self.deck.expect(.get(Shop.price), .exactly(2))  // HERE unmetExpectation
        try await Shop.get(Shop.price, self.deck)
    }

    func test_wrongOrder() async throws {
        try await self.deck.stub(.get("http://shop.example/stock"), .text("many"))
        self.deck.expect(inOrder: [.get("http://shop.example/stock"), .get(Shop.price)])  // HERE wrongOrder
        try await Shop.get(Shop.price, self.deck)
        try await Shop.get("http://shop.example/stock", self.deck)
    }

    func test_unknownVariant() { XCTFail("the body ran") }

    func test_missingCassette() { XCTFail("the body ran") }

    func test_brokenCassette() { XCTFail("the body ran") }

    func test_wrongMode() { XCTFail("the body ran") }

    func test_recordingInCI() { XCTFail("the body ran") }

    func test_unimplemented() async throws {
        try await self.deck.unimplemented(.get(Shop.price), "prices are cached")  // HERE unimplemented
        try await Shop.get(Shop.price, self.deck)
    }

    func test_bodyError() throws {
        self.deck.expect(.get(Shop.price))  // HERE bodyError
        throw Shop.Trouble(text: "of the body")
    }

    func test_throwingStub() async throws {
        let trouble = Shop.Trouble(text: "of the stub")
        try await self.deck.stub(.get(Shop.price)) { _ in throw trouble }  // HERE throwingStub
        let status = try await Shop.get(Shop.price, self.deck).status
        XCTAssertEqual(status, 500)
    }

    func test_unused() {}

    func test_waitInVain() async throws {
        try await self.deck.waitFor(.get(Shop.price), timeout: .milliseconds(10))  // HERE waitInVain
        XCTFail("the body went on")
    }

    func test_noUnmatched() async throws {
        let deck = self.deck
        try await deck.withExpectedUnmatched {  // HERE noUnmatched
            _ = try await Shop.get(Shop.price, deck)
        }
    }

    func test_secrets() async throws {
        for text in try await PlantedSecrets.current.exchange(self.deck) { XCTFail(text) }
        let seen = try await self.deck.requests()
        XCTAssertEqual(seen.first.map { "\($0.request)" }, seen.first.map { "\($0.response as Any)" })
    }

    func test_ownFailure() async throws {
        try await Shop.get(Shop.price, self.deck)
        XCTFail("of the body")  // HERE ownFailure
    }

    func test_passing() async throws { try await Shop.get(Shop.price, self.deck) }
}

/// Sessions in tests of another base class.
final class HostingFailures: XCTestCase, TapedeckHosting {
    override func setUpWithError() throws { try XCTSkipUnless(Shop.isFailing) }

    func test_mixIn() async throws {
        let deck = try await self.startTapedeck("shop", folder: "Fixtures")  // HERE mixIn
        try await Shop.get(Shop.priceInDollars, deck)
    }

    func test_bareScope() async throws {
        try await withTapedeck("shop", folder: "Fixtures") { deck in  // HERE bareScope
            _ = try await Shop.get(Shop.priceInDollars, deck)
        }
    }

    func test_detached() async throws {
        try await Task.detached {
            try await withTapedeck("shop", folder: "Fixtures") { deck in  // HERE detached
                _ = try await Shop.get(Shop.priceInDollars, deck)
            }
        }.value
    }
}
