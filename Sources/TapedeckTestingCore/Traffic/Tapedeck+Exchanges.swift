import TapedeckControlAPI
import TapedeckControlClient

extension Tapedeck {
    /// The requests of the session as they come, those first that came before: for a log of one's own, or for a test that goes
    /// along with what the app does.
    ///
    /// ```swift
    /// for try await exchange in deck.exchanges(matching: .post("/events")) {
    ///     logger.info("\(exchange)")
    /// }
    /// ```
    ///
    /// Each is given once, as soon as its request has come; its answer may still be under way. The sequence ends with the
    /// session. Nothing polls.
    public func exchanges(matching matcher: RequestMatcher? = nil) -> Exchanges {
        Exchanges(deck: self, matcher: matcher)
    }

    /// The requests of a session as they come; see ``Tapedeck/exchanges(matching:)``.
    public struct Exchanges: AsyncSequence, Sendable {
        let deck: Tapedeck
        let matcher: RequestMatcher?

        public func makeAsyncIterator() -> Iterator {
            Iterator(deck: self.deck, matcher: self.matcher)
        }

        /// Waits for one request after the other.
        public struct Iterator: AsyncIteratorProtocol {
            let deck: Tapedeck
            let matcher: RequestMatcher?
            private var ready: [Tapedeck.Exchange] = []
            private var last = 0

            /// How long the deck is asked to wait for a request, each time.
            private static let patience = Duration.seconds(60)

            init(deck: Tapedeck, matcher: RequestMatcher?) {
                self.deck = deck
                self.matcher = matcher
            }

            /// The next request; `nil` when the session is over.
            ///
            /// - Throws: ``TapedeckError`` when the deck is gone; `CancellationError`.
            public mutating func next() async throws -> Tapedeck.Exchange? {
                while self.ready.isEmpty {
                    try Task.checkCancellation()
                    guard try await self.fetch() else { return nil }
                }
                return self.ready.removeFirst()
            }

            /// Returns `false` when there will be no more.
            private mutating func fetch() async throws -> Bool {
                do {
                    let found = try await self.deck.ask {
                        [matcher, last] session -> (new: [Tapedeck.Exchange], isOver: Bool) in
                        let json = matcher?.json ?? "{}"
                        let result = try session.wait(for: json, within: Self.patience, after: last)
                        guard result.isMet else { return ([], result.reason == "ended") }
                        return (try session.exchanges(matching: matcher, after: last), false)
                    }
                    self.last = found.new.last?.number ?? self.last
                    self.ready = found.new
                    return !found.isOver
                } catch let error as TapedeckError
                    where error.problem == "session-ended" || error.problem == "unknown-session"
                {
                    return false
                }
            }
        }
    }
}
