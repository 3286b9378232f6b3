import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions
import Testing

/// The selections of a session.
@Suite struct SteeringTests {
    private static let cart = "/v1/sessions/default/selections/GET%20shop.test%2Fcart"

    @Test func aVariantIsSelectedByANameWithASlash() async throws {
        try await RunningControl.use { control in
            let put = try await control.ask(SelectionsModel.self, "PUT", Self.cart, #"{"variant": "empty"}"#)
            #expect(put.selections == ["GET shop.test/cart": "empty"])
            #expect(try control.session.selection.variants == ["GET shop.test/cart": "empty"])
            let sets = try await control.ask(SetList.self, "GET", "/v1/sessions/default/sets?search=cart")
            #expect(sets.total == 1)
            #expect(sets.sets.first?.playing == "empty")
            #expect(sets.sets.first?.variants.map(\.name).starts(with: ["full", "empty", "offline"]) == true)
            let reset = try await control.ask(SelectionsModel.self, "DELETE", Self.cart)
            #expect(reset.selections.isEmpty)
        }
    }

    @Test func aSetIsReadWholeInTheShapeOfACassette() async throws {
        try await RunningControl.use { control in
            let path = "/v1/sessions/default/sets/GET%20shop.test%2Fcart"
            let set = try await control.ask("GET", path)
            #expect(set.status == 200)
            #expect(set.text.contains(#""name":"GET shop.test/cart""#))
            #expect(set.text.contains(#""name":"empty""#))
            #expect(try await control.ask("GET", path + "?cassette=other").problem == "unknown-set")
            let missing = try await control.ask("GET", "/v1/sessions/default/sets/ordre")
            #expect(missing.status == 404)
            #expect(missing.text.contains(#"did you mean \"order\"?"#))
        }
    }

    @Test func anUnknownNameIsReportedWithASuggestion() async throws {
        try await RunningControl.use { control in
            let set = try await control.ask("PUT", "/v1/sessions/default/selections/ordre", #"{"variant": "accepted"}"#)
            #expect(set.status == 404)
            #expect(set.text.contains(#"did you mean \"order\"?"#))
            let variant = try await control.ask("PUT", Self.cart, #"{"variant": "emty"}"#)
            #expect(variant.status == 422)
            #expect(variant.text.contains(#"did you mean \"empty\"?"#))
            let profile = try await control.ask("PUT", "/v1/sessions/default/profiles/closde")
            #expect(profile.status == 404)
            #expect(profile.text.contains(#"did you mean \"closed\"?"#))
        }
    }

    @Test func allSelectionsAreRevertedAtOnce() async throws {
        try await RunningControl.use { control in
            _ = try await control.ask("PUT", Self.cart, #"{"variant": "empty"}"#)
            _ = try await control.ask("PUT", "/v1/sessions/default/selections/order", #"{"variant": "offline"}"#)
            let path = "/v1/sessions/default/selections"
            #expect(try await control.ask(SelectionsModel.self, "GET", path).selections.count == 2)
            #expect(try await control.ask(SelectionsModel.self, "DELETE", path).selections.isEmpty)
        }
    }

    @Test func profilesAreAppliedLimitedAndReverted() async throws {
        try await RunningControl.use { control in
            let path = "/v1/sessions/default/profiles"
            let all = try await control.ask(ProfileList.self, "GET", path).profiles
            #expect(all.first == ProfileModel(name: "closed", isBuiltIn: false, isApplied: false))
            #expect(all.contains(ProfileModel(name: "slow", isBuiltIn: true, isApplied: false)))
            let put = try await control.ask(ProfileList.self, "PUT", "\(path)/offline", #"{"only": ["order"]}"#)
            #expect(put.profiles.filter(\.isApplied).map(\.name) == ["offline"])
            #expect(put.profiles.first { $0.isApplied }?.only == ["order"])
            let wrong = try await control.ask("PUT", "\(path)/offline", #"{"only": ["nothing"]}"#)
            #expect(wrong.status == 422)
            let gone = try await control.ask(ProfileList.self, "DELETE", "\(path)/offline")
            #expect(!gone.profiles.contains { $0.isApplied })
        }
    }

    @Test func stateIsSetKeyByKey() async throws {
        try await RunningControl.use { control in
            let path = "/v1/sessions/default/state"
            _ = try await control.ask("PATCH", path, #"{"state": {"user": "ann", "cart": "full"}}"#)
            let left = try await control.ask(StateModel.self, "PATCH", path, #"{"state": {"cart": null}}"#)
            #expect(left.state == ["user": "ann"])
            #expect(try await control.ask(StateModel.self, "GET", path).state == ["user": "ann"])
        }
    }

    @Test func aResetClearsSelectionsAndState() async throws {
        try await RunningControl.use { control in
            _ = try await control.ask("PUT", Self.cart, #"{"variant": "empty"}"#)
            _ = try await control.ask("PATCH", "/v1/sessions/default/state", #"{"state": {"user": "ann"}}"#)
            let session = try await control.ask(SessionModel.self, "POST", "/v1/sessions/default/reset")
            #expect(session.selections.isEmpty)
            #expect(session.state.isEmpty)
        }
    }

    @Test func aSetIsAddedInTheShapeOfACassette() async throws {
        try await RunningControl.use { control in
            let path = "/v1/sessions/default/added/new%20%2F%20one"
            let body =
                #"{"request": {"url": "http://shop.test/new"}, "variants": [{"name": "a", "takes": [{"status": 204}]}]}"#
            #expect(try await control.ask("PUT", path, body).status == 201)
            #expect(try await control.ask("PUT", path, body).status == 200)
            #expect(try control.session.added.map(\.name) == ["new / one"])
            let read = try await control.ask("GET", path)
            #expect(read.text.contains(#""name":"new / one""#))
            // The output is accepted as input.
            #expect(try await control.ask("PUT", path, read.text).status == 200)
            #expect(try await control.ask("GET", "/v1/sessions/default/added").text.hasPrefix(#"{"responseSets":[{"#))
            #expect(try await control.ask("DELETE", path).status == 204)
            #expect(try await control.ask("DELETE", path).status == 404)
            #expect(try await control.ask("GET", path).problem == "unknown-set")
        }
    }

    @Test func anInvalidSetIsNotAdded() async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask("PUT", "/v1/sessions/default/added/a", #"{"request": {"ulr": "/"}}"#)
            #expect(answer.status == 422)
            #expect(answer.problem == "bad-body")
            #expect(try control.session.added.isEmpty)
        }
    }
}
