import TapedeckControlClient
import TapedeckLocking

extension Tapedeck {
    /// A response set that a test added to its session.
    public struct Stub: Sendable {
        /// The response set's name.
        public let name: String
        let deck: Tapedeck

        /// The requests that it answered, oldest first.
        public func requests() async throws -> [Exchange] {
            try await self.deck.requests().filter { $0.played?.set == self.name }
        }

        /// The form without `await`, for tests that are not asynchronous.
        @available(*, noasync)
        public func requests() throws -> [Exchange] {
            try self.deck.requests().filter { $0.played?.set == self.name }
        }

        /// Takes it away again.
        public func remove() async throws {
            try await self.deck.ask { [name] in try $0.removeAdded(name) }
        }

        /// The form without `await`, for tests that are not asynchronous.
        @available(*, noasync)
        public func remove() throws {
            try self.deck.askBlocking { try $0.removeAdded(self.name) }
        }
    }
}

/// Answers that a test adds to its session. Of the stubs that match a request the newest answers, whatever it asks for;
/// the cassettes come after. Stubs are gone with the session. In the modes ``TapedeckMode/record`` and
/// ``TapedeckMode/passthrough`` the live servers answer all the same, and nothing is held.
extension Tapedeck {
    /// Answers requests.
    ///
    /// ```swift
    /// try await deck.stub(.get("/users/octocat"), .json(["login": "octocat"]))
    /// ```
    ///
    /// A stub may have 16 MiB as JSON, in which bytes that are no text take a third more; larger answers go into a cassette.
    ///
    /// - Throws: ``TapedeckError`` when the deck refuses it.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        _ answer: Answer,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> Stub {
        let name = self.add("stub", matcher, .stub, at: CodePlace(fileID, filePath, line, column))
        try await self.ask { try $0.add(name, json: Self.set(name, matcher, Variant("stub", answer))) }
        return Stub(name: name, deck: self)
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        _ answer: Answer,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws -> Stub {
        let name = self.add("stub", matcher, .stub, at: CodePlace(fileID, filePath, line, column))
        try self.askBlocking { try $0.add(name, json: Self.set(name, matcher, Variant("stub", answer))) }
        return Stub(name: name, deck: self)
    }

    /// Adds a response set, with variants to select.
    @discardableResult
    public func add(_ set: ResponseSet) async throws -> Stub {
        try await self.ask { try $0.add(set.name, json: set.json) }
        return Stub(name: set.name, deck: self)
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    @discardableResult
    public func add(_ set: ResponseSet) throws -> Stub {
        try self.askBlocking { try $0.add(set.name, json: set.json) }
        return Stub(name: set.name, deck: self)
    }

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
    /// It gets the request, and what the tape would say from ``HeldRequest/proceed()``; several may run at once. It returns
    /// `nil` to let the tape answer. What it throws fails the test at this line, and the client gets a 500.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        respond: @escaping @Sendable (HeldRequest) async throws -> Answer?
    ) async throws -> Stub {
        let place = CodePlace(fileID, filePath, line, column)
        let name = self.add("stub", matcher, .stub, at: place)
        try await self.hold(matcher, name) { request in
            do {
                if let answer = try await respond(request) {
                    try await request.release(answer)
                } else {
                    try await request.letGo()
                }
            } catch {
                await self.fail(request, with: error, at: place)
            }
        }
        return Stub(name: name, deck: self)
    }

    /// Fails the test when a request comes, at the end, at this line, and with the reason why it must not. The client gets
    /// a 501.
    @discardableResult
    public func unimplemented(
        _ matcher: RequestMatcher,
        _ reason: String = "",
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> Stub {
        let place = CodePlace(fileID, filePath, line, column)
        let name = self.add("unimplemented", matcher, .unimplemented(reason), at: place)
        try await self.ask { try $0.add(name, json: Self.unimplementedSet(name, matcher)) }
        return Stub(name: name, deck: self)
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    @discardableResult
    public func unimplemented(
        _ matcher: RequestMatcher,
        _ reason: String = "",
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws -> Stub {
        let place = CodePlace(fileID, filePath, line, column)
        let name = self.add("unimplemented", matcher, .unimplemented(reason), at: place)
        try self.askBlocking { try $0.add(name, json: Self.unimplementedSet(name, matcher)) }
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
        let name = self.add("hold", matcher, .hold, at: CodePlace(fileID, filePath, line, column))
        let mailbox = Mailbox<HeldRequest>()
        try await self.hold(matcher, name) { mailbox.put($0) }
        return HeldRequests(name: name, deck: self, mailbox: mailbox)
    }

    // MARK: How

    private func add(
        _ kind: String,
        _ matcher: RequestMatcher,
        _ added: Ledger.Added.Kind,
        at place: CodePlace
    ) -> String {
        self.ledger.withLock { ledger in
            let name = ledger.name(kind, matcher)
            ledger.added.append(
                Ledger.Added(name: name, request: matcher.description, kind: added, place: place)
            )
            return name
        }
    }

    /// A response set of one variant, as JSON.
    private static func set(_ name: String, _ matcher: RequestMatcher, _ variant: Variant) -> String {
        ResponseSet(name, matcher, variants: [variant]).json
    }

    private static func unimplementedSet(_ name: String, _ matcher: RequestMatcher) -> String {
        let answer = Answer.text("\(matcher) is unimplemented in this test", status: 501)
        return self.set(name, matcher, Variant("unimplemented", answer))
    }

    private func hold(
        _ matcher: RequestMatcher,
        _ name: String,
        _ handler: @escaping HeldPump.Handler
    ) async throws {
        self.pump.handle(name, with: handler)
        self.pump.start(self)
        try await self.ask { session in
            try session.add(
                name,
                json: #"{"request":\#(matcher.setShape.text),"variants":[{"name":"held","hold":true}]}"#
            )
        }
    }

    private func fail(_ request: HeldRequest, with error: any Error, at place: CodePlace) async {
        // The end of the test, or a client that did not wait: nobody is there to be answered.
        if Task.isCancelled || (error as? TapedeckError)?.problem == "unknown-held" { return }
        let message = "the stub threw for \(request.exchange.method) \(request.exchange.shownURL): \(error)"
        self.note(TestIssue(message, at: place))
        try? await request.release(.text("the test's stub threw an error", status: 500))
    }

    /// Keeps what went wrong, to be told at the end.
    func note(_ issue: TestIssue) {
        self.ledger.withLock { $0.troubles.append(issue) }
    }
}
