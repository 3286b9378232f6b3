import TapedeckControlClient

/// Changes to the session while the test runs. What the deck refuses is an error with file and line of the call.
extension Tapedeck {
    /// Plays a variant of a response set from now on, from its first take.
    ///
    /// With `keeps` it is written into the cassette's file as well, as `selected:`, so that it plays in later sessions, too,
    /// such as after a restart of the app under test.
    ///
    /// - Throws: ``TapedeckError`` when there is no such set or variant; it names those there are.
    public func select(
        _ variant: String,
        for set: String,
        keeps: Bool = false,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws {
        try await self.select(variant, for: set, keeps: keeps, at: CodePlace(fileID, filePath, line, column))
    }

    package func select(_ variant: String, for set: String, keeps: Bool, at place: CodePlace) async throws {
        try await self.ask(at: place) { session in
            try self.selecting { try session.select(variant, of: set, keeps: keeps) }
        }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func select(
        _ variant: String,
        for set: String,
        keeps: Bool = false,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws {
        let place = CodePlace(fileID, filePath, line, column)
        try self.askBlocking(at: place) { session in
            try self.selecting { try session.select(variant, of: set, keeps: keeps) }
        }
    }

    /// Undoes every selection and profile, restarts all takes, and restores the initial state. Stubs stay.
    public func reset() async throws {
        try await self.ask { try self.reset($0) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func reset() throws {
        try self.askBlocking { try self.reset($0) }
    }

    private func reset(_ session: SessionClient) throws {
        try session.reset()
        // To a deck what a session was made with is a change like any other.
        if !self.options.state.isEmpty { try session.set(self.options.state) }
    }

    /// Removes the selection of one response set, and restarts its takes.
    ///
    /// - Throws: ``TapedeckError`` when there is no such set.
    public func reset(
        _ set: String,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws {
        try await self.reset(set, at: CodePlace(fileID, filePath, line, column))
    }

    package func reset(_ set: String, at place: CodePlace) async throws {
        try await self.ask(at: place) { try $0.deselect(set) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func reset(
        _ set: String,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws {
        try self.askBlocking(at: CodePlace(fileID, filePath, line, column)) { try $0.deselect(set) }
    }

    /// Applies a profile on top of those in force: one of a cassette's, or a built-in one, which are `offline`, `slow`,
    /// `flaky`, `server-error`, `rate-limited` and `unauthorized`. With `targets` it is limited to these response sets and
    /// origins.
    ///
    /// - Throws: ``TapedeckError`` when there is no such profile, set or origin.
    public func apply(
        profile name: String,
        only targets: [String] = [],
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws {
        try await self.apply(profile: name, only: targets, at: CodePlace(fileID, filePath, line, column))
    }

    package func apply(profile name: String, only targets: [String], at place: CodePlace) async throws {
        try await self.ask(at: place) { session in
            try self.selecting { try session.apply(profile: name, only: targets) }
        }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func apply(
        profile name: String,
        only targets: [String] = [],
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws {
        let place = CodePlace(fileID, filePath, line, column)
        try self.askBlocking(at: place) { session in
            try self.selecting { try session.apply(profile: name, only: targets) }
        }
    }

    /// Reverts a profile.
    public func revert(profile name: String) async throws {
        try await self.ask { try $0.revert(profile: name) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func revert(profile name: String) throws {
        try self.askBlocking { try $0.revert(profile: name) }
    }

    /// The session's state, which variants and templates use.
    public func state() async throws -> [String: String] {
        try await self.ask { try $0.state() }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func state() throws -> [String: String] {
        try self.askBlocking { try $0.state() }
    }

    /// Changes the session's state; `nil` removes a key.
    public func setState(_ changes: [String: String?]) async throws {
        try await self.ask { try $0.set(changes) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func setState(_ changes: [String: String?]) throws {
        try self.askBlocking { try $0.set(changes) }
    }

    // MARK: Switching off and on

    /// Has every request go to its live server, unplayed and unrecorded, until `resume()`. Stubs do not answer either.
    ///
    /// - Throws: ``TapedeckError`` where the deck only replays.
    public func pause() async throws {
        try await self.ask { try $0.pause() }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func pause() throws {
        try self.askBlocking { try $0.pause() }
    }

    /// Continues as before `pause()`.
    public func resume() async throws {
        try await self.ask { try $0.resume() }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func resume() throws {
        try self.askBlocking { try $0.resume() }
    }
}
