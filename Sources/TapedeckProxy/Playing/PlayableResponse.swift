import NIOCore
import TapedeckCore

/// A take turned into what goes on the wire for one kind of client. A class, since one reference is passed on more
/// cheaply than the parts.
final class PlayableResponse: Sendable {
    /// How the connection goes on once the bytes are out.
    enum Ending: Sendable, Equatable {
        case keepAlive
        case close
        /// The connection is cut without the ceremony that tells the client the body is complete.
        case cut
    }

    /// Head and body, ready to be written.
    let bytes: ByteBuffer
    /// A body that is too large for memory, to be sent behind `bytes`.
    let file: BodyFile?
    let framing: ResponseFraming
    let trailers: [HeaderField]
    let ending: Ending

    init(_ take: Take, plan: ResponsePlan, bytes: ByteBuffer, file: BodyFile?) {
        self.bytes = bytes
        self.file = file
        self.framing = plan.framing
        self.trailers = take.trailers
        self.ending = take.fault != nil ? .cut : plan.closes ? .close : .keepAlive
    }
}

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
            fields.append(HeaderField("Content-Encoding", coding.rawValue))
        }
        let isChunked = fields.contains(named: "transfer-encoding") || !take.trailers.isEmpty
        if client.minorVersion == 0 {
            // RFC 9112 section 6.1: HTTP/1.0 knows no transfer codings.
            fields.removeAll { $0.isNamed("transfer-encoding") }
        }
        if client.isHead || !ResponseHead.allowsBody(status: take.status) {
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
