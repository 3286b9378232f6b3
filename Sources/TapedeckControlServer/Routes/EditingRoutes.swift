import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// Edits of the cassettes that a session plays.
enum EditingRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.put, "/v1/sessions/{id}/sets/{name}/variants/{variant}/takes/{number}", Self.changeTake)
    ]

    /// Writes status, header fields and body of a take into its cassette.
    private static func changeTake(_ call: Call) async throws -> Response {
        let name = try call.parameter("name")
        let variant = try call.parameter("variant")
        let cassette = try call.query("cassette").text("cassette")
        let session = try call.session()
        guard let number = Int(try call.parameter("number")), number > 0 else {
            throw Problem.badRequest("takes are counted from 1")
        }
        let overview = try SelectionRoutes.overview(of: name, in: cassette, session)
        let location = try self.location(of: overview, session)
        let answer = try CassetteShapes.answer(try await call.body(RawJSON.self).value, at: "")
        let sessions = call.deck.sessions
        let set = try await call.withFiles {
            let store = sessions.library.store
            do {
                let old = try store.edited(location).cassette
                let place = try old.place(ofTake: number, variant: variant, set: name)
                let played = old.responseSets[place.set].variants[place.variant]
                let new = try AnswerText.take(
                    played.takes[number - 1],
                    answering: answer.take,
                    isTemplate: played.behaviour.isTemplate
                )
                let edit = CassetteEdit.changeTake(number, of: name, variant: variant, to: new)
                try store.change(location, by: [edit]).write(with: store)
            } catch let error as CassetteEdit.Invalid {
                throw Problem.notFound("unknown-take", error.description)
            } catch let error as AnswerText.Invalid {
                throw Problem.badBody("/body", error.description)
            }
            sessions.cassettesChanged(sessions.library.reload([location]))
            return try SelectionRoutes.overview(of: name, in: overview.cassette, session).set
        }
        return Reply.bytes(CassetteJSON.json(of: set), "application/json")
    }

    /// Writes into its cassette that a variant of a set plays unless another is selected.
    ///
    /// - Throws: ``Problem``.
    static func keep(_ variant: String, of name: String, _ call: Call, _ session: Session) async throws {
        let overview = try SelectionRoutes.overview(of: name, in: nil, session)
        let location = try self.location(of: overview, session)
        let sessions = call.deck.sessions
        try await call.withFiles {
            let store = sessions.library.store
            do {
                try store.change(location, by: [.makeDefault(variant, of: name)]).write(with: store)
            } catch let error as CassetteEdit.Invalid {
                throw Problem(422, "bad-selection", "There is no such variant", error.description)
            }
            sessions.cassettesChanged(sessions.library.reload([location]))
        }
    }

    /// The path of a set's cassette.
    private static func location(of overview: SetOverview, _ session: Session) throws -> CassetteLocation {
        guard !overview.isAdded else {
            throw Problem.conflict(
                "the response set \"\(overview.set.name)\" was added to the session and is in no cassette; PUT it at /added "
                    + "instead"
            )
        }
        let location = session.cassettes.first { $0.name == overview.cassette }
        guard let location, !location.isInMemory else {
            throw Problem.conflict("the cassette \"\(overview.cassette)\" came with the session and is on no disk")
        }
        return location
    }
}
