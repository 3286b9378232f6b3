import TapedeckControlClient

/// Changes to the session while the test runs.
extension Tapedeck {
    /// Has a variant of a response set play from now on, its takes from the first.
    ///
    /// - Throws: ``TapedeckError`` when there is no such set or variant; it names those there are.
    public func select(_ variant: String, for set: String) async throws {
        try await self.ask { try $0.select(variant, of: set) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func select(_ variant: String, for set: String) throws {
        try self.askBlocking { try $0.select(variant, of: set) }
    }

    /// Takes back every selection and profile, begins all takes anew, and makes the state what it was at first. Stubs
    /// stay.
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

    /// Takes back the selection of one response set, and begins its takes anew.
    ///
    /// - Throws: ``TapedeckError`` when there is no such set.
    public func reset(_ set: String) async throws {
        try await self.ask { try $0.deselect(set) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func reset(_ set: String) throws {
        try self.askBlocking { try $0.deselect(set) }
    }

    /// Applies a profile over those in force.
    ///
    /// - Parameters:
    ///   - name: one of a cassette's, or a built-in one: `offline`, `slow`, `flaky`, `server-error`, `rate-limited` and
    ///     `unauthorized`.
    ///   - targets: the response sets and origins it is limited to; none is no limit.
    /// - Throws: ``TapedeckError`` when there is no such profile, set or origin.
    public func apply(profile name: String, only targets: [String] = []) async throws {
        try await self.ask { try $0.apply(profile: name, only: targets) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func apply(profile name: String, only targets: [String] = []) throws {
        try self.askBlocking { try $0.apply(profile: name, only: targets) }
    }

    /// Takes a profile back.
    public func revert(profile name: String) async throws {
        try await self.ask { try $0.revert(profile: name) }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func revert(profile name: String) throws {
        try self.askBlocking { try $0.revert(profile: name) }
    }

    /// The session's state, which variants and templates ask for.
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
}
