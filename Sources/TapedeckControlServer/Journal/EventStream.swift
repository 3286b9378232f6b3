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
            // A stream has no end that a client waits for, so nothing may follow it.
            [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("Connection", "close")],
            .pieces { writer in
                try await request.whileClientWaits {
                    for try await piece in pieces { try await writer.write(piece) }
                }
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
