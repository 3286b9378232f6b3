import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckSessions

/// From a request to its response.
extension ControlService {
    /// Answers a request: the access rules first, then its route. Every error is a problem document.
    func answer(_ request: Request) async -> Response {
        var response: Response
        do {
            if let refusal = self.rules.refusal(request.visitor) { throw refusal }
            guard let (route, parameters) = self.routes.route(request.method, at: request.path) else {
                throw self.unrouted(request)
            }
            response = try await route.answer(Call(request: request, parameters: parameters, service: self))
        } catch {
            response = self.problem(error).response
        }
        response["X-Content-Type-Options"] = "nosniff"
        return response
    }

    private var rules: AccessRules {
        AccessRules(
            port: self.port,
            token: self.token,
            names: self.configuration.serverNames,
            bodyTypes: self.bodyTypes
        )
    }

    private func problem(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as SessionError: return Problem(error)
        case let error as SelectionError:
            return Problem(422, "bad-selection", "There is no such variant or profile", error.description)
        case let error as CassetteError:
            // Without the paths of the deck's machine.
            let messages = error.diagnostics.map(\.message).joined(separator: "; ")
            return Problem(422, "bad-cassette", "The cassette cannot be used", messages)
        case let error as RecordingError: return .conflict(error.description)
        case let error as FileError where error.isFull:
            return .diskFull(
                "\(error); make room. A recording that could not be saved waits in the journal of its cassette"
            )
        case let error as FileError:
            return Problem(500, "file-error", "A file cannot be read or written", error.description)
        case is CancellationError: return .stopping
        default:
            self.log.error("a request to the control API failed", metadata: ["error": "\(error)"])
            return .failed
        }
    }

    /// The path is wrong, or the method is.
    private func unrouted(_ request: Request) -> Problem {
        let allowed = self.routes.methods(at: request.path)
        guard !allowed.isEmpty else { return .unknownRoute(request.path) }
        return .wrongMethod(request.method, allowed: allowed)
    }
}

extension Request {
    /// The parts that the access rules read.
    fileprivate var visitor: AccessRules.Visitor {
        var visitor = AccessRules.Visitor(self.method, self.path)
        visitor.host = self.host
        visitor.origin = self["Origin"]
        visitor.fetchSite = self["Sec-Fetch-Site"]
        visitor.fetchMode = self["Sec-Fetch-Mode"]
        visitor.fetchDestination = self["Sec-Fetch-Dest"]
        visitor.contentType = self["Content-Type"]
        visitor.hasBody = self["Transfer-Encoding"] != nil || (self["Content-Length"].map { $0 != "0" } ?? false)
        visitor.authorization = self["Authorization"]
        return visitor
    }
}
