import NIOCore
import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// Answers that HTTP derives from takes: conditions and ranges that were not recorded.
extension PlayableResponse {
    /// More ranges than this in one request get the whole body (RFC 9110 section 14.2).
    private static let rangeLimit = 64

    /// Returns the response: not for an event loop.
    ///
    /// - Parameters:
    ///   - take: the take as it plays.
    ///   - other: returns another take of the tape as it plays, by number.
    /// - Throws: an error if a body cannot be read, or is not of the recorded size.
    static func make(
        _ excerpt: Excerpt,
        of take: Take,
        for client: ClientAbilities,
        isRestored: Bool,
        other: (Int) throws -> Take
    ) throws -> PlayableResponse {
        switch excerpt {
        case .notModified:
            // RFC 9110 section 15.4.5: what describes the content stays away.
            return self.response(take.head(status: 304, without: Self.contentFields), nil, for: client, isRestored)
        case .preconditionFailed:
            return self.response(take.head(status: 412, without: Self.contentFields), nil, for: client, isRestored)
        case .unsatisfiable(let size):
            return self.response(take.unsatisfiable(size), nil, for: client, isRestored)
        case .ranges(let ranges):
            guard ranges.count <= Self.rangeLimit else {
                return try self.make(take, for: client, isRestored: isRestored)
            }
            let (plain, body) = try self.whole(take, for: client)
            let found = ranges.compactMap { $0.bytes(of: body.size) }
            guard !found.isEmpty else {
                return self.response(take.unsatisfiable(body.size), nil, for: client, isRestored)
            }
            guard found.reduce(0, { $0 + $1.count }) <= body.size else {
                return try self.make(take, for: client, isRestored: isRestored)
            }
            let (partial, part) = found.count == 1 ? plain.partial(found[0], of: body) : plain.partial(found, of: body)
            return self.response(partial, part, for: client, isRestored)
        case .parts(let parts, let content, let isPart):
            let body = FileBody(try parts.map { part in try other(part.take).part(part.bytes) })
            guard body.size == content.bytes.count else { throw OtherSize() }
            let plain = take.head(status: isPart ? 206 : 200, without: Self.lengthFields)
            var partial = plain
            if isPart { partial.headers.append(HeaderField("Content-Range", content.text)) }
            partial.headers.append(HeaderField("Content-Length", String(body.size)))
            return self.response(partial, body, for: client, isRestored)
        }
    }

    /// A recorded part has another size now than its Content-Range says.
    private struct OtherSize: Error, CustomStringConvertible {
        let description = "a recorded part of the body is not of the size that its Content-Range says"
    }

    fileprivate static let lengthFields = [
        "content-length", "content-range", "transfer-encoding", "trailer", "content-md5", "content-digest",
    ]
    private static let contentFields =
        lengthFields + ["content-encoding", "content-type", "content-language", "accept-ranges"]

    /// The body as the client gets it, and the take with the fields of that.
    private static func whole(_ take: Take, for client: ClientAbilities) throws -> (Take, FileBody) {
        var take = take
        var body = FileBody([])
        switch take.body {
        case .none: break
        case .inline(let inline): body = FileBody([.memory(inline.decoded)])
        case .file(let file): body = FileBody(file)
        }
        if let coding = take.body.coding {
            if client.getsCoded(coding) {
                body = FileBody([.memory(try coding.coded(try body.contents()))])
                if !take.headers.contains(named: "content-encoding") {
                    take.headers.append(HeaderField("Content-Encoding", coding.fieldValue))
                }
            } else {
                take.headers.removeAll { $0.isNamed("content-encoding") }
            }
        }
        return (take, body)
    }

    /// - Parameter body: `nil` for none.
    private static func response(
        _ take: Take,
        _ body: FileBody?,
        for client: ClientAbilities,
        _ isRestored: Bool
    ) -> PlayableResponse {
        let size = body?.size ?? 0
        let plan = ResponsePlan(take: take, bodyLength: size, servesDecoded: false, client: client)
        let head = self.heads([], take, plan, for: client)
        return PlayableResponse(
            take,
            plan: plan,
            interim: [],
            bytes: head,
            headLength: head.readableBytes,
            bodyLength: plan.framing == .none ? 0 : size,
            file: plan.framing == .none || size == 0 ? nil : body,
            client: client,
            isRestored: isRestored
        )
    }
}

extension Take {
    /// The take with another status, without a body and some fields.
    fileprivate func head(status: Int, without names: [String]) -> Take {
        var take = self
        take.status = status
        take.reason = nil
        take.body = .none
        take.pieces = nil
        take.trailers = []
        take.interim = []
        take.endsAtClose = false
        take.headers.removeAll { field in
            // A checksum of the whole, which a client would compare with the part.
            names.contains { field.isNamed($0) } || ASCII.lowercased(field.name).hasPrefix("x-amz-checksum-")
        }
        return take
    }

    fileprivate func unsatisfiable(_ size: Int) -> Take {
        var take = self.head(
            status: 416,
            without: PlayableResponse.lengthFields + ["content-encoding", "content-type"]
        )
        take.headers.append(HeaderField("Content-Range", ContentRange.unsatisfied(size)))
        take.headers.append(HeaderField("Content-Length", "0"))
        return take
    }

    fileprivate func partial(_ bytes: Range<Int>, of body: FileBody) -> (Take, FileBody) {
        var take = self.head(status: 206, without: PlayableResponse.lengthFields)
        take.headers.append(HeaderField("Content-Range", ContentRange(bytes, of: body.size).text))
        take.headers.append(HeaderField("Content-Length", String(bytes.count)))
        return (take, FileBody(body.slices(bytes)))
    }

    /// Several ranges, as parts of a multipart body (RFC 9110 section 14.6).
    fileprivate func partial(_ ranges: [Range<Int>], of body: FileBody) -> (Take, FileBody) {
        var take = self.head(status: 206, without: PlayableResponse.lengthFields + ["content-type"])
        let type = self.headers.first(named: "content-type")
        let boundary = "tapedeck-range-\(body.size)-\(ranges.count)-\(ranges[0].lowerBound)"
        var parts: [FileBody.Part] = []
        for bytes in ranges {
            var head = "\r\n--\(boundary)\r\n"
            if let type { head += "Content-Type: \(type)\r\n" }
            head += "Content-Range: \(ContentRange(bytes, of: body.size).text)\r\n\r\n"
            parts += [.memory(Array(head.utf8))] + body.slices(bytes)
        }
        parts.append(.memory(Array("\r\n--\(boundary)--\r\n".utf8)))
        let content = FileBody(parts)
        take.headers.append(HeaderField("Content-Type", "multipart/byteranges; boundary=\(boundary)"))
        take.headers.append(HeaderField("Content-Length", String(content.size)))
        return (take, content)
    }

    /// Bytes of its body.
    fileprivate func part(_ bytes: Range<Int>) throws -> FileBody.Part {
        switch self.body {
        case .none: return .memory([])
        case .inline(let body):
            let content = body.decoded
            return .memory(Array(content[bytes.clamped(to: 0..<content.count)]))
        case .file(let file): return .file(file, bytes)
        }
    }
}

extension FileBody {
    /// Bytes of a body of one part.
    fileprivate func slices(_ bytes: Range<Int>) -> [Part] {
        switch self.parts.first {
        case .memory(let all): [.memory(Array(all[bytes]))]
        case .file(let file, _): [.file(file, bytes)]
        case nil: []
        }
    }
}
