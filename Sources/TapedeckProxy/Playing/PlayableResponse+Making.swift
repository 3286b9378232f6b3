import NIOCore
import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckHTTP1
import TapedeckProtobuf
import TapedeckSessions

/// From a take to its bytes.
extension PlayableResponse {
    /// Returns the response, unless a file must be read or a content coding applied for it.
    ///
    /// - Parameter isRestored: true if the take differs from the one on tape.
    static func immediate(
        _ take: Take,
        for client: ClientAbilities,
        isRestored: Bool = false
    ) -> PlayableResponse? {
        guard !self.isCoded(take, for: client) else { return nil }
        switch take.body {
        case .none: return self.response(take.withDigests(of: []), body: [], for: client, isRestored)
        case .inline(let body):
            let body = body.decoded
            return self.response(take.withDigests(of: body), body: body, for: client, isRestored)
        case .file(let file):
            if case .messages = take.faultOptions.after { return nil }
            return self.response(take, file: file, for: client, isRestored)
        }
    }

    /// Returns the response in every case: not for an event loop.
    static func make(
        _ take: Take,
        for client: ClientAbilities,
        isRestored: Bool = false
    ) throws -> PlayableResponse {
        if case .file(let file) = take.body, case .messages(let count) = take.faultOptions.after {
            // A large file is not read again when it is sent, so the place is found first.
            var take = take
            let ends = try PieceTimeline.ends(of: BodyPieces(.messages), in: file)
            take.faultOptions.after = .bytes(self.offset(behind: count, ends: ends, size: file.size))
            return try self.make(take, for: client, isRestored: isRestored)
        }
        if let response = self.immediate(take, for: client, isRestored: isRestored) { return response }
        var body: [UInt8]
        switch take.body {
        case .none: body = []
        case .inline(let inline): body = inline.decoded
        case .file(let file): body = try file.contents()
        }
        if let coding = take.body.coding, client.getsCoded(coding) { body = try coding.coded(body) }
        return self.response(take.withDigests(of: body), body: body, for: client, isRestored)
    }

    /// The offset behind the first `count` messages of gRPC in a body of `size` bytes, or that size if it has fewer.
    ///
    /// - Parameter ends: of its messages.
    private static func offset(behind count: Int, ends: [Int], size: Int) -> Int {
        count == 0 ? 0 : count <= ends.count ? ends[count - 1] : size
    }

    /// Returns true if there can be no body: in the answer to HEAD, and with some statuses (RFC 9110 section 6.4.1).
    static func isBodiless(_ take: Take, for client: ClientAbilities) -> Bool {
        client.isHead || !ResponseHead.allowsBody(status: take.status)
    }

    private static func isCoded(_ take: Take, for client: ClientAbilities) -> Bool {
        take.body.coding.map { client.getsCoded($0) && !client.isHead } ?? false
    }

    /// The response of a body that stays in its file: a large one, or one that HEAD leaves out.
    private static func response(
        _ take: Take,
        file: BodyFile,
        for client: ClientAbilities,
        _ isRestored: Bool
    ) -> PlayableResponse? {
        let plan = ResponsePlan(
            take: take,
            bodyLength: file.size,
            servesDecoded: file.coding.map { !client.getsCoded($0) } ?? false,
            client: client
        )
        guard file.size > TakeSource.memoryLimit || plan.framing == .none else { return nil }
        let interim = self.interim(take, for: client)
        let head = self.heads(interim, take, plan, for: client)
        let length = plan.framing == .none ? 0 : take.sentLength(of: file.size) { _ in file.size }
        return PlayableResponse(
            take,
            plan: plan,
            interim: interim,
            bytes: head,
            headLength: head.readableBytes,
            bodyLength: length,
            file: length == 0 ? nil : FileBody(file),
            client: client,
            isRestored: isRestored
        )
    }

    private static func response(
        _ take: Take,
        body: [UInt8],
        for client: ClientAbilities,
        _ isRestored: Bool
    ) -> PlayableResponse {
        let servesDecoded = take.body.coding.map { !client.getsCoded($0) } ?? false
        let plan = ResponsePlan(take: take, bodyLength: body.count, servesDecoded: servesDecoded, client: client)
        let interim = self.interim(take, for: client)
        var bytes = self.heads(interim, take, plan, for: client)
        let headLength = bytes.readableBytes
        let length =
            plan.framing == .none
            ? 0
            : take.sentLength(of: body.count) { count in
                let ends = body.withUnsafeBytes { BodyPieces(.messages).ends(of: $0) }
                return self.offset(behind: count, ends: ends, size: body.count)
            }
        if plan.framing == .chunked {
            WireHead.writeChunk(ByteBuffer(bytes: body.prefix(length)), to: &bytes)
        } else {
            bytes.writeBytes(body.prefix(length))
        }
        return PlayableResponse(
            take,
            plan: plan,
            interim: interim,
            bytes: bytes,
            headLength: headLength,
            bodyLength: length,
            file: nil,
            client: client,
            isRestored: isRestored
        )
    }

    /// RFC 9110 section 15.2: an HTTP/1.0 client is sent no 1xx.
    private static func interim(_ take: Take, for client: ClientAbilities) -> [ResponseHead] {
        guard client.version != .http10 else { return [] }
        return take.interim.map {
            ResponseHead(
                status: $0.status,
                reason: $0.reason ?? StatusPhrase.standard($0.status),
                fields: HopByHop.interim($0.headers)
            )
        }
    }

    /// The heads of a response in HTTP/1.
    static func heads(
        _ interim: [ResponseHead],
        _ take: Take,
        _ plan: ResponsePlan,
        for client: ClientAbilities
    ) -> ByteBuffer {
        let head = ResponseHead(status: take.status, reason: take.reasonPhrase, fields: plan.fields)
        return self.heads(interim, head, announcesClose: plan.announcesClose(take, to: client), for: client)
    }

    static func heads(
        _ interim: [ResponseHead],
        _ head: ResponseHead,
        announcesClose: Bool,
        for client: ClientAbilities
    ) -> ByteBuffer {
        var bytes = ByteBuffer()
        guard client.version != .http2 else { return bytes }
        for head in interim {
            WireHead.write(
                status: head.status,
                reason: head.reason,
                fields: head.fields,
                closes: false,
                isHTTP10: false,
                to: &bytes
            )
        }
        WireHead.write(
            status: head.status,
            reason: head.reason,
            fields: head.fields,
            closes: announcesClose,
            isHTTP10: client.version == .http10,
            to: &bytes
        )
        return bytes
    }
}

extension ResponsePlan {
    /// Returns true if the head says that the connection ends. Most faults are not announced; but an HTTP/1.0 client without
    /// keep-alive always gets a close.
    func announcesClose(_ take: Take, to client: ClientAbilities) -> Bool {
        self.closes && take.announcesEnd || client.version == .http10 && !client.keepsAlive
    }
}
