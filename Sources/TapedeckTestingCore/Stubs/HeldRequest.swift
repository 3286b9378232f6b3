import TapedeckControlAPI
import TapedeckControlClient

/// A request that waits for the test to say how it goes on.
public struct HeldRequest: Sendable {
    /// The request, with headers and body.
    public let exchange: Exchange
    let deck: Tapedeck
    let number: Int

    init(_ held: HeldModel, deck: Tapedeck) {
        self.exchange = Exchange(held.entry)
        self.number = held.number
        self.deck = deck
    }

    /// The request of the client.
    public var request: Exchange.Message { self.exchange.request }

    /// Returns the tape's response as it would be sent: templates filled in, takes in order. The request stays held;
    /// repeating the call gives the same response.
    ///
    /// - Throws: ``TapedeckError`` when nothing on tape answers it, or with a fault; or when the request is held no more.
    public func proceed() async throws -> StubResponse {
        let answer = try await self.deck.ask { [number] in try $0.tapeAnswer(ofHeld: number) }
        return try StubResponse(answer, for: self.exchange)
    }

    /// Lets the tape answer, byte for byte as if the request had never been held: also with a fault, and in the modes
    /// that ask the live server with what that says.
    ///
    /// - Throws: ``TapedeckError`` when the request is held no more.
    public func letGo() async throws {
        try await self.deck.ask { [number] in try $0.proceed(held: number) }
    }

    /// Answers the request.
    ///
    /// - Throws: ``TapedeckError`` when the request is held no more, or the answer is more than one response or fault.
    public func release(_ answer: Answer) async throws {
        guard let json = answer.takeJSON else {
            throw TapedeckError(
                .badOptions,
                "one request gets one response or fault; sequences, choices and the like are for stubs"
            )
        }
        try await self.deck.ask { [number] in try $0.release(held: number, withTake: json) }
    }
}

/// The requests that match something, each held until the test lets it go.
public struct HeldRequests: Sendable {
    /// The name of the response set that holds them.
    public let name: String
    let deck: Tapedeck
    let mailbox: Mailbox<HeldRequest>

    /// The next request that is held, waiting for one to come.
    ///
    /// - Parameter timeout: how long to wait.
    /// - Throws: ``TapedeckError`` of the kind `timeout` when none comes; `CancellationError`.
    public func next(timeout: Duration = .seconds(5)) async throws -> HeldRequest {
        guard let request = try await self.mailbox.next(within: timeout) else {
            throw TapedeckError(.timeout, "no request came for \(self.name) in \(timeout)")
        }
        return request
    }

    /// Holds no further requests. Those that are held stay so.
    public func stop() async throws {
        try await self.deck.ask { [name] in try $0.removeAdded(name) }
    }
}
