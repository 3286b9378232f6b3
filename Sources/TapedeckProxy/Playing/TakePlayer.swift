import NIOCore
import NIOPosix
import TapedeckCore

/// Turns takes into bytes for the wire: once for each take and kind of client, then from memory. Belongs to one event
/// loop.
final class TakePlayer {
    /// What of a client's abilities matters for a take that is asked for in the usual way.
    private struct Key: Hashable {
        var take: Int
        var client: ClientAbilities
    }

    let tape: Tape
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    /// The usual client's responses, by take number: found without hashing.
    private var usual: [PlayableResponse?]
    private var others: [Key: PlayableResponse] = [:]
    private var heavy: [Key: PlayableResponse] = [:]
    private var heavyBytes = 0
    private var templates: [Int: TakeTemplates] = [:]
    /// What the cassette itself holds is lighter than this, and so are most bodies in files. 128 KiB.
    private static let lightLimit = 128 << 10
    /// 32 MiB.
    private static let heavyBudget = 32 << 20
    private static let usualClient = ClientAbilities()

    init(tape: Tape, threadPool: NIOThreadPool, eventLoop: any EventLoop) {
        self.tape = tape
        self.threadPool = threadPool
        self.eventLoop = eventLoop
        self.usual = Array(repeating: nil, count: tape.takes.count)
    }

    /// The response, if it is in memory or can be made without waiting.
    func ready(_ number: Int, for client: ClientAbilities) -> PlayableResponse? {
        let client = self.normalised(client, number)
        let isUsual = client == Self.usualClient
        if isUsual, let response = self.usual[number] { return response }
        if !isUsual, let response = self.others[Key(take: number, client: client)] { return response }
        if let response = self.heavy[Key(take: number, client: client)] { return response }
        guard let response = PlayableResponse.immediate(self.tape.takes[number], for: client) else { return nil }
        self.keep(response, take: number, client: client)
        return response
    }

    /// The response of a take that ``ready(_:for:)`` could not give at once: its file is read, its coding put on, away
    /// from the event loop.
    func prepare(_ number: Int, for client: ClientAbilities) -> EventLoopFuture<PlayableResponse> {
        let take = self.tape.takes[number]
        return self.threadPool.runIfActive(eventLoop: self.eventLoop) {
            try PlayableResponse.make(take, for: client)
        }
    }

    /// The take's texts as templates, read once.
    ///
    /// - Throws: `TemplateError` when one of them is none.
    func templates(_ number: Int) throws -> TakeTemplates {
        if let templates = self.templates[number] { return templates }
        let templates = try TakeTemplates(self.tape.takes[number])
        self.templates[number] = templates
        return templates
    }

    /// Keeps a response for the next time, within bounds: large ones share a budget, and when that is used up they are
    /// made anew as they are asked for.
    func keep(_ response: PlayableResponse, take number: Int, client: ClientAbilities) {
        let size = response.bytes.readableBytes
        if size > Self.lightLimit {
            guard size <= PlayableResponse.memoryLimit else { return }
            if self.heavyBytes + size > Self.heavyBudget {
                self.heavy.removeAll()
                self.heavyBytes = 0
            }
            self.heavyBytes += size
            self.heavy[Key(take: number, client: self.normalised(client, number))] = response
            return
        }
        let client = self.normalised(client, number)
        if client == Self.usualClient {
            self.usual[number] = response
        } else {
            self.others[Key(take: number, client: client)] = response
        }
    }

    /// The codings matter only for a take that has one, so most takes have one entry for all clients.
    private func normalised(_ client: ClientAbilities, _ number: Int) -> ClientAbilities {
        guard !self.tape.kind(ofTake: number).contains(.coded) else { return client }
        var client = client
        client.acceptsGzip = false
        client.acceptsDeflate = false
        return client
    }
}
