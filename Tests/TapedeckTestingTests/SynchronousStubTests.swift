import TapedeckTesting
import XCTest

/// The actions of a synchronous test method on its deck.
final class SynchronousStubTests: TapedeckTestCase {
    private static let url = "http://sync.example/price"

    func testStub() throws {
        let stub = try self.deck.stub(.get(Self.url), .text("stubbed"))
        XCTAssertEqual(try Visit.get(Self.url, self.deck).body, "stubbed")
        let seen = try self.deck.requests(matching: .get(Self.url))
        XCTAssertEqual(seen.map { $0.played?.set }, [stub.name])
        self.deck.expect(.get(Self.url), .exactly(1))
    }

    func testNewestStubAnswers() throws {
        try self.deck.stub(.get(Self.url), .text("first"))
        try self.deck.stub(.get(Self.url), .text("second"))
        XCTAssertEqual(try Visit.get(Self.url, self.deck).body, "second")
    }

    func testState() throws {
        try self.deck.setState(["basket": "full", "user": "ada"])
        try self.deck.setState(["basket": nil])
        XCTAssertEqual(try self.deck.state(), ["user": "ada"])
        try self.deck.reset()
        XCTAssertEqual(try self.deck.state(), [:])
    }

    func testUnknownVariant() throws {
        XCTAssertThrowsError(try self.deck.select("nowhere", for: "nothing")) { error in
            XCTAssertEqual((error as? TapedeckError)?.kind, .refused)
        }
    }
}
