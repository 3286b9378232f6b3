import TapedeckControlAPI
import TapedeckControlClient
import TapedeckLocking

/// The requests of the session.
extension Tapedeck {
    /// The requests so far that match, oldest first, with any outcome.
    ///
    /// A deck keeps the last 5,000 requests of a session.
    ///
    /// - Parameter matcher: `nil` matches every request.
    public func requests(matching matcher: RequestMatcher? = nil) async throws -> [Tapedeck.Exchange] {
        try await self.ask { try $0.exchanges(matching: matcher) }.map(self.explained)
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func requests(matching matcher: RequestMatcher? = nil) throws -> [Tapedeck.Exchange] {
        try self.askBlocking { try $0.exchanges(matching: matcher) }.map(self.explained)
    }

    /// The newest request, or `nil`.
    ///
    /// Synchronous tests use `try deck.requests().last`.
    public var lastRequest: Tapedeck.Exchange? {
        get async throws { try await self.ask { try $0.newest() }.map(self.explained) }
    }

    /// The newest unmatched request, or `nil`. ``Tapedeck/Exchange/mismatch`` gives the reason.
    ///
    /// Synchronous tests use `try deck.requests().last { $0.outcome == .unmatched }`.
    public var lastUnmatched: Tapedeck.Exchange? {
        get async throws { try await self.ask { try $0.newest(outcome: .unmatched) }.map(self.explained) }
    }

    /// The requests during a block.
    public struct Traffic<Value> {
        /// The block's result.
        public var value: Value
        /// The requests that came meanwhile, oldest first.
        public var requests: [Tapedeck.Exchange]
        /// The number of requests.
        public var count: Int { self.requests.count }
    }

    /// Runs a block and says which requests came meanwhile.
    ///
    /// Those are all that use the session meanwhile; with a `matcher`, those that match.
    @discardableResult
    public func during<Value>(
        _ matcher: RequestMatcher? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Traffic<Value> {
        let before = try await self.ask { try $0.seen() }
        let value = try await body()
        let requests = try await self.ask { try $0.exchanges(matching: matcher, after: before) }
        return Traffic(value: value, requests: requests.map(self.explained))
    }

    /// Adds what conditions of the test say of a request that nothing answered.
    private func explained(_ exchange: Tapedeck.Exchange) -> Tapedeck.Exchange {
        var copy = exchange
        copy.mismatch = self.ledger.withLock { $0.mismatch(of: exchange) }
        return copy
    }
}

extension SessionClient {
    /// Entries of one answer; with their bodies they may be large.
    private static let pageSize = 100

    /// Returns the total number of requests of the session.
    func seen() throws -> Int {
        var filter = JournalFilter()
        filter.limit = 1
        return try self.journal(filter).seen
    }

    /// The newest request.
    func newest(outcome: Tapedeck.Exchange.Outcome? = nil) throws -> Tapedeck.Exchange? {
        var filter = JournalFilter()
        filter.limit = 1
        filter.bodies = true
        filter.outcome = outcome?.rawValue
        return try self.journal(filter).entries.last.map { Tapedeck.Exchange(try self.whole($0)) }
    }

    /// As much of a body as a deck keeps.
    private static let largestBody = 1 << 20

    /// An entry of a page, with all of its bodies that there is: pages have the beginnings.
    private func whole(_ entry: JournalEntryModel) throws -> JournalEntryModel {
        guard entry.request?.body?.isCut ?? false || entry.response?.body?.isCut ?? false else { return entry }
        do {
            return try self.entry(entry.number, bodyLimit: Self.largestBody)
        } catch {
            // Gone in favour of newer ones.
            guard error.problem?.type.hasSuffix("/unknown-entry") ?? false else { throw error }
            return entry
        }
    }

    /// The requests that match, oldest first.
    ///
    /// - Parameter after: only those with a higher number.
    func exchanges(
        matching matcher: RequestMatcher? = nil,
        outcome: Tapedeck.Exchange.Outcome? = nil,
        after: Int = 0,
        bodies: Bool = true
    ) throws -> [Tapedeck.Exchange] {
        var filter = JournalFilter()
        filter.after = after
        filter.limit = Self.pageSize
        filter.bodies = bodies
        filter.outcome = outcome?.rawValue
        var exchanges: [Tapedeck.Exchange] = []
        while true {
            let page = try matcher.map { try self.journal(matching: $0.json, filter) } ?? self.journal(filter)
            exchanges += try page.entries.map { Tapedeck.Exchange(bodies ? try self.whole($0) : $0) }
            guard page.entries.count == Self.pageSize, let last = exchanges.last else { return exchanges }
            filter.after = last.number
        }
    }
}
