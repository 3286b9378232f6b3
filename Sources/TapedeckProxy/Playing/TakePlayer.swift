import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore

/// Turns takes into bytes for the wire: once for each take and kind of client, then from memory. Belongs to one event
/// loop.
final class TakePlayer {
    /// A larger body is not kept in memory; from a file it is sent piece by piece.
    private static let memoryLimit = 1 << 20

    /// What of a client's abilities matters for a take that is asked for in the usual way.
    private struct Key: Hashable {
        var take: Int
        var client: ClientAbilities
    }

    private let tape: Tape
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    /// The usual client's responses, by take number: found without hashing.
    private var usual: [PlayableResponse?]
    private var others: [Key: PlayableResponse] = [:]
    private var heavy: [Key: PlayableResponse] = [:]
    private var heavyBytes = 0
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
        let take = self.tape.takes[number]
        guard take.body.coding == nil || !Self.codes(take, for: client) else { return nil }
        let response: PlayableResponse
        switch take.body {
        case .none: response = Self.response(take, body: [], for: client)
        case .inline(let body): response = Self.response(take, body: body.decoded, for: client)
        case .file(let file):
            // A body in a file is read elsewhere; a large one, or one that HEAD leaves out, is not read at all.
            let plan = ResponsePlan(
                take: take,
                bodyLength: file.size,
                servesDecoded: file.coding.map { !client.accepts($0) } ?? false,
                client: client
            )
            guard file.size > Self.memoryLimit || plan.framing == .none else { return nil }
            let head = Self.head(take, plan: plan, for: client)
            response = PlayableResponse(take, plan: plan, bytes: head, file: plan.framing == .none ? nil : file)
        }
        self.keep(response, take: number, client: client)
        return response
    }

    /// The response of a take that ``ready(_:for:)`` could not give at once: its file is read, its coding put on, away
    /// from the event loop.
    func prepare(_ number: Int, for client: ClientAbilities) -> EventLoopFuture<PlayableResponse> {
        let take = self.tape.takes[number]
        return self.threadPool.runIfActive(eventLoop: self.eventLoop) {
            var body: [UInt8]
            switch take.body {
            case .none: body = []
            case .inline(let inline): body = inline.decoded
            case .file(let file): body = try FileContents.read(file.path)
            }
            if let coding = take.body.coding, client.accepts(coding) {
                body = try ContentCoder.encode(body, coding)
            }
            return Self.response(take, body: body, for: client)
        }
    }

    /// Keeps a response for the next time, within bounds: large ones share a budget, and when that is used up they are
    /// made anew as they are asked for.
    func keep(_ response: PlayableResponse, take number: Int, client: ClientAbilities) {
        let size = response.bytes.readableBytes
        if size > Self.lightLimit {
            guard size <= Self.memoryLimit else { return }
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

    private static func codes(_ take: Take, for client: ClientAbilities) -> Bool {
        take.body.coding.map { client.accepts($0) && !client.isHead } ?? false
    }

    private static func response(_ take: Take, body: [UInt8], for client: ClientAbilities) -> PlayableResponse {
        let servesDecoded = take.body.coding.map { !client.accepts($0) } ?? false
        let plan = ResponsePlan(take: take, bodyLength: body.count, servesDecoded: servesDecoded, client: client)
        var bytes = Self.head(take, plan: plan, for: client)
        switch plan.framing {
        case .none:
            break
        case .length, .untilClose:
            bytes.writeBytes(body)
        case .chunked:
            WireHead.writeChunk(ByteBuffer(bytes: body), to: &bytes)
            if take.fault != .truncatedBody {
                WireHead.writeLastChunk(trailers: take.trailers, to: &bytes)
            }
        }
        return PlayableResponse(take, plan: plan, bytes: bytes, file: nil)
    }

    private static func head(_ take: Take, plan: ResponsePlan, for client: ClientAbilities) -> ByteBuffer {
        var bytes = ByteBuffer()
        for interim in take.interim where client.minorVersion == 1 {
            WireHead.write(
                status: interim.status,
                reason: interim.reason ?? StatusPhrase.standard(interim.status),
                fields: interim.headers,
                closes: false,
                client: ClientAbilities(),
                to: &bytes
            )
        }
        WireHead.write(
            status: take.status,
            reason: take.reasonPhrase,
            fields: plan.fields,
            closes: plan.closes && take.fault == nil,
            client: client,
            to: &bytes
        )
        return bytes
    }
}
