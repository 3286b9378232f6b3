import TapedeckTesting
import Testing

struct ScopeEndTests {
    private static let price = "http://shop.example/price"

    /// Notifies when it is released.
    private final class Witness: Sendable {
        private let end: AsyncStream<Never>.Continuation

        init(_ end: AsyncStream<Never>.Continuation) {
            self.end = end
        }

        deinit {
            self.end.finish()
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `a session releases everything at its end, including the references of its closures`() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        try await withTapedeck { deck in
            let witness = Witness(end)
            // It holds the deck, too.
            try await deck.stub(.get(Self.price)) { _ in .text("\(deck.name) \(ObjectIdentifier(witness).hashValue)") }
            _ = try await deck.hold(.get("/stock"))
            #expect(try await Visit.get(Self.price, deck).status == 200)
        }
        for await _ in ended {}
        let isCancelled = Task.isCancelled
        #expect(!isCancelled)
    }

    @Test func `the message of a failed requirement is not repeated`() async throws {
        try await withKnownIssue {
            try await withTapedeck { deck in
                deck.expect(.get(Self.price))
                try #require(Bool(false))
            }
        } matching: { issue in
            issue.comments.allSatisfy { !$0.rawValue.contains("ExpectationFailedError") }
        }
    }
}
