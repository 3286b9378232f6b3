import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// The routes of a session's journal.
enum JournalRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/sessions/{id}/journal", Self.page),
        ControlRoute(.delete, "/v1/sessions/{id}/journal") { call in
            try call.session().journal.clear()
            return Reply.nothing
        },
        ControlRoute(.get, "/v1/sessions/{id}/journal/{number}") { call in
            let session = try call.session()
            let entry = try Self.entry(call)
            let limit = try call.query("limit").number("limit", in: 0...JournalEntryModel.largestBodyLimit)
            return try Reply.json(
                try await call.withFiles {
                    JournalEntryModel(whole: entry, bodyLimit: limit ?? JournalEntryModel.bodyLimit)
                        .shown(by: session, entry)
                }
            )
        },
        ControlRoute(.get, "/v1/sessions/{id}/journal/{number}/request-body") { call in
            let entry = try Self.entry(call)
            guard let body = entry.requestBody else { throw Self.noBody(entry, "request") }
            return Self.raw(ReadableBody(body, entry.request.fields), isWhole: body.isWhole)
        },
        ControlRoute(.get, "/v1/sessions/{id}/journal/{number}/response-body") { call in
            let entry = try Self.entry(call)
            if let response = entry.response {
                return Self.raw(ReadableBody(response.body, response.fields), isWhole: response.body.isWhole)
            }
            guard case .played(let answer) = entry.outcome, !answer.names.take.isFaultAlone else {
                throw Self.noBody(entry, "response")
            }
            return Self.raw(try await call.withFiles { ReadableBody(answer.names.take.body) }, isWhole: true)
        },
        ControlRoute(.post, "/v1/sessions/{id}/journal/query", Self.query),
        ControlRoute(.post, "/v1/sessions/{id}/journal/wait", Self.wait),
        ControlRoute(.post, "/v1/sessions/{id}/texts") { call in
            let session = try call.session()
            let texts = try await call.body(ShownTexts.self).texts
            return try Reply.json(ShownTexts(texts: try await call.withFiles { texts.map { session.shown($0) } }))
        },
    ]

    // MARK: Pages

    /// Entries of a page, at most; fewer with their bodies.
    private static let pageLimit = 1_000
    private static let pageLimitWithBodies = 100

    private static func page(_ call: Call) async throws -> Response {
        let query = try call.query("after", "before", "limit", "outcome", "search", "bodies")
        var filter = JournalFilter()
        filter.after = try query.number("after", in: 0...(.max - 1))
        filter.before = try query.number("before", in: 0...Int.max)
        filter.outcome = query.text("outcome")
        filter.search = query.text("search")
        if let outcome = filter.outcome, !JournalEntryModel.outcomes.contains(outcome) {
            throw Problem.badRequest("`outcome` must be one of \(JournalEntryModel.outcomes.joined(separator: ", "))")
        }
        let bodies = try query.flag("bodies")
        filter.limit = try query.number("limit", in: 1...self.limit(bodies)) ?? 100
        return try await self.reply(call, filter.view(of: try call.session()), bodies: bodies)
    }

    private static func limit(_ bodies: Bool) -> Int { bodies ? self.pageLimitWithBodies : self.pageLimit }

    private struct JournalQuery: Decodable {
        var request: RawJSON?
        var outcome: String?
        var limit: Int?
        var after: Int?
        var bodies: Bool?
    }

    private static func query(_ call: Call) async throws -> Response {
        let session = try call.session()
        let wanted = try await call.body(JournalQuery.self)
        let bodies = wanted.bodies ?? false
        var filter = JournalFilter()
        filter.matcher = try self.matcher(wanted.request)
        filter.after = wanted.after
        filter.outcome = wanted.outcome
        filter.limit = wanted.limit ?? 100
        if let outcome = wanted.outcome, !JournalEntryModel.outcomes.contains(outcome) {
            throw Problem.badBody(
                "/outcome",
                "this must be one of \(JournalEntryModel.outcomes.joined(separator: ", "))"
            )
        }
        guard (1...self.limit(bodies)).contains(filter.limit) else {
            throw Problem.badBody("/limit", "this must be a whole number from 1 to \(self.limit(bodies))")
        }
        try self.check(after: wanted.after)
        return try await self.reply(call, filter.view(of: session), bodies: bodies)
    }

    static func matcher(_ json: RawJSON?) throws -> JournalMatcher? {
        guard let json else { return nil }
        return JournalMatcher(try CassetteShapes.matcher(json.value, at: "/request"))
    }

    private static func check(after: Int?) throws {
        guard let after, !(0..<Int.max).contains(after) else { return }
        throw Problem.badBody("/after", "this must be the number of an entry, or 0")
    }

    private static func reply(_ call: Call, _ view: SessionJournal.View, bodies: Bool) async throws -> Response {
        let session = try call.session()
        let entries =
            bodies
            ? try await call.withFiles { view.entries.map { JournalEntryModel(whole: $0).shown(by: session, $0) } }
            : view.entries.map { JournalEntryModel($0).shown(by: session, $0) }
        return try Reply.json(
            JournalPage(entries: entries, seen: view.seen, oldest: view.oldest, version: view.version)
        )
    }

    // MARK: One entry

    private static func entry(_ call: Call) throws -> JournalEntry {
        let session = try call.session()
        let text = try call.parameter("number")
        guard let number = Int(text), let entry = session.journal.entry(number) else {
            let oldest = session.journal.view(limit: 0).oldest
            throw Problem.notFound(
                "unknown-entry",
                "the journal has no entry \(text); the oldest that is still there is \(oldest)"
            )
        }
        return entry
    }

    private static func noBody(_ entry: JournalEntry, _ what: String) -> Problem {
        .notFound("no-body", "entry \(entry.number) has no \(what) body, or none yet")
    }

    /// The bytes came from somewhere else, and must never run as part of the page.
    private static func raw(_ body: ReadableBody, isWhole: Bool) -> Response {
        var response = Reply.bytes(body.bytes, "application/octet-stream")
        response["Content-Disposition"] = "attachment"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        // The journal kept only a part.
        response["X-Tapedeck-Body-Cut"] = isWhole ? nil : "true"
        return response
    }

    // MARK: Waiting

    private struct WaitRequest: Decodable {
        var request: RawJSON?
        var count: Int?
        var within: String?
        var never: Bool?
        var after: Int?
    }

    private static func wait(_ call: Call) async throws -> Response {
        let session = try call.session()
        let bytes = try await call.bytes()
        let wanted = try StrictJSON.decode(WaitRequest.self, from: bytes)
        let never = wanted.never ?? false
        if never, wanted.count != nil { throw Problem.badBody("/count", "this does not go with `never`") }
        let count = wanted.count ?? 1
        guard (1...1_000_000).contains(count) else {
            throw Problem.badBody("/count", "this must be a whole number from 1 to 1000000")
        }
        try self.check(after: wanted.after)
        let time = try Call.patience(wanted.within ?? "5s") { Problem.badBody("/within", $0) }
        let waiting = JournalWait(
            session: session,
            matcher: try self.matcher(wanted.request) ?? JournalMatcher(RequestMatcher()),
            count: never ? nil : count,
            after: wanted.after ?? 0,
            ending: call.service.longRequests.ending
        )
        return try await call.answer { await waiting.run(within: time) }
    }
}
