import TapedeckCassettes
import TapedeckControlAPI
import TapedeckSessions

/// Files of other tools, such as HAR files: into the deck's folder as cassettes, and out of it.
enum ForeignFileRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.post, "/v1/cassettes/import", taking: "application/octet-stream", Self.take),
        ControlRoute(.get, "/v1/cassettes/{name}/export", Self.give),
    ]

    private static func files(_ call: Call) throws -> ForeignFiles {
        guard let files = call.deck.foreignFiles else {
            throw Problem(
                403,
                "not-allowed",
                "This deck does not do that",
                "this deck takes and gives no files of other tools"
            )
        }
        return files
    }

    private static func take(_ call: Call) async throws -> Response {
        let query = try call.query("name", "format", "cassette", "append")
        let files = try self.files(call)
        guard let name = query.text("name")?.split(separator: "/").last.map(String.init) else {
            throw Problem.badRequest("`name` must be the name of the file, such as traffic.har")
        }
        let appends = try query.flag("append")
        let sessions = call.deck.sessions
        let library = sessions.library
        let location =
            try query.text("cassette").map { try library.location(named: $0) }
            ?? library.location(namedAfter: files.stem(name))
        let slot = try call.service.longRequests.enter()
        let bytes = try await call.bytes(limit: call.service.configuration.importLimit)
        let turn = try Self.turn(call)
        let upload = ForeignFiles.Upload(
            name: name,
            bytes: bytes,
            format: query.text("format"),
            location: location,
            appends: appends
        )
        var report = try await call.withFiles {
            try Self.checkPlace(location, appends: appends)
            defer { sessions.cassettesChanged(library.reload([location])) }
            return try Self.unwrapping { try files.take(upload) }
        }
        for index in report.cassettes.indices { report.cassettes[index].path = location.name }
        return try withExtendedLifetime((slot, turn)) { try Reply.json(report) }
    }

    private static func turn(_ call: Call) throws -> LongRequests.Slot {
        do {
            return try call.service.imports.enter()
        } catch let problem as Problem where problem.model.status == 503 && !call.service.isStopping {
            throw Problem(
                503,
                "too-many-waiting",
                "Another file is being imported",
                "one file is imported at a time; send this one again when the other is done",
                headers: [["Retry-After", "1"]]
            )
        }
    }

    private static func checkPlace(_ location: CassetteLocation, appends: Bool) throws {
        guard appends || !FileContents.exists(location.path) else {
            throw Problem.conflict(
                "the cassette \"\(location.name)\" exists; add to it with append=true, or name another with cassette=NAME"
            )
        }
        guard !RecordingJournal.isInUse(folder: location.journalFolder) else {
            throw Problem.conflict(
                "\"\(location.name)\" is being recorded right now; end the recording, then send it again"
            )
        }
    }

    private static func give(_ call: Call) async throws -> Response {
        let query = try call.query("format", "report")
        let files = try self.files(call)
        let location = try CassetteRoutes.location(call)
        let format = query.text("format") ?? "har"
        let wantsReport = try query.flag("report")
        let download = try await call.withFiles {
            guard FileContents.exists(location.path) else { throw CassetteRoutes.missing(location) }
            return try Self.unwrapping { try files.give(location, format) }
        }
        if wantsReport { return try Reply.json(download.report) }
        var response = Reply.bytes(download.bytes, download.mediaType)
        let name = Self.fileName(location.name, download.ending)
        response["Content-Disposition"] = "attachment; filename=\"\(name)\""
        // The number of parts of the cassette that the file does not express.
        response["X-Tapedeck-Left-Out"] = String(download.report.leftOut.count)
        return response
    }

    /// The name under which a browser saves the file: a header field has ASCII only, here in quotation marks.
    private static func fileName(_ cassette: String, _ ending: String) -> String {
        let stem = cassette.split(separator: "/").last.map(String.init) ?? cassette
        return stem.map { $0.isASCII && $0 != "\"" ? String($0) : "_" }.joined() + ".\(ending)"
    }

    private static func unwrapping<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let failure as ForeignFiles.Failure {
            switch failure {
            case .badRequest(let text): throw Problem.badRequest(text)
            case .badCassette(let text): throw Problem(422, "bad-cassette", "The cassette cannot be used", text)
            case .file(let error): throw Problem(unwritable: error) ?? error
            case .notSaved(let text): throw Problem.conflict(text)
            }
        }
    }
}
