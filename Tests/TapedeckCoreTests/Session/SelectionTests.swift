import Testing

@testable import TapedeckCore

@Suite
struct SelectionTests {
    private func set(_ name: String, _ url: String, variants: [String: Int], order: [String]) throws -> ResponseSet {
        var set = try Samples.set(name, "GET", url)
        set.variants = order.map { Variant(name: $0, takes: [Take(status: variants[$0] ?? 0)]) }
        return set
    }

    private func state(profiles: [Profile] = [], selected: String? = nil) throws -> SessionState {
        var login = try self.set(
            "login",
            "https://a.test/login",
            variants: ["success": 200, "invalid credentials": 401],
            order: ["success", "invalid credentials"]
        )
        login.selected = selected
        let search = try self.set(
            "search",
            "https://b.test/search",
            variants: ["found": 200, "rate-limited": 429, "offline": 503],
            order: ["found", "rate-limited", "offline"]
        )
        let cassette = Cassette(name: "test", responseSets: [login, search], profiles: profiles)
        return SessionState(name: "s", mode: .replay, tape: Tape([cassette]), seed: 1)
    }

    private func ask(_ state: inout SessionState, _ set: String) throws -> String {
        let url = set == "login" ? "https://a.test/login" : "https://b.test/search"
        guard case .decided(.play(let play)) = state.answer(try Samples.matchRequest("GET", url)) else { return "miss" }
        let take = play.tape.takes[play.take]
        let delay = (play.staging?.delay ?? 0) > 0 ? " late" : ""
        return (take.fault?.rawValue ?? "\(take.status)") + delay
    }

    @Test func `a built-in variant can be the default, and a selection wins over it`() throws {
        var state = try self.state(selected: "server-error")
        #expect(try self.ask(&state, "login") == "500")
        try state.select("success", of: "login")
        #expect(try self.ask(&state, "login") == "200")
        var slow = try self.state(selected: "slow")
        #expect(try self.ask(&slow, "login") == "200 late")
    }

    @Test func theFirstVariantIsTheDefaultUnlessTheFileSelectsAnother() throws {
        var first = try self.state()
        var other = try self.state(selected: "invalid credentials")
        #expect(try self.ask(&first, "login") == "200")
        #expect(try self.ask(&other, "login") == "401")
    }

    @Test func aVariantIsSelectedAndTakenBack() throws {
        var state = try self.state()
        try state.select("invalid credentials", of: "login")
        #expect(try self.ask(&state, "login") == "401")
        #expect(try self.ask(&state, "search") == "200")
        try state.reset("login")
        #expect(try self.ask(&state, "login") == "200")
    }

    @Test func everySetHasTheBuiltInVariants() throws {
        var state = try self.state()
        let expected = [
            ("offline", "connectionReset"), ("server-error", "500"), ("rate-limited", "429"), ("unauthorized", "401"),
            ("slow", "200 late"),
        ]
        for (variant, answer) in expected {
            try state.select(variant, of: "login")
            #expect(try self.ask(&state, "login") == answer)
        }
    }

    @Test func aVariantOfTheSetWinsOverABuiltInOne() throws {
        var state = try self.state()
        try state.apply(profile: "offline")
        #expect(try self.ask(&state, "login") == "connectionReset")
        #expect(try self.ask(&state, "search") == "503")
    }

    @Test func anUnknownNameListsTheKnownOnesAndTheNearest() throws {
        var state = try self.state()
        func message(_ body: () throws -> Void) -> String {
            do {
                try body()
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(
            message { try state.select("offline", of: "logni") }
                == #"there is no response set "logni"; did you mean "login"?"#
        )
        let unknown = message { try state.select("invalid credential", of: "login") }
        #expect(unknown.contains(#"has no variant "invalid credential"; did you mean "invalid credentials"?"#))
        #expect(unknown.contains("success, invalid credentials; and every set has: offline, slow, flaky"))
        #expect(message { try state.apply(profile: "ofline") }.contains(#"did you mean "offline"?"#))
        #expect(message { try state.apply(profile: "slow", limitedTo: ["serch"]) }.contains(#"did you mean "search"?"#))
        #expect(message { try state.reset("x") }.contains(#"there is no response set "x""#))
        #expect(state.selection.isEmpty)
    }

    @Test func aProfileSelectsForSetsOriginsAndAll() throws {
        let origin = try #require(Origin("https://b.test"))
        var state = try self.state(profiles: [
            Profile(
                name: "bad day",
                choices: [
                    .init(.all, "unauthorized"), .init(.origin(origin), "rate-limited"),
                    .init(.set("login"), "invalid credentials"),
                ]
            )
        ])
        try state.apply(profile: "bad day")
        #expect(try self.ask(&state, "login") == "401")
        #expect(try self.ask(&state, "search") == "429")
        state.revert(profile: "bad day")
        #expect(try self.ask(&state, "login") == "200")
        #expect(try self.ask(&state, "search") == "200")
    }

    @Test func profilesStackAndTheLastOneWins() throws {
        var state = try self.state()
        try state.apply(profile: "server-error")
        try state.apply(profile: "unauthorized")
        #expect(try self.ask(&state, "login") == "401")
        let wasInForce = state.revert(profile: "unauthorized")
        #expect(wasInForce)
        #expect(try self.ask(&state, "login") == "500")
        let isInForce = state.revert(profile: "unauthorized")
        #expect(!isInForce)
    }

    @Test func aSelectedVariantWinsOverProfilesButSlowStillDelaysIt() throws {
        var state = try self.state()
        try state.select("invalid credentials", of: "login")
        try state.apply(profile: "slow")
        try state.apply(profile: "server-error")
        #expect(try self.ask(&state, "login") == "401 late")
        #expect(try self.ask(&state, "search") == "500 late")
    }

    @Test(arguments: [["login"], ["https://a.test"]])
    func aProfileCanBeLimitedToSetsAndOrigins(targets: [String]) throws {
        var state = try self.state()
        try state.apply(profile: "server-error", limitedTo: targets)
        #expect(try self.ask(&state, "login") == "500")
        #expect(try self.ask(&state, "search") == "200")
    }

    @Test func flakyResetsAShareOfTheRequestsByTheSeed() throws {
        func order() throws -> [String] {
            var state = try self.state()
            try state.apply(profile: "flaky")
            return try (0..<200).map { _ in try self.ask(&state, "login") }
        }
        let first = try order()
        #expect(try order() == first)
        let resets = first.count { $0 == "connectionReset" }
        #expect((20...60).contains(resets), "one in five of 200, and not \(resets)")
        #expect(first.allSatisfy { ["connectionReset", "200"].contains($0) })
    }

    @Test func resettingAllBeginsAnew() throws {
        var cassette = try Samples.cassette([
            Samples.set("a", "GET", "https://a.test/login", takes: [Take(status: 201), Take(status: 202)])
        ])
        cassette.state = [StateEntry("k", "first")]
        var state = SessionState(name: "s", mode: .replay, tape: Tape([cassette]))
        #expect(try self.ask(&state, "login") == "201")
        try state.apply(profile: "offline")
        state.set("k", to: "other")
        state.resetAll()
        #expect(try self.ask(&state, "login") == "201")
        #expect(state.state == ["k": "first"])
        #expect(state.selection.isEmpty)
    }

    @Test func aReloadUpdatesProfilesAndReportsRemovedOnes() throws {
        let calm = Profile(name: "calm", choices: [Profile.Choice(.set("login"), "success")])
        let angry = Profile(name: "calm", choices: [Profile.Choice(.set("login"), "invalid credentials")])
        var state = try self.state(profiles: [calm])
        try state.apply(profile: "calm", limitedTo: ["login"])
        try state.select("rate-limited", of: "search")
        #expect(try self.ask(&state, "login") == "200")

        let changed = state.replaceTape(try self.state(profiles: [angry]).tape)
        #expect(changed.isEmpty)
        #expect(try self.ask(&state, "login") == "401")

        // A removed set keeps its selection, and is reported.
        let login = try #require(state.tape.cassettes.first?.responseSets.first)
        let gone = state.replaceTape(Tape([Cassette(name: "test", responseSets: [login])]))
        #expect(gone.map(\.description).contains { $0.contains("no response set \"search\"") })
        #expect(gone.map(\.description).contains { $0.contains("no profile \"calm\"") })
        #expect(try self.ask(&state, "login") == "401")

        // And can be taken back.
        #expect(state.selection.variants == ["search": "rate-limited"])
        try state.reset("search")
        #expect(state.selection.variants.isEmpty)
        #expect(throws: SelectionError.self) { try state.reset("search") }

        // A reverted profile stays reverted.
        let wasThere = state.revert(profile: "calm")
        #expect(wasThere)
        _ = state.replaceTape(try self.state(profiles: [angry]).tape)
        #expect(try self.ask(&state, "login") == "200")
    }
}
