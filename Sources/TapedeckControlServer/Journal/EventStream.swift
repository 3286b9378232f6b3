import Hummingbird
import NIOCore
import TapedeckControlAPI

/// Text of an event stream (HTML standard, section 9.2).
enum EventStream {
    /// An event with a model as its data.
    static func text(_ name: String, id: Int? = nil, _ model: some Encodable) throws -> [UInt8] {
        let id = id.map { "id: \($0)\n" } ?? ""
        // JSON on one line holds no line break.
        return Array("event: \(name)\n\(id)data: ".utf8) + (try Reply.encode(model)) + Array("\n\n".utf8)
    }

    /// Keeps an idle connection alive.
    static let heartbeat = Array(": still here\n\n".utf8)

    /// A response that sends what a sequence makes, piece by piece as the client takes it, until the sequence ends or
    /// the client goes.
    static func response<Pieces: AsyncSequence & Sendable>(
        to request: Request,
        _ pieces: Pieces
    ) -> Response where Pieces.Element == ByteBuffer {
        Response(
            status: .ok,
            // The connection is read from to see its end, so no other request can follow on it.
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close"],
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    for try await piece in pieces { try await writer.write(piece) }
                }
                try await writer.finish(nil)
            }
        )
    }
}

/// The data of `missed`: entries that were dropped before they were sent.
struct MissedModel: Codable, Sendable {
    var count: Int
}

/// The data of `sessions`.
struct SessionCountModel: Codable, Sendable {
    /// Live sessions.
    var count: Int
}
