import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// Response sets that are added to one session, in the shape that they have in a cassette.
enum AddedSetRoutes {
    /// Sets that are added to a session, at most.
    private static let limit = 1_000

    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/sessions/{id}/added") { call in
            let added = try call.session().added
            let list = try await call.withFiles {
                let sets = added.map { CassetteJSON.json(of: $0) }
                return Array("{\"responseSets\":[".utf8) + sets.joined(separator: Array(",".utf8)) + Array("]}".utf8)
            }
            return Reply.bytes(list, "application/json")
        },
        ControlRoute(.delete, "/v1/sessions/{id}/added") { call in
            try call.session().removeAllAdded()
            return Reply.nothing
        },
        ControlRoute(.get, "/v1/sessions/{id}/added/{name}") { call in
            let name = try call.parameter("name")
            guard let set = try call.session().added.first(where: { $0.name == name }) else { throw Self.unknown(name) }
            return Reply.bytes(try await call.withFiles { CassetteJSON.json(of: set) }, "application/json")
        },
        ControlRoute(.put, "/v1/sessions/{id}/added/{name}", Self.add),
        ControlRoute(.put, "/v1/sessions/{id}/files/{name}", taking: "application/octet-stream", Self.keepFile),
        ControlRoute(.delete, "/v1/sessions/{id}/added/{name}") { call in
            let name = try call.parameter("name")
            guard try call.session().removeAdded(name) else { throw Self.unknown(name) }
            return Reply.nothing
        },
    ]

    private static func unknown(_ name: String) -> Problem {
        .notFound("unknown-set", "no response set \"\(name)\" was added to the session")
    }

    private static func add(_ call: Call) async throws -> Response {
        let session = try call.session()
        let name = try call.parameter("name")
        let bytes = try await call.bytes(limit: call.service.configuration.setBodyLimit)
        let files = session.sentFiles
        // Reading and writing take time in proportion to bodies.
        let (set, answer) = try await call.withFiles {
            let set = try CassetteShapes.responseSet(bytes, name: name, files: files)
            return (set, CassetteJSON.json(of: set.withoutBodies(over: JournalEntryModel.bodyLimit)))
        }
        let added = session.added
        let isNew = !added.contains { $0.name == name }
        guard !isNew || added.count < self.limit else {
            throw Problem.conflict("\(self.limit) response sets were added to the session already; delete some first")
        }
        session.add(set)
        return Reply.bytes(answer, "application/json", status: isNew ? 201 : 200)
    }

    /// Keeps a body file for sets and answers that come later.
    private static func keepFile(_ call: Call) async throws -> Response {
        let session = try call.session()
        let name = try call.parameter("name")
        let bytes = try await call.bytes(limit: call.service.configuration.fileLimit)
        let sessions = call.deck.sessions
        try await call.withFiles {
            let file: SessionFiles
            do throws(SessionFiles.Problem) {
                file = try sessions.library.store.files([name: bytes])
            } catch {
                throw Problem.badRequest(error.message)
            }
            try sessions.keep(file, name: name, bytes, for: session)
        }
        return Reply.nothing
    }
}
