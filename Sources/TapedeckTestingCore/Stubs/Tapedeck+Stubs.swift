import TapedeckControlClient
import TapedeckLocking

extension Tapedeck {
    /// A response set that a test added to its session.
    public struct Stub: Sendable {
        /// The response set's name.
        public let name: String
        let deck: Tapedeck

        /// The requests that it answered, oldest first.
        public func requests() async throws -> [Tapedeck.Exchange] {
            try await self.deck.requests().filter { $0.played?.set == self.name }
        }

        /// The form without `await`, for tests that are not asynchronous.
        @available(*, noasync)
        public func requests() throws -> [Tapedeck.Exchange] {
            try self.deck.requests().filter { $0.played?.set == self.name }
        }

        /// Removes it, if it is still there.
        public func remove() async throws {
            try await OwnThread.run { try self.removeBlocking() }
        }

        /// The form without `await`, for tests that are not asynchronous.
        @available(*, noasync)
        public func remove() throws {
            try self.removeBlocking()
        }

        private func removeBlocking() throws {
            do {
                try self.deck.askBlocking { try $0.removeAdded(self.name) }
            } catch let error as TapedeckError where error.problem == "unknown-set" {
                // It was removed before.
            }
        }
    }
}

/// Answers that a test adds to its session. Of the stubs that match a request the newest answers, whatever it asks for;
/// the cassettes come after. Stubs are gone with the session. What the deck refuses, such as a pattern that is none, is an
/// error with file and line of the call. They answer in every mode, also where a session records: their answers are not recorded.
extension Tapedeck {
    /// Answers requests.
    ///
    /// ```swift
    /// try await deck.stub(.get("/users/octocat"), .json(["login": "octocat"]))
    /// ```
    ///
    /// A body may be as large as the deck's limit for files, 512 MiB unless it was started with another one.
    ///
    /// - Throws: ``TapedeckError`` if the deck rejects it.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        _ answer: Tapedeck.Answer,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> Stub {
        try await self.stub(matcher, answer, at: CodePlace(fileID, filePath, line, column))
    }

    package func stub(_ matcher: RequestMatcher, _ answer: Tapedeck.Answer, at place: CodePlace) async throws -> Stub {
        let stub = StubbedRequest(matcher: matcher, answer: answer, place: place)
        return try await OwnThread.run { try self.add(stub) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        _ answer: Tapedeck.Answer,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws -> Stub {
        let place = CodePlace(fileID, filePath, line, column)
        return try self.add(StubbedRequest(matcher: matcher, answer: answer, place: place))
    }

    /// Adds a response set, with variants to select.
    @discardableResult
    public func add(
        _ set: ResponseSet,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> Stub {
        try await self.add(set, at: CodePlace(fileID, filePath, line, column))
    }

    package func add(_ set: ResponseSet, at place: CodePlace) async throws -> Stub {
        try await self.ask(at: place) { try self.add(set, to: $0) }
        return Stub(name: set.name, deck: self)
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    @discardableResult
    public func add(
        _ set: ResponseSet,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws -> Stub {
        try self.askBlocking(at: CodePlace(fileID, filePath, line, column)) { try self.add(set, to: $0) }
        return Stub(name: set.name, deck: self)
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
        try await self.unimplemented(matcher, reason, at: CodePlace(fileID, filePath, line, column))
    }

    package func unimplemented(
        _ matcher: RequestMatcher,
        _ reason: String,
        at place: CodePlace
    ) async throws -> Stub {
        let name = self.name("unimplemented", matcher.description)
        try await self.ask(at: place) { try self.add(Self.unimplementedSet(name, matcher), to: $0) }
        self.note(name, matcher.description, .unimplemented(reason), at: place)
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
        let name = self.name("unimplemented", matcher.description)
        try self.askBlocking(at: place) { try self.add(Self.unimplementedSet(name, matcher), to: $0) }
        self.note(name, matcher.description, .unimplemented(reason), at: place)
        return Stub(name: name, deck: self)
    }

    /// Blocks.
    @discardableResult
    func add(_ stub: StubbedRequest) throws -> Stub {
        let name = self.name("stub", stub.matcher.description)
        try self.askBlocking(at: stub.place) {
            try self.add(Self.set(name, stub.matcher, Variant("stub", stub.answer)), to: $0)
        }
        self.note(name, stub.matcher.description, .stub, at: stub.place)
        return Stub(name: name, deck: self)
    }

    // MARK: How

    func name(_ kind: String, _ request: String) -> String {
        self.ledger.withLock { $0.name(kind, request) }
    }

    /// Has the end of the session speak of a set that was added.
    func note(_ name: String, _ request: String, _ kind: Ledger.Added.Kind, at place: CodePlace) {
        self.ledger.withLock { ledger in
            ledger.added.append(Ledger.Added(name: name, request: request, kind: kind, place: place))
        }
    }

    /// A response set of one variant.
    private static func set(_ name: String, _ matcher: RequestMatcher, _ variant: Variant) -> ResponseSet {
        ResponseSet(name, matcher, variants: [variant])
    }

    private static func unimplementedSet(_ name: String, _ matcher: RequestMatcher) -> ResponseSet {
        let answer = Tapedeck.Answer.text("\(matcher) is unimplemented in this test", status: 501)
        return self.set(name, matcher, Variant("unimplemented", answer))
    }

    private func add(_ set: ResponseSet, to session: SessionClient) throws {
        do {
            try session.add(set.name, json: try self.sending(set.shape, to: session).text)
        } catch let error as ControlError where error.problem != nil {
            throw TapedeckError(error).about(set.request)
        }
    }

    /// Notes a problem, to be reported at the end.
    func note(_ issue: TestIssue) {
        self.ledger.withLock { $0.troubles.append(issue) }
    }
}
