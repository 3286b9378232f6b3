import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

/// A request to the control API, with the objects needed to answer it.
struct Call: Sendable {
    let request: Request
    /// The parts of the path that the route names, as they were sent.
    let parameters: [String: Substring]
    let service: ControlService

    var deck: ControlledDeck { self.service.deck }

    /// Returns a part of the path, percent-decoded.
    ///
    /// - Throws: ``Problem`` if it is not text.
    func parameter(_ name: String) throws -> String {
        guard let text = self.parameters[name], let decoded = PercentEncoding.text(String(text)) else {
            throw Problem.badRequest("the path holds a percent sign that begins no UTF-8 character")
        }
        return decoded
    }

    /// The parameters behind the question mark.
    ///
    /// - Throws: ``Problem`` for one that is not in `names`.
    func query(_ names: String...) throws -> Query {
        try Query(self.request.query, allowing: names)
    }

    // MARK: Sessions

    /// Returns the session that the path names.
    ///
    /// - Throws: ``Problem`` if it does not exist or has ended.
    func session() throws -> Session {
        let id = try self.parameter("id")
        switch self.deck.sessions.find(id) {
        case .live(let session) where !session.isEnded:
            session.touch()
            return session
        // It is being ended right now, and its report not written yet.
        case .live: throw Problem.endedSession(id, at: Instant.now.rfc3339)
        case .ended(let ended): throw Problem.endedSession(id, at: ended.time.rfc3339)
        case .unknown: throw Problem.unknownSession(id, self.deck.sessions.foreignDeck(of: id))
        }
    }

    // MARK: Bodies

    /// The number of bytes of a too large body that are read and dropped. 256 MiB. Most clients read the answer only
    /// after they have sent the whole body.
    private static let drainLimit = 256 << 20

    /// The whole body.
    ///
    /// - Parameter limit: in bytes; by default that of the configuration.
    /// - Throws: ``Problem`` when it is too large, or when the client did not send all of it.
    func bytes(limit: Int? = nil) async throws -> [UInt8] {
        let limit = limit ?? self.service.configuration.bodyLimit
        var bytes: [UInt8] = []
        var length = 0
        do {
            for try await buffer in self.request.body {
                length += buffer.readableBytes
                if length <= limit {
                    bytes += buffer.readableBytesView
                } else {
                    bytes = []
                }
                if length > limit + Self.drainLimit { break }
            }
        } catch {
            throw Self.interrupted(error)
        }
        guard length <= limit else { throw Problem.bodyTooLarge(limit) }
        return bytes
    }

    /// Returns the error for a body that cannot be read, which is the client's unless the deck is stopping.
    static func interrupted(_ error: any Error) -> any Error {
        error is CancellationError || error is Problem
            ? error : Problem.badRequest("the body ended early, or its framing is wrong")
    }

    /// Returns the body as a model.
    ///
    /// - Throws: ``Problem`` with the place of the mistake.
    func body<Model: Decodable>(_ type: Model.Type = Model.self) async throws -> Model {
        try StrictJSON.decode(type, from: try await self.bytes())
    }

    /// Decodes an optional body.
    func optionalBody<Model: Decodable>(
        _ type: Model.Type = Model.self,
        limit: Int? = nil
    ) async throws -> Model? {
        let bytes = try await self.bytes(limit: limit)
        return bytes.isEmpty ? nil : try StrictJSON.decode(type, from: bytes)
    }

    // MARK: Files

    /// Does what may wait for a disk on a thread that may wait.
    func withFiles<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await self.deck.threadPool.runIfActive(work)
    }
}
