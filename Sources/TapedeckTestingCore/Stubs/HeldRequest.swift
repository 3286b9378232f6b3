public import Foundation
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckLocking

/// A request that waits for the test to release it.
public struct HeldRequest: Sendable {
    /// The way in which an answer ends that the test sends part by part.
    public enum Ending: String, Sendable {
        /// The response is complete.
        case complete
        /// The connection is closed in the middle of the body.
        case cut
        /// The connection is reset.
        case reset
    }

    /// The request as the journal has it, with the whole of its body: up to 32 MiB, beyond which a stub's closure is not
    /// called and the test fails with the deck's error `held-body-limit`.
    public let exchange: Tapedeck.Exchange
    let deck: Tapedeck
    let number: Int
    /// True once an answer has begun that is sent part by part.
    private let isOpen = Locked(false)

    init(_ held: HeldModel, deck: Tapedeck) {
        self.exchange = Tapedeck.Exchange(held.entry)
        self.number = held.number
        self.deck = deck
    }

    private init(_ other: HeldRequest, body: Data) {
        self.exchange = other.exchange.with(body: body)
        self.number = other.number
        self.deck = other.deck
    }

    /// Returns the request with all of its body: the list of held requests has only the beginning of a long one.
    ///
    /// - Throws: ``TapedeckError`` if the deck does not have all of it, or the request is held no more.
    func whole() async throws -> HeldRequest {
        guard self.request.isCut else { return self }
        let body = try await self.deck.ask { [number] in try $0.body(ofHeld: number) }
        return HeldRequest(self, body: Data(body))
    }

    /// The request of the client, with headers and body.
    public var request: Tapedeck.Request { self.exchange.request }

    /// Returns the tape's response as it would be sent: templates filled in, takes in order. The request stays held;
    /// repeating the call gives the same response.
    ///
    /// - Throws: ``TapedeckError`` when nothing on tape answers it, or with a fault; or when the request is held no more.
    public func proceed() async throws -> Tapedeck.Response {
        let answer = try await self.deck.ask { [number] in try $0.tapeAnswer(ofHeld: number) }
        return try Tapedeck.Response(answer, for: self.exchange)
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
    public func release(_ answer: Tapedeck.Answer) async throws {
        guard let take = answer.takeShape else {
            throw TapedeckError(
                .badOptions,
                "one request gets one response or fault; sequences, choices and the like are for stubs"
            )
        }
        try await self.deck.ask { [number, deck] session in
            try session.release(held: number, withTake: try deck.sending(take, to: session).text)
        }
    }

    // MARK: Part by part

    /// Begins an answer whose body follows with ``send(_:)``.
    ///
    /// - Throws: ``TapedeckError`` when the request is held no more.
    public func begin(status: Int = 200, headers: KeyValuePairs<String, String> = [:]) async throws {
        let head = Tapedeck.Answer.status(status, headers: headers).takeShape ?? [:]
        try await self.deck.ask { [number] in try $0.open(held: number, withHead: head.text) }
        self.isOpen.withLock { $0 = true }
    }

    /// Sends a part of the body, which the client gets at once. The first one begins an answer of status 200, unless
    /// ``begin(status:headers:)`` did.
    ///
    /// - Throws: ``TapedeckError`` when the client is gone, or the answer has ended.
    public func send(_ data: Data) async throws {
        if !self.isOpen.withLock({ $0 }) { try await self.begin() }
        try await self.deck.ask { [number] in try $0.send(Array(data), ofHeld: number) }
    }

    /// Sends an event of an event stream (`text/event-stream`), which the client gets at once. The first one begins the
    /// stream, unless ``begin(status:headers:)`` did.
    ///
    /// ```swift
    /// let held = try await deck.hold(.get("/events")).next()
    /// try await held.send(event: "3", name: "unread")
    /// try await held.end()
    /// ```
    ///
    /// - Parameters:
    ///   - event: the event's data; lines stay lines.
    ///   - name: its type; `message` unless given.
    ///   - id: what a client that connects anew says it has seen.
    /// - Throws: ``TapedeckError`` when the client is gone, or the answer has ended.
    public func send(event: String, name: String? = nil, id: String? = nil) async throws {
        if !self.isOpen.withLock({ $0 }) {
            try await self.begin(headers: ["content-type": "text/event-stream", "cache-control": "no-cache"])
        }
        var lines: [String] = []
        if let name { lines.append("event: \(name)") }
        if let id { lines.append("id: \(id)") }
        // The ends of lines that an event stream has (HTML standard, section 9.2.6).
        let data = event.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
        lines += data.map { "data: \($0)" }
        try await self.send(Data((lines.joined(separator: "\n") + "\n\n").utf8))
    }

    /// Ends an answer that was sent part by part.
    ///
    /// - Throws: ``TapedeckError`` when the client is gone, or the answer has ended or never begun.
    public func end(_ ending: Ending = .complete) async throws {
        try await self.deck.ask { [number] in try $0.end(held: number, ending.rawValue) }
    }
}

/// The requests that match something, each held until the test lets it go.
public struct HeldRequests: Sendable {
    /// The name of the response set that holds them.
    public let name: String
    let deck: Tapedeck
    let mailbox: Mailbox<HeldRequest>

    /// Returns the next request that is held. Waits up to `timeout` for one.
    ///
    /// - Throws: ``TapedeckError`` of the kind `timeout`, for this line, when none comes; `CancellationError`.
    public func next(
        timeout: Duration = .seconds(5),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> HeldRequest {
        try await self.next(timeout: timeout, at: CodePlace(fileID, filePath, line, column))
    }

    package func next(timeout: Duration, at place: CodePlace) async throws -> HeldRequest {
        guard let request = try await self.mailbox.next(within: timeout) else {
            throw TapedeckError(.timeout, "no request came for \(self.name) in \(timeout)", at: place)
        }
        do {
            return try await request.whole()
        } catch let error as TapedeckError {
            throw error.at(place)
        }
    }

    /// Holds no further requests. Held ones stay held.
    public func stop() async throws {
        try await self.deck.ask { [name] in try $0.removeAdded(name) }
    }
}
