import TapedeckControlClient
import TapedeckLocking

/// A behaviour as a type of one's own: it answers requests by code.
///
/// ```swift
/// struct EveryThirdFails: Responder {
///     let count = Counter()
///
///     func respond(to request: HeldRequest) async throws -> Tapedeck.Answer? {
///         await self.count.next() % 3 == 0 ? .status(503) : nil
///     }
/// }
///
/// try await deck.stub(.get("/feed"), by: EveryThirdFails())
/// ```
public protocol Responder: Sendable {
    /// Returns the answer to a request; `nil` lets the tape answer. Several may be asked for at once. What it throws fails
    /// the test at the line of the stub, and the client gets a 500.
    func respond(to request: HeldRequest) async throws -> Tapedeck.Answer?
}

/// Answers by code, and requests that wait.
extension Tapedeck {
    /// Has a closure answer requests. It runs in a task of the test, so that what it expects belongs to the test.
    ///
    /// ```swift
    /// try await deck.stub(.get("/me")) { request in
    ///     var response = try await request.proceed()
    ///     try response.changeJSON { $0["name"] = "Somebody else" }
    ///     return .response(response)
    /// }
    /// ```
    ///
    /// It gets the request with its whole body, up to 32 MiB, and what the tape would say from ``HeldRequest/proceed()``; several may run at once. It returns
    /// `nil` to let the tape answer, or an older stub that is no code. What it throws fails the test at this line, and the
    /// client gets a 500.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        respond: @escaping @Sendable (HeldRequest) async throws -> Tapedeck.Answer?
    ) async throws -> Stub {
        try await self.stub(matcher, at: CodePlace(fileID, filePath, line, column), respond: respond)
    }

    /// Has a behaviour answer requests, as with a closure.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        by responder: some Responder,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> Stub {
        let place = CodePlace(fileID, filePath, line, column)
        return try await self.stub(matcher, at: place) { try await responder.respond(to: $0) }
    }

    /// Answers the requests that a condition holds for. The others go on to older stubs that are no code, and to the tape; if
    /// nothing answers one, the failure has the condition's reason.
    @discardableResult
    public func stub(
        where condition: some RequestCondition,
        _ answer: Tapedeck.Answer,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> Stub {
        try await self.stub(where: condition, answer, at: CodePlace(fileID, filePath, line, column))
    }

    package func stub(
        where condition: some RequestCondition,
        _ answer: Tapedeck.Answer,
        at place: CodePlace
    ) async throws -> Stub {
        guard answer.takeShape != nil else {
            throw TapedeckError(
                .badOptions,
                "a stub with a condition gives one response or fault; for more there is a stub with a closure",
                at: place
            )
        }
        return try await self.stub(condition.matcher, words: condition.words, at: place) { request in
            guard let reason = try condition.reason(request.request) else { return answer }
            self.ledger.withLock { $0.mismatches[request.number, default: []].append(reason) }
            return nil
        }
    }

    package func stub(
        _ matcher: RequestMatcher,
        words: String? = nil,
        at place: CodePlace,
        respond: @escaping @Sendable (HeldRequest) async throws -> Tapedeck.Answer?
    ) async throws -> Stub {
        let words = words ?? matcher.description
        let name = self.name("stub", words)
        try await self.hold(matcher, name, at: place) { request in
            do {
                let request = try await request.whole()
                if let answer = try await respond(request) {
                    try await request.release(answer)
                } else {
                    try await request.letGo()
                }
            } catch {
                await self.fail(request, with: error, at: place)
            }
        }
        self.note(name, words, .stub, at: place)
        return Stub(name: name, deck: self)
    }

    /// Holds requests until the test lets each of them go, to see what a program does meanwhile.
    ///
    /// ```swift
    /// let slow = try await deck.hold(.get("/feed"))
    /// async let feed = api.feed()
    /// let request = try await slow.next()
    /// #expect(model.isLoading)
    /// try await request.release(.json([]))
    /// _ = try await feed
    /// ```
    public func hold(
        _ matcher: RequestMatcher,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> HeldRequests {
        try await self.hold(matcher, at: CodePlace(fileID, filePath, line, column))
    }

    package func hold(_ matcher: RequestMatcher, at place: CodePlace) async throws -> HeldRequests {
        let name = self.name("hold", matcher.description)
        let mailbox = Mailbox<HeldRequest>()
        try await self.hold(matcher, name, at: place) { mailbox.put($0) }
        self.note(name, matcher.description, .hold, at: place)
        return HeldRequests(name: name, deck: self, mailbox: mailbox)
    }

    private func hold(
        _ matcher: RequestMatcher,
        _ name: String,
        at place: CodePlace,
        _ handler: @escaping HeldPump.Handler
    ) async throws {
        self.pump.handle(name, with: handler)
        self.pump.start(self)
        try await self.ask(at: place) { session in
            try session.add(
                name,
                json: #"{"request":\#(matcher.setShape.text),"variants":[{"name":"held","hold":true}]}"#
            )
        }
    }

    private func fail(_ request: HeldRequest, with error: any Error, at place: CodePlace) async {
        // The test has ended, or the client did not wait: there is no client to answer.
        if Task.isCancelled || (error as? TapedeckError)?.problem == "unknown-held" { return }
        let message = "the stub threw for \(request.exchange.method) \(request.request.shownURL): \(error)"
        self.note(TestIssue(.stub, message, at: place))
        try? await request.release(.text("the test's stub threw an error", status: 500))
    }
}
