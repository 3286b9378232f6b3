import HTTPTypes
import Hummingbird
import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// The requests of a session that wait until somebody lets them go.
enum HeldRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/sessions/{id}/held", Self.list),
        ControlRoute(.post, "/v1/sessions/{id}/held/{number}", Self.release),
        ControlRoute(.post, "/v1/sessions/{id}/held/{number}/tape", Self.tape),
    ]

    // MARK: Waiting

    private static func list(_ call: Call) async throws -> Response {
        let query = try call.query("after", "within")
        let waiting = HeldWait(
            session: try call.session(),
            version: try query.number("after", in: 0...Int.max) ?? 0,
            ending: call.service.longRequests.ending
        )
        guard let within = query.text("within") else {
            return try Reply.json(try await call.withFiles { waiting.now })
        }
        let time = try Call.patience(within) { Problem.badRequest("`within`: \($0)") }
        return try await call.answer {
            await waiting.run(within: time)
            return try await call.withFiles { waiting.now }
        }
    }

    // MARK: Letting go

    private struct ReleaseRequest: Decodable {
        var proceed: Bool?
        var take: RawJSON?
    }

    private static func release(_ call: Call) async throws -> Response {
        let session = try call.session()
        let (text, number) = try self.number(call)
        let wanted = try await call.body(ReleaseRequest.self)
        let answer = try self.answer(wanted)
        // The search among many sets, and the explanation of a miss, may be slow.
        let isHeld = try await call.withFiles {
            answer.map { session.release(held: number, with: $0.take, after: $0.delay) }
                ?? session.proceed(held: number)
        }
        guard isHeld else { throw Self.unknown(text) }
        return Reply.nothing
    }

    /// The answer that somebody gives; `nil` where the request is to proceed.
    private static func answer(_ wanted: ReleaseRequest) throws -> CassetteJSON.Answer? {
        switch (wanted.proceed, wanted.take) {
        case (nil, .some(let take)): return try CassetteShapes.answer(take.value, at: "/take")
        case (true, nil): return nil
        case (.some, .some): throw Problem.badBody("/proceed", "this does not go with `take`")
        case (false, nil): throw Problem.badBody("/proceed", "this is true, or left out for a `take`")
        case (nil, nil):
            throw Problem.badBody("", "this needs `proceed`, to have the tape answer, or `take`, which is the answer")
        }
    }

    private static func tape(_ call: Call) async throws -> Response {
        let session = try call.session()
        let (text, number) = try self.number(call)
        let model: TapeAnswerModel?
        do {
            model = try await call.withFiles { try session.tapeAnswer(held: number).map(TapeAnswerModel.init) }
        } catch {
            throw Problem.conflict(
                "what is on tape cannot be played: \(error); repair the cassette, or let the request go with a `take`"
            )
        }
        guard let model else { throw self.unknown(text) }
        return try Reply.json(model)
    }

    private static func number(_ call: Call) throws -> (text: String, number: Int) {
        let text = try call.parameter("number")
        guard let number = Int(text) else { throw self.unknown(text) }
        return (text, number)
    }

    private static func unknown(_ number: String) -> Problem {
        .notFound(
            "unknown-held",
            "the session holds no request \(number): it was let go already, its client is gone, or there never was one"
        )
    }
}
