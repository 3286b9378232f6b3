import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// Sessions: making, finding and ending them.
enum SessionRoutes {
    /// Sessions of one answer, at most.
    private static let limit = 1_000

    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/sessions", Self.list),
        ControlRoute(.post, "/v1/sessions", Self.create),
        ControlRoute(.get, "/v1/sessions/{id}") { call in try Reply.json(SessionModel(try call.session())) },
        ControlRoute(.delete, "/v1/sessions/{id}", Self.end),
        ControlRoute(.get, "/v1/sessions/{id}/report", Self.report),
        ControlRoute(.post, "/v1/sessions/{id}/reset") { call in
            let session = try call.session()
            session.resetAll()
            return try Reply.json(SessionModel(session))
        },
        ControlRoute(.post, "/v1/sessions/{id}/pause") { call in
            let session = try call.session()
            guard call.deck.sessions.configuration.allowsDialling else {
                throw SessionError(
                    .notAllowed,
                    "this deck only replays, so no session of it can be paused; start it with `tapedeck serve`"
                )
            }
            _ = session.pause()
            return try Reply.json(SessionModel(session))
        },
        ControlRoute(.post, "/v1/sessions/{id}/resume") { call in
            let session = try call.session()
            _ = session.resume()
            return try Reply.json(SessionModel(session))
        },
    ]

    private static func list(_ call: Call) async throws -> Response {
        let query = try call.query("search", "offset", "limit")
        let offset = try query.number("offset", in: 0...1_000_000) ?? 0
        let limit = try query.number("limit", in: 1...self.limit) ?? self.limit
        let search = ASCII.lowercased(query.text("search") ?? "")
        let found = call.deck.sessions.sessions.filter { session in
            search.isEmpty || ASCII.lowercased(session.id).contains(search)
                || ASCII.lowercased(session.name).contains(search)
        }
        let sessions = found.dropFirst(offset).prefix(limit).map { SessionModel($0) }
        return try Reply.json(SessionList(sessions: sessions, total: found.count))
    }

    private static func create(_ call: Call) async throws -> Response {
        let limit = call.service.configuration.sessionBodyLimit
        let wanted = try await call.optionalBody(SessionRequest.self, limit: limit) ?? SessionRequest()
        let sessions = call.deck.sessions
        let origin = try Self.reverse(wanted)
        let session = try await call.withFiles {
            let request = try SessionDirectory.Request(wanted, sessions)
            do {
                return try sessions.create(request)
            } catch let error as SessionError {
                throw Problem(error, files: wanted.files ?? [:])
            }
        }
        var model = SessionModel(session, showsToken: true)
        if let port = wanted.port {
            do {
                model.port = try await call.deck.openPort(session, port, origin)
            } catch {
                _ = await sessions.end(session.id)
                throw Problem.conflict("port \(port) cannot be opened for the session: \(error)")
            }
        }
        var response = try Reply.json(model, status: 201)
        // An id holds nothing that would have to be encoded.
        response["Location"] = "/v1/sessions/\(session.id)"
        return response
    }

    private static func reverse(_ wanted: SessionRequest) throws -> Origin? {
        if let port = wanted.port, !(0...65_535).contains(port) {
            throw Problem.badBody("/port", "\(port) must be a port from 0 to 65535")
        }
        guard let reverse = wanted.reverse else { return nil }
        guard wanted.port != nil else {
            throw Problem.badBody("/reverse", "this goes with a `port` only")
        }
        guard let origin = Origin(reverse) else {
            throw Problem.badBody("/reverse", "this must be an origin such as https://api.example.com")
        }
        return origin
    }

    private static func end(_ call: Call) async throws -> Response {
        let session = try call.session()
        guard session !== call.deck.sessions.default else {
            throw Problem.conflict("the default session ends with the deck; POST /v1/sessions/default/reset resets it")
        }
        guard let ended = await call.deck.sessions.end(session.id) else {
            throw Problem.endedSession(session.id, at: Instant.now.rfc3339)
        }
        return try Reply.json(ReportModel(ended))
    }

    private static func report(_ call: Call) async throws -> Response {
        let id = try call.parameter("id")
        switch call.deck.sessions.find(id) {
        case .live(let session): return try Reply.json(ReportModel(session.report()))
        case .ended(let ended): return try Reply.json(ReportModel(ended))
        case .unknown: throw Problem.unknownSession(id, call.deck.sessions.foreignDeck(of: id))
        }
    }
}
