import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// The routes for a session's response sets, selections, profiles and state.
enum SelectionRoutes {
    /// Keys of a session's state, at most.
    private static let stateLimit = 10_000

    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/sessions/{id}/sets", Self.sets),
        ControlRoute(.get, "/v1/sessions/{id}/sets/{name}", Self.wholeSet),
        ControlRoute(.get, "/v1/sessions/{id}/selections") { try Self.selections(try $0.session()) },
        ControlRoute(.delete, "/v1/sessions/{id}/selections") { call in
            let session = try call.session()
            // A set that is gone from its cassette has nothing to reset.
            for set in session.selection.variants.keys { try? session.reset(set) }
            return try Self.selections(session)
        },
        ControlRoute(.put, "/v1/sessions/{id}/selections/{set}") { call in
            let session = try call.session()
            let set = try Self.set(call, session)
            let wanted = try await call.body(SelectionModel.self)
            if wanted.keeps ?? false { try await EditingRoutes.keep(wanted.variant, of: set, call, session) }
            try session.select(wanted.variant, of: set)
            return try Self.selections(session)
        },
        ControlRoute(.delete, "/v1/sessions/{id}/selections/{set}") { call in
            let session = try call.session()
            try session.reset(try Self.set(call, session))
            return try Self.selections(session)
        },
        ControlRoute(.get, "/v1/sessions/{id}/profiles") { try Self.profiles(try $0.session()) },
        ControlRoute(.put, "/v1/sessions/{id}/profiles/{name}") { call in
            let session = try call.session()
            let name = try Self.profile(call, session)
            let limits = try await call.optionalBody(ProfileLimits.self)
            try session.apply(profile: name, limitedTo: limits?.only ?? [])
            return try Self.profiles(session)
        },
        ControlRoute(.delete, "/v1/sessions/{id}/profiles/{name}") { call in
            let session = try call.session()
            session.revert(profile: try Self.profile(call, session))
            return try Self.profiles(session)
        },
        ControlRoute(.get, "/v1/sessions/{id}/state") { try Self.state(try $0.session()) },
        ControlRoute(.patch, "/v1/sessions/{id}/state", Self.changeState),
    ]

    private static func sets(_ call: Call) async throws -> Response {
        let query = try call.query("search", "offset", "limit")
        let offset = try query.number("offset", in: 0...1_000_000) ?? 0
        let limit = try query.number("limit", in: 1...1_000) ?? 200
        let found = try call.session().overviews(
            containing: query.text("search") ?? "",
            in: offset..<(offset + limit)
        )
        return try Reply.json(SetList(sets: found.sets.map { SetModel($0) }, total: found.total))
    }

    /// Answers with one response set in the shape that it has in a cassette: the first one of its name that a request
    /// would be compared with, or that of the cassette that the query names.
    private static func wholeSet(_ call: Call) async throws -> Response {
        let name = try call.parameter("name")
        let cassette = try call.query("cassette").text("cassette")
        let found = try self.overview(of: name, in: cassette, try call.session())
        return Reply.bytes(try await call.withFiles { CassetteJSON.json(of: found.set) }, "application/json")
    }

    /// Returns the first set of a name in the order in which they are tried.
    ///
    /// - Parameter cassette: only a set of this cassette; `nil` is any.
    static func overview(of name: String, in cassette: String?, _ session: Session) throws -> SetOverview {
        let found = session.overviews(containing: name, in: 0..<Int.max).sets.first { overview in
            overview.set.name == name && (cassette ?? overview.cassette) == overview.cassette
        }
        guard let found else {
            let place = cassette.map { " of the cassette \"\($0)\"" } ?? ""
            throw Problem.notFound(
                "unknown-set",
                "there is no response set \"\(name)\"\(place)" + Spelling.hint(for: name, among: session.tapes.setNames)
            )
        }
        return found
    }

    private static func selections(_ session: Session) throws -> Response {
        try Reply.json(SelectionsModel(selections: session.selection.variants))
    }

    /// The set that the path names.
    private static func set(_ call: Call, _ session: Session) throws -> String {
        let name = try call.parameter("set")
        let names = session.tapes.setNames
        guard !names.contains(name) else { return name }
        let hint = Spelling.hint(for: name, among: names)
        throw Problem.notFound("unknown-set", "there is no response set \"\(name)\"\(hint)")
    }

    private static func profiles(_ session: Session) throws -> Response {
        let tapes = session.tapes
        let applied = session.selection.profiles
        let written = Set(tapes.cassettes.cassettes.flatMap(\.profiles).map(\.name))
        return try Reply.json(
            ProfileList(
                profiles: tapes.profileNames.map { name in
                    let own = applied.first { $0.name == name }
                    return ProfileModel(
                        name: name,
                        isBuiltIn: !written.contains(name),
                        isApplied: own != nil,
                        only: own.flatMap { $0.targets.isEmpty ? nil : $0.targets }
                    )
                }
            )
        )
    }

    /// The profile that the path names; one that is in force is there, though its cassette may have it no more.
    private static func profile(_ call: Call, _ session: Session) throws -> String {
        let name = try call.parameter("name")
        let names = session.tapes.profileNames
        guard !names.contains(name), !session.selection.profiles.contains(where: { $0.name == name }) else {
            return name
        }
        let hint = Spelling.hint(for: name, among: names)
        throw Problem.notFound("unknown-profile", "there is no profile \"\(name)\"\(hint)")
    }

    private static func state(_ session: Session) throws -> Response {
        try Reply.json(StateModel(state: session.values))
    }

    private static func changeState(_ call: Call) async throws -> Response {
        let session = try call.session()
        let changes = try await call.body(StateModel.self).state
        guard session.values.count + changes.count <= self.stateLimit else {
            throw Problem.badBody("/state", "a session's state has at most \(self.stateLimit) keys")
        }
        for (key, value) in changes.sorted(by: { $0.key < $1.key }) { session.set(key, to: value) }
        return try self.state(session)
    }
}
