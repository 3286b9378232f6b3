import TapedeckCore

/// The fields of a take as a given client gets them, and how its body is framed.
struct ResponsePlan: Sendable {
    var fields: [HeaderField]
    var framing: ResponseFraming
    var closes: Bool

    /// - Parameters:
    ///   - bodyLength: the body's length on the wire, content coding included.
    ///   - servesDecoded: the client does not take the coding that the body had, so it gets the body without.
    init(take: Take, bodyLength: Int, servesDecoded: Bool, client: ClientAbilities) {
        var fields = take.headers
        self.closes = !client.keepsAlive || take.fault == .goAway
        self.framing = .none
        self.fields = []
        if servesDecoded {
            fields.removeAll { $0.isNamed("content-encoding") }
        } else if let coding = take.body.coding, !fields.contains(named: "content-encoding") {
            // A take written by hand gives the coding once, not twice.
            fields.append(HeaderField("Content-Encoding", coding.fieldValue))
        }
        let isChunked =
            fields.contains(named: "transfer-encoding") || !take.trailers.isEmpty || take.fault == .malformedChunk
        if client.version != .http11 {
            // RFC 9112 section 6.1: HTTP/1.0 knows no transfer codings; RFC 9113 section 8.1: nor does HTTP/2.
            fields.removeAll { $0.isNamed("transfer-encoding") }
        }
        if PlayableResponse.isBodiless(take, for: client) {
            if client.version == .http2 { fields.removeAll { HopByHop.isOfConnection($0) } }
            self.fields = fields
            return
        }
        if client.version == .http2 {
            self.planStream(take, bodyLength, &fields)
        } else if take.fault == .truncatedBody {
            // The length stays what the origin promised; that the client misses part of it is the point.
            self.framing = isChunked && client.version == .http11 ? .chunked : .untilClose
            self.closes = true
        } else if take.endsAtClose {
            self.framing = .untilClose
            self.closes = true
        } else if isChunked, client.version == .http11 {
            self.framing = .chunked
            fields.removeAll { $0.isNamed("content-length") }
            if !fields.contains(named: "transfer-encoding") {
                fields.append(HeaderField("Transfer-Encoding", "chunked"))
            }
        } else {
            self.framing = .length(bodyLength)
            if !Self.correctLength(bodyLength, &fields) {
                fields.append(HeaderField("Content-Length", String(bodyLength)))
            }
        }
        self.fields = fields
    }

    /// HTTP/2 frames the body, so a length is included only if the take has one (RFC 9113 section 8.1.1).
    private mutating func planStream(_ take: Take, _ bodyLength: Int, _ fields: inout [HeaderField]) {
        self.framing = .stream
        // RFC 9113 section 8.2.2: fields about a connection make a message malformed.
        fields.removeAll { HopByHop.isOfConnection($0) }
        if take.fault != .truncatedBody { Self.correctLength(bodyLength, &fields) }
    }

    /// A body edited by hand, or coded again, has another length than the recorded one. Returns false if no field says it.
    @discardableResult
    private static func correctLength(_ bodyLength: Int, _ fields: inout [HeaderField]) -> Bool {
        guard let index = fields.firstIndex(where: { $0.isNamed("content-length") }) else { return false }
        fields[index].value = String(bodyLength)
        return true
    }
}
