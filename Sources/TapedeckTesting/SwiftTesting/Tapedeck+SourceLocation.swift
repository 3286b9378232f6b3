public import Foundation
public import TapedeckTestingCore
public import Testing

/// The calls that can fail a test, with the place as Swift Testing has it, for helpers that hand theirs on.
///
/// ```swift
/// func expectLogin(_ deck: Tapedeck, sourceLocation: SourceLocation = #_sourceLocation) {
///     deck.expect(.post("/login"), .exactly(1), sourceLocation: sourceLocation)
/// }
/// ```
extension Tapedeck {
    // MARK: Verifying

    /// Expects requests; a failure is reported at `sourceLocation`.
    public func expect(
        _ matcher: RequestMatcher,
        _ count: ExpectedCount = .atLeast(1),
        answeredWithin time: Duration? = nil,
        sourceLocation: SourceLocation
    ) {
        self.expect(matcher, count, answeredWithin: time, at: CodePlace(sourceLocation))
    }

    /// Expects requests that a condition holds for; a failure is reported at `sourceLocation`.
    public func expect(
        where condition: some RequestCondition,
        _ count: ExpectedCount = .atLeast(1),
        sourceLocation: SourceLocation
    ) {
        self.expect(where: condition, count, at: CodePlace(sourceLocation))
    }

    /// Expects requests one after the other; a failure is reported at `sourceLocation`.
    public func expect(inOrder matchers: [RequestMatcher], sourceLocation: SourceLocation) {
        self.expect(inOrder: matchers, at: CodePlace(sourceLocation))
    }

    /// Waits until requests match; a failure is reported at `sourceLocation`.
    @discardableResult
    public func waitFor(
        _ matcher: RequestMatcher,
        count: Int = 1,
        timeout: Duration = .seconds(5),
        sourceLocation: SourceLocation
    ) async throws -> [Tapedeck.Exchange] {
        try await self.waitFor(matcher, count: count, timeout: timeout, at: CodePlace(sourceLocation))
    }

    /// Watches that no request comes; a failure is reported at `sourceLocation`.
    public func expectQuiet(
        for time: Duration,
        _ matcher: RequestMatcher? = nil,
        sourceLocation: SourceLocation
    ) async throws {
        try await self.expectQuiet(for: time, matcher, at: CodePlace(sourceLocation))
    }

    /// Expects unmatched requests of a block; a failure is reported at `sourceLocation`.
    @discardableResult
    public func withExpectedUnmatched<Value>(
        _ matcher: RequestMatcher? = nil,
        isolation: isolated (any Actor)? = #isolation,
        sourceLocation: SourceLocation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await self.withExpectedUnmatched(matcher, at: CodePlace(sourceLocation), body)
    }

    // MARK: Steering

    /// Has a variant of a response set play; an error has `sourceLocation`.
    public func select(
        _ variant: String,
        for set: String,
        keeps: Bool = false,
        sourceLocation: SourceLocation
    ) async throws {
        try await self.select(variant, for: set, keeps: keeps, at: CodePlace(sourceLocation))
    }

    /// Takes back the selection of a response set; an error has `sourceLocation`.
    public func reset(_ set: String, sourceLocation: SourceLocation) async throws {
        try await self.reset(set, at: CodePlace(sourceLocation))
    }

    /// Applies a profile; an error has `sourceLocation`.
    public func apply(
        profile name: String,
        only targets: [String] = [],
        sourceLocation: SourceLocation
    ) async throws {
        try await self.apply(profile: name, only: targets, at: CodePlace(sourceLocation))
    }

    // MARK: Stubs

    /// Answers requests; an error has `sourceLocation`.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        _ answer: Tapedeck.Answer,
        sourceLocation: SourceLocation
    ) async throws -> Stub {
        try await self.stub(matcher, answer, at: CodePlace(sourceLocation))
    }

    /// Has a closure answer requests; what it throws fails the test at `sourceLocation`.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        sourceLocation: SourceLocation,
        respond: @escaping @Sendable (HeldRequest) async throws -> Tapedeck.Answer?
    ) async throws -> Stub {
        try await self.stub(matcher, at: CodePlace(sourceLocation), respond: respond)
    }

    /// Has a behaviour answer requests; what it throws fails the test at `sourceLocation`.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher,
        by responder: some Responder,
        sourceLocation: SourceLocation
    ) async throws -> Stub {
        try await self.stub(matcher, at: CodePlace(sourceLocation)) { try await responder.respond(to: $0) }
    }

    /// Answers the requests that a condition holds for; an error has `sourceLocation`.
    @discardableResult
    public func stub(
        where condition: some RequestCondition,
        _ answer: Tapedeck.Answer,
        sourceLocation: SourceLocation
    ) async throws -> Stub {
        try await self.stub(where: condition, answer, at: CodePlace(sourceLocation))
    }

    /// Adds a response set; an error has `sourceLocation`.
    @discardableResult
    public func add(_ set: ResponseSet, sourceLocation: SourceLocation) async throws -> Stub {
        try await self.add(set, at: CodePlace(sourceLocation))
    }

    /// Fails the test at `sourceLocation` when a request comes.
    @discardableResult
    public func unimplemented(
        _ matcher: RequestMatcher,
        _ reason: String = "",
        sourceLocation: SourceLocation
    ) async throws -> Stub {
        try await self.unimplemented(matcher, reason, at: CodePlace(sourceLocation))
    }

    /// Holds requests; those that are still held at the end are reported at `sourceLocation`.
    public func hold(_ matcher: RequestMatcher, sourceLocation: SourceLocation) async throws -> HeldRequests {
        try await self.hold(matcher, at: CodePlace(sourceLocation))
    }

    // MARK: Callbacks

    /// Sends a request to a server of the app under test; an error has `sourceLocation`.
    @discardableResult
    public func send(
        to url: URL,
        method: String = "POST",
        headers: [(name: String, value: String)] = [],
        body: Data = Data(),
        timeout: Duration = .seconds(10),
        sourceLocation: SourceLocation
    ) async throws -> Tapedeck.Response {
        let callback = Callback(url: url, method: method, fields: headers, body: body)
        return try await self.send(callback, timeout: timeout, at: CodePlace(sourceLocation))
    }
}

extension HeldRequests {
    /// Waits for the next request that is held; an error has `sourceLocation`.
    public func next(timeout: Duration = .seconds(5), sourceLocation: SourceLocation) async throws -> HeldRequest {
        try await self.next(timeout: timeout, at: CodePlace(sourceLocation))
    }
}
