import TapedeckCassettes
import TapedeckControlAPI
import TapedeckHTTP1
import TapedeckSessions

/// An error as a client of the control API gets it (RFC 9457).
struct Problem: Error, Sendable, Equatable {
    var model: ProblemModel
    /// Header fields that belong to the status.
    var headers: [[String]] = []

    /// - Parameters:
    ///   - name: the word for programs.
    ///   - detail: what went wrong with this request, and what to do about it.
    init(
        _ status: Int,
        _ name: String,
        _ title: String,
        _ detail: String,
        errors: [ProblemModel.Detail]? = nil,
        headers: [[String]] = []
    ) {
        self.model = ProblemModel(
            type: Self.base + name,
            title: title,
            status: status,
            detail: detail,
            errors: errors
        )
        self.headers = headers
    }

    static let base = "https://tapedeck.local/problems/"

    // MARK: Requests

    static func badRequest(_ detail: String) -> Problem {
        Problem(400, "bad-request", "The request is not right", detail)
    }

    /// A request that is not HTTP.
    static func malformed(_ message: MalformedMessage) -> Problem {
        Problem(message.status, "bad-request", "The request is not right", message.reason)
    }

    static func badBody(_ errors: [ProblemModel.Detail]) -> Problem {
        let first = errors.first.map { "\($0.pointer.isEmpty ? "the body" : $0.pointer): \($0.detail)" } ?? ""
        let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        return Problem(422, "bad-body", "The body is not right", first + more, errors: errors)
    }

    static func badBody(_ pointer: String, _ detail: String) -> Problem {
        .badBody([ProblemModel.Detail(pointer: pointer, detail: detail)])
    }

    static func bodyTooLarge(_ limit: Int) -> Problem {
        Problem(413, "body-too-large", "The body is too large", "a body may have at most \(limit) bytes")
    }

    static func unknownRoute(_ path: String) -> Problem {
        Problem(404, "unknown-route", "There is nothing here", "the control API has no \(path); see /openapi.json")
    }

    static func wrongMethod(_ method: String, allowed: [String]) -> Problem {
        Problem(
            405,
            "wrong-method",
            "The method is not allowed here",
            "\(method) is not allowed here; \(allowed.joined(separator: ", ")) is",
            headers: [["Allow", allowed.joined(separator: ", ")]]
        )
    }

    // MARK: Things that are not there

    static func notFound(_ name: String, _ detail: String) -> Problem {
        Problem(404, name, "There is no such thing", detail)
    }

    /// - Parameter foreign: the deck that made it, where the id says so.
    static func unknownSession(_ id: String, _ foreign: SessionDirectory.ForeignDeck? = nil) -> Problem {
        let remedy =
            id == "default"
            ? "on this deck every request must name a session: make one with POST /v1/sessions"
            : "GET /v1/sessions lists those there are"
        return .notFound("unknown-session", "there is no session \"\(id)\"; \(foreign?.description ?? remedy)")
    }

    static func endedSession(_ id: String, at time: String) -> Problem {
        Problem(
            410,
            "session-ended",
            "The session is over",
            "the session \"\(id)\" ended at \(time); its report is at /v1/sessions/\(id)/report"
        )
    }

    static func heldBodyTooLarge(_ number: String) -> Problem {
        Problem(
            413,
            "held-body-limit",
            "The body is too large",
            "the body of request \(number) is longer than the \(UsageLimits.heldBody >> 20) MiB that a deck keeps of a request "
                + "that it holds (held-body-limit), or was not complete when the request was held; let the request go, or "
                + "answer it without its body"
        )
    }

    static func conflict(_ detail: String) -> Problem {
        Problem(409, "conflict", "Something else is in the way", detail)
    }

    // MARK: The server

    static func tooManyLongRequests(_ limit: Int) -> Problem {
        Problem(
            503,
            "too-many-waiting",
            "Too many requests are waiting",
            "\(limit) requests wait or stream already; end some of them first",
            headers: [["Retry-After", "1"]]
        )
    }

    /// RFC 4918 section 11.5.
    static func diskFull(_ detail: String) -> Problem { Problem(507, "disk-full", "The disk is full", detail) }

    static var stopping: Problem { Problem(503, "stopping", "The deck stops", "the deck is stopping") }

    static var failed: Problem {
        Problem(500, "failed", "Something went wrong in Tapedeck", "the request failed; the deck's log says why")
    }
}

extension Problem {
    /// - Parameter files: those that were sent with the request; errors in one of them name it separately.
    init(_ error: SessionError, files: [String: SessionFile]) {
        self.init(error)
        let errors = error.diagnostics.filter { files[$0.path] != nil }.map { found in
            ProblemModel.Detail(pointer: "/files/\(StrictJSON.escaped(found.path))", detail: found.description)
        }
        if !errors.isEmpty { self.model.errors = errors }
    }

    init(_ error: SessionError) {
        switch error.kind {
        case .badRequest: self.init(422, "bad-session", "No session can be so", error.description)
        case .badSelection: self.init(422, "bad-selection", "There is no such variant or profile", error.description)
        case .badCassette: self.init(422, "bad-cassette", "The cassette cannot be used", error.description)
        case .notAllowed: self.init(403, "not-allowed", "This deck does not do that", error.description)
        case .limit: self.init(503, "too-many-sessions", "There are too many sessions", error.description)
        case .disk: self = .diskFull(error.description)
        case .conflict: self = .conflict(error.description)
        }
    }
}
