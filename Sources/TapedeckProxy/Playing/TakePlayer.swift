import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

/// Turns takes of a tape into bytes for the wire: once for each take and kind of client, then from memory. Belongs to
/// one event loop. It holds the tape, so it is for the moment; what it made lives on in ``TapeResponses``.
struct TakePlayer {
    let tape: Tape
    private let played: TapeResponses
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    private static let usualClient = ClientAbilities()

    init(tape: Tape, played: TapeResponses, threadPool: NIOThreadPool, eventLoop: any EventLoop) {
        self.tape = tape
        self.played = played
        self.threadPool = threadPool
        self.eventLoop = eventLoop
    }

    /// The response, if it is in memory or can be made without waiting.
    ///
    /// - Parameter session: for takes whose values follow from its own requests; without it they are not ready.
    func ready(_ number: Int, for client: ClientAbilities, session: Session? = nil) -> PlayableResponse? {
        let key = TapeResponses.Key(take: number, client: self.normalised(client, number))
        if let response = self.played.response(key, isUsual: key.client == Self.usualClient) { return response }
        if session == nil, self.played.own.contains(number) { return nil }
        let source = self.source(number, isTemplate: false, session: session)
        if source.isOwn, session == nil { return nil }
        guard let response = source.immediate(for: key.client) else { return nil }
        self.keep(response, take: number, client: client)
        return response
    }

    /// The response of a take that ``ready(_:for:)`` could not give at once: its file is read, its coding put on, away
    /// from the event loop.
    func prepare(
        _ number: Int,
        for client: ClientAbilities,
        session: Session?
    ) -> EventLoopFuture<PlayableResponse> {
        let source = self.source(number, isTemplate: false, session: session)
        return self.threadPool.runIfActive(eventLoop: self.eventLoop) {
            try source.make(for: client)
        }
    }

    /// The take with values in place of the placeholders of its secrets.
    private func source(_ number: Int, isTemplate: Bool, session: Session?) -> TakeSource {
        let source = TakeSource(
            self.tape.takes[number],
            self.played.secrets.of(self.tape).values,
            isTemplate: isTemplate,
            declaresSecrets: self.tape.declaresSecrets(forTake: number),
            own: { session?.ownValues(of: self.tape) ?? [:] }
        )
        if source.isOwn { self.played.own.insert(number) }
        return source
    }

    /// Returns a take whose content differs each time: searched once, unless its values are the session's.
    func staged(_ number: Int, isTemplate: Bool, session: Session?) -> TakeSource {
        // A take can be played as a template and as it is.
        let key = number * 2 + (isTemplate ? 1 : 0)
        if let source = self.played.staged[key] { return source }
        let source = self.source(number, isTemplate: isTemplate, session: session)
        if !source.isOwn { self.played.staged[key] = source }
        return source
    }

    /// Returns the take's texts as templates, parsed once, unless the values are the session's.
    ///
    /// - Throws: `TemplateError` if one of them is invalid.
    func templates(_ number: Int, session: Session?) throws -> TakeTemplates {
        if let templates = self.played.templates[number] { return templates }
        let source = self.staged(number, isTemplate: true, session: session)
        let templates = try TakeTemplates(source.take)
        if !source.isOwn { self.played.templates[number] = templates }
        return templates
    }

    /// Keeps a response for the next time, within bounds. One with values of a session is not kept.
    func keep(_ response: PlayableResponse, take number: Int, client: ClientAbilities) {
        guard !self.played.own.contains(number) else { return }
        let key = TapeResponses.Key(take: number, client: self.normalised(client, number))
        self.played.keep(response, key, isUsual: key.client == Self.usualClient)
    }

    /// The codings matter only for a take that has one, so most takes have one entry for all clients.
    private func normalised(_ client: ClientAbilities, _ number: Int) -> ClientAbilities {
        guard !self.tape.kind(ofTake: number).contains(.coded) else { return client }
        var client = client
        client.codings = .identity
        return client
    }
}

/// From a take to what is played of it.
extension TakeSource {
    /// The response, unless a file must be read or a content coding be put on for it.
    func immediate(for client: ClientAbilities) -> PlayableResponse? {
        guard self.fileValues == nil else { return nil }
        return PlayableResponse.immediate(self.take, for: client, isRestored: self.isRestored)
    }

    /// Returns the response in every case: not for an event loop.
    func make(for client: ClientAbilities) throws -> PlayableResponse {
        let (take, isRestored) = try self.loaded()
        return try PlayableResponse.make(take, for: client, isRestored: isRestored)
    }
}
