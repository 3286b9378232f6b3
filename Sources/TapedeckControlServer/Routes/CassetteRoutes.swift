import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// The cassettes in the deck's folder.
enum CassetteRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/cassettes", Self.list),
        ControlRoute(.get, "/v1/cassettes/{name}", Self.read),
        ControlRoute(.get, "/v1/cassettes/{name}/check") { call in
            let location = try Self.location(call)
            let library = call.deck.sessions.library
            return try Reply.json(try await call.withFiles { try Self.check(location, library) })
        },
        ControlRoute(.post, "/v1/cassettes/{name}/reload", Self.reload),
    ]

    /// The cassette that the path names.
    static func location(_ call: Call) throws -> CassetteLocation {
        try call.deck.sessions.library.location(named: try call.parameter("name"))
    }

    private static func list(_ call: Call) async throws -> Response {
        _ = try call.query()
        let library = call.deck.sessions.library
        let playing = Set(call.deck.sessions.sessions.flatMap(\.cassettes).map(\.path))
        let listings = try await call.withFiles { library.list() }
        let cassettes = listings.map { listing in
            CassetteModel(
                name: listing.name,
                about: listing.about,
                responseSets: listing.responseSets,
                profiles: listing.profiles,
                problem: listing.problem,
                isPlaying: playing.contains(listing.location.path)
            )
        }
        return try Reply.json(CassetteList(cassettes: cassettes))
    }

    private static func read(_ call: Call) async throws -> Response {
        let location = try self.location(call)
        let text = try await call.withFiles { try Self.text(location) }
        let accepts = call.request["Accept"] ?? ""
        if accepts.contains("yaml") { return Reply.bytes(text, "application/yaml") }
        return Reply.bytes(try CassetteJSON.json(ofFile: text), "application/json")
    }

    private static func text(_ location: CassetteLocation) throws -> [UInt8] {
        do {
            return try FileContents.read(location.path)
        } catch let error as FileError where error.isMissing {
            throw Self.missing(location)
        }
    }

    static func missing(_ location: CassetteLocation) -> Problem {
        .notFound(
            "unknown-cassette",
            "there is no cassette \"\(location.name)\"; GET /v1/cassettes lists those there are"
        )
    }

    private static func check(_ location: CassetteLocation, _ library: CassetteLibrary) throws -> CassetteCheckModel {
        do {
            let result = try library.store.check(location)
            return CassetteCheckModel(
                name: location.name,
                isUsable: !result.hasErrors,
                diagnostics: result.diagnostics.map { found in
                    CassetteCheckModel.Diagnostic(
                        severity: found.severity.rawValue,
                        line: found.line ?? 0,
                        column: found.column ?? 0,
                        message: found.message
                    )
                }
            )
        } catch let error as FileError where error.isMissing {
            throw Self.missing(location)
        }
    }

    /// A cassette that cannot be used now keeps playing its old version.
    private static func reload(_ call: Call) async throws -> Response {
        let location = try self.location(call)
        let sessions = call.deck.sessions
        let model = try await call.withFiles {
            var model = try Self.check(location, sessions.library)
            let changed = model.isUsable ? sessions.library.reload([location]) : []
            sessions.cassettesChanged(changed)
            model.changed = !changed.isEmpty
            return model
        }
        return try Reply.json(model)
    }
}
