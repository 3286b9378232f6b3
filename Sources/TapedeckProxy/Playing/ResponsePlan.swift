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
        self.closes = !client.keepsAlive
        if servesDecoded {
            fields.removeAll { $0.isNamed("content-encoding") }
        } else if let coding = take.body.coding, !fields.contains(named: "content-encoding") {
            // A take written by hand says how the body is to be coded once, not twice.
            fields.append(HeaderField("Content-Encoding", coding.fieldValue))
        }
        let isChunked =
            fields.contains(named: "transfer-encoding") || !take.trailers.isEmpty || take.fault == .malformedChunk
        if client.minorVersion == 0 {
            // RFC 9112 section 6.1: HTTP/1.0 knows no transfer codings.
            fields.removeAll { $0.isNamed("transfer-encoding") }
        }
        if PlayableResponse.isBodiless(take, for: client) {
            self.framing = .none
            self.fields = fields
            return
        }
        if take.fault == .truncatedBody {
            // The length stays what the origin promised; that the client misses part of it is the point.
            self.framing = isChunked && client.minorVersion == 1 ? .chunked : .untilClose
            self.closes = true
        } else if take.endsAtClose {
            self.framing = .untilClose
            self.closes = true
        } else if isChunked, client.minorVersion == 1 {
            self.framing = .chunked
            fields.removeAll { $0.isNamed("content-length") }
            if !fields.contains(named: "transfer-encoding") {
                fields.append(HeaderField("Transfer-Encoding", "chunked"))
            }
        } else {
            self.framing = .length(bodyLength)
            if let index = fields.firstIndex(where: { $0.isNamed("content-length") }) {
                // A body edited by hand, or coded again, has another length than the recorded one.
                fields[index].value = String(bodyLength)
            } else {
                fields.append(HeaderField("Content-Length", String(bodyLength)))
            }
        }
        self.fields = fields
    }
}
