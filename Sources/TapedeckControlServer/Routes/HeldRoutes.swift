import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// The requests of a session that wait until they are released.
enum HeldRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/sessions/{id}/held", Self.list),
        ControlRoute(.post, "/v1/sessions/{id}/held/{number}", Self.release),
        ControlRoute(.post, "/v1/sessions/{id}/held/{number}/tape", Self.tape),
        ControlRoute(.get, "/v1/sessions/{id}/held/{number}/body", Self.body),
        ControlRoute(.post, "/v1/sessions/{id}/held/{number}/body", taking: "application/octet-stream", Self.send),
        ControlRoute(.post, "/v1/sessions/{id}/held/{number}/end", Self.end),
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

    /// Answers with the whole body of a held request, without its content coding.
    private static func body(_ call: Call) async throws -> Response {
        let session = try call.session()
        let (text, number) = try self.number(call)
        guard let request = session.heldRequest(number) else { throw Self.unknown(text) }
        let bytes = try await call.withFiles {
            request.body.map { ReadableBody($0, request.entry.request.fields, limit: UsageLimits.heldBody).bytes }
        }
        guard let bytes else { throw Problem.heldBodyTooLarge(text) }
        return Reply.bytes(bytes, "application/octet-stream")
    }

    // MARK: Letting go

    private struct ReleaseRequest: Decodable {
        var proceed: Bool?
        var take: RawJSON?
        var open: RawJSON?
    }

    private static func release(_ call: Call) async throws -> Response {
        let session = try call.session()
        let (text, number) = try self.number(call)
        let wanted = try await call.body(ReleaseRequest.self)
        if let head = wanted.open { return try await self.open(head, wanted, session, text, number) }
        let answer = try self.answer(wanted, session.sentFiles)
        // The search among many sets, and the explanation of a miss, may be slow.
        let isHeld = try await call.withFiles {
            answer.map { session.release(held: number, with: $0.take, after: $0.delay) }
                ?? session.proceed(held: number)
        }
        guard isHeld else { throw Self.unknown(text) }
        return Reply.nothing
    }

    /// The answer that somebody gives; `nil` where the request is to proceed.
    private static func answer(_ wanted: ReleaseRequest, _ files: SessionFiles) throws -> CassetteJSON.Answer? {
        switch (wanted.proceed, wanted.take) {
        case (nil, .some(let take)): return try CassetteShapes.answer(take.value, files: files, at: "/take")
        case (true, nil): return nil
        case (.some, .some): throw Problem.badBody("/proceed", "this does not go with `take`")
        case (false, nil): throw Problem.badBody("/proceed", "this is true, or left out for a `take`")
        case (nil, nil):
            throw Problem.badBody(
                "",
                "this needs `proceed`, to have the tape answer, `take`, which is the answer, or `open`, its head"
            )
        }
    }

    // MARK: Answers that come part by part

    /// Begins an answer whose body comes later.
    private static func open(
        _ head: RawJSON,
        _ wanted: ReleaseRequest,
        _ session: Session,
        _ text: String,
        _ number: Int
    ) async throws -> Response {
        guard wanted.proceed == nil, wanted.take == nil else {
            throw Problem.badBody("/open", "this goes with neither `proceed` nor `take`")
        }
        let answer = try CassetteShapes.answer(head.value, at: "/open")
        guard answer.delay == nil, answer.take.isHeadAlone else {
            throw Problem.badBody("/open", "this has `status`, `reason` and `headers` alone; the body follows")
        }
        guard session.open(held: number, with: answer.take) else { throw Self.unknown(text) }
        return Reply.nothing
    }

    private static func send(_ call: Call) async throws -> Response {
        let answer = try self.openAnswer(call)
        let bytes = try await call.bytes()
        do {
            try await answer.send(bytes)
        } catch is OpenAnswer.Ended {
            throw self.ended(answer.number)
        }
        return Reply.nothing
    }

    private struct EndRequest: Decodable {
        var ending: String?
    }

    private static func end(_ call: Call) async throws -> Response {
        let answer = try self.openAnswer(call)
        let word = try await call.optionalBody(EndRequest.self)?.ending ?? OpenAnswer.Ending.complete.rawValue
        guard let ending = OpenAnswer.Ending(rawValue: word) else {
            let endings = OpenAnswer.Ending.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.badBody("/ending", "this must be one of \(endings)")
        }
        do {
            try await answer.end(ending)
        } catch is OpenAnswer.Ended {
            throw self.ended(answer.number)
        }
        return Reply.nothing
    }

    private static func openAnswer(_ call: Call) throws -> OpenAnswer {
        let session = try call.session()
        let (_, number) = try self.number(call)
        guard let answer = session.openAnswer(number) else { throw self.ended(number) }
        return answer
    }

    private static func ended(_ number: Int) -> Problem {
        .notFound(
            "unknown-open-answer",
            "request \(number) gets no answer part by part: it was not begun with `open`, it has ended, or its client is gone"
        )
    }

    // MARK: The tape

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
