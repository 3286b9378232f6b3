import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TapedeckCassettes
import TapedeckCore
import TapedeckSessions

/// Turns every error into a problem document.
struct ProblemMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let routes: [ControlRoute]
    let log: Logger

    func handle(
        _ request: Request,
        context: ControlContext,
        next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = self.problem(error, request).response
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func problem(_ error: any Error, _ request: Request) -> Problem {
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
        case let error as HTTPError where error.status == .notFound: return self.unrouted(request)
        case is CancellationError: return .stopping
        default:
            self.log.error("a request to the control API failed", metadata: ["error": "\(error)"])
            return .failed
        }
    }

    /// The path is wrong, or the method is.
    private func unrouted(_ request: Request) -> Problem {
        let allowed = self.routes.methods(at: request.uri.path)
        guard !allowed.isEmpty else { return .unknownRoute(request.uri.path) }
        return .wrongMethod(request.method.rawValue, allowed: allowed)
    }
}
