import Testing

@testable import TapedeckCore

/// Response sets that are added to one session, over the cassettes that it shares.
@Suite
struct AddedSetsTests {
    private static let url = "https://example.com/a"

    private func state(_ sets: [ResponseSet], mode: Mode = .replay) -> SessionState {
        SessionState(name: "s", mode: mode, tape: Tape([Samples.cassette(sets)]))
    }

    /// Statuses in turn; `nil` for a miss.
    private func ask(_ state: inout SessionState, _ url: String = Self.url, count: Int = 1) throws -> [Int?] {
        try (0..<count).map { _ in
            guard case .decided(.play(let play)) = state.answer(try Samples.matchRequest("GET", url)) else {
                return nil
            }
            return play.tape.takes[play.take].status
        }
    }

    private func set(_ name: String, _ statuses: [Int], priority: Int = 0) throws -> ResponseSet {
        Samples.set(
            name,
            RequestMatcher(method: "GET", url: try Samples.url(Self.url)),
            priority: priority,
            statuses: statuses
        )
    }

    @Test func anAddedSetComesBeforeThoseOfTheCassettes() throws {
        var state = self.state([try self.set("file", [200])])
        state.add(try self.set("added", [503]))
        #expect(try self.ask(&state) == [503])
        #expect(state.unusedSets == ["file"])
        let removed = state.removeAdded("added")
        #expect(removed)
        #expect(try self.ask(&state) == [200])
        let again = state.removeAdded("added")
        #expect(!again)
    }

    @Test func anAddedSetComesBeforeAHigherPriorityOfAFile() throws {
        var state = self.state([try self.set("file", [200], priority: 5)])
        state.add(try self.set("added", [503]))
        #expect(try self.ask(&state) == [503])
    }

    @Test func anAddedSetWithANegativePriorityComesAfterTheCassettes() throws {
        var state = self.state([try self.set("file", [200], priority: -5)])
        state.add(try self.set("fallback", [503], priority: -1))
        #expect(try self.ask(&state) == [200])
        state.add(Samples.set("everything", RequestMatcher(), priority: -2, statuses: [418]))
        #expect(try self.ask(&state, "https://elsewhere.example/x") == [418])
    }

    @Test func theAddedSetWithTheHigherPriorityComesFirst() throws {
        var state = self.state([])
        state.add(try self.set("high", [503], priority: 1))
        state.add(try self.set("newer", [204]))
        #expect(try self.ask(&state) == [503])
    }

    /// Six ways to say for which requests, from the most particular to the least.
    private enum Breadth: Int, CaseIterable {
        case urlAndHeader, url, template, pattern, method, everything
    }

    private func matcher(_ breadth: Breadth) throws -> RequestMatcher {
        switch breadth {
        case .urlAndHeader:
            var matcher = RequestMatcher(method: "GET", url: try Samples.url(Self.url))
            matcher.headers = [RequestMatcher.Field("Range", .absent)]
            return matcher
        case .url: return RequestMatcher(method: "GET", url: try Samples.url(Self.url))
        case .template: return RequestMatcher(url: try Samples.template("https://example.com/{any}"))
        case .pattern: return RequestMatcher(url: try Samples.pattern("https://example[.]com/.*"))
        case .method: return RequestMatcher(methods: ["GET"])
        case .everything: return RequestMatcher()
        }
    }

    @Test(arguments: Breadth.allCases, Breadth.allCases)
    private func `the newest added set that matches wins`(_ older: Breadth, _ newer: Breadth) throws {
        var state = self.state([])
        state.add(Samples.set("older", try self.matcher(older), statuses: [201]))
        state.add(Samples.set("newer", try self.matcher(newer), statuses: [202]))
        #expect(try self.ask(&state) == [202])
        let removed = state.removeAdded("newer")
        #expect(removed)
        #expect(try self.ask(&state) == [201])
    }

    @Test func aLessSpecificAddedSetComesBeforeTheCassettes() throws {
        var state = self.state([try self.set("file", [200])])
        state.add(Samples.set("everything", RequestMatcher(), statuses: [418]))
        #expect(try self.ask(&state) == [418])
        #expect(try self.ask(&state, "https://elsewhere.example/x") == [418])
    }

    @Test func theNewestOfTwoAddedSetsComesFirst() throws {
        var state = self.state([])
        state.add(try self.set("one", [201]))
        state.add(try self.set("two", [202]))
        #expect(try self.ask(&state) == [202])
        #expect(state.added.map(\.name) == ["two", "one"])
    }

    @Test func anAddedSetThatIsUsedUpLetsTheNextOneAnswer() throws {
        var once = try self.set("once", [503])
        once.variants[0].behaviour.after = .unmatched
        var state = self.state([try self.set("file", [200, 201])])
        state.add(once)
        #expect(try self.ask(&state, count: 3) == [503, 200, 201])
    }

    @Test func replacingAnAddedSetRestartsItsTakesAndNoOthers() throws {
        var state = self.state([])
        let other = Samples.set(
            "other",
            RequestMatcher(method: "GET", url: try Samples.url("https://example.com/b")),
            statuses: [301, 302, 303]
        )
        state.add(other)
        state.add(try self.set("a", [201, 202]))
        #expect(try self.ask(&state, count: 2) == [201, 202])
        #expect(try self.ask(&state, "https://example.com/b") == [301])
        state.add(try self.set("a", [201, 202]))
        #expect(try self.ask(&state) == [201])
        #expect(try self.ask(&state, "https://example.com/b") == [302])
        let counts = state.overviews(containing: "", in: 0..<10).sets.map { "\($0.set.name) \($0.asked)" }
        #expect(counts == ["a 1", "other 2"])
    }

    @Test func aReloadOfTheCassettesLeavesAddedSetsAlone() throws {
        var state = self.state([try self.set("file", [200])])
        state.add(try self.set("added", [201, 202, 203]))
        #expect(try self.ask(&state) == [201])
        let problems = state.replaceTape(Tape([Samples.cassette([try self.set("file", [404])])]))
        #expect(problems.isEmpty)
        #expect(try self.ask(&state) == [202])
        state.removeAllAdded()
        #expect(try self.ask(&state) == [404])
    }

    @Test func variantsAndProfilesReachAddedSets() throws {
        var added = try self.set("login", [200])
        added.variants.append(Variant(name: "denied", takes: [Take(status: 401)]))
        let profile = Profile(name: "bad day", choices: [Profile.Choice(.set("login"), "denied")])
        let cassette = Cassette(name: "test", responseSets: [try self.set("login", [204])], profiles: [profile])
        var state = SessionState(name: "s", mode: .replay, tape: Tape([cassette]))
        state.add(added)
        try state.select("denied", of: "login")
        #expect(try self.ask(&state) == [401])
        try state.reset("login")
        #expect(try self.ask(&state) == [200])
        try state.apply(profile: "bad day")
        #expect(try self.ask(&state) == [401])
        try state.apply(profile: "offline", limitedTo: ["login"])
        guard case .decided(.play(let play)) = state.answer(try Samples.matchRequest("GET", Self.url)) else {
            Issue.record("not played")
            return
        }
        #expect(play.tape.takes[play.take].fault == .connectionReset)
        #expect(play.variant == "offline")
    }

    @Test func anAddedSetThatAsksForTheBodyHasItRead() throws {
        var state = self.state([try self.set("file", [200])])
        let key = try Samples.matchRequest("POST", Self.url)
        let before = state.needsBody(key)
        #expect(!before)
        state.add(Samples.set("added", RequestMatcher(methods: ["POST"], body: [.text(.contains("x"))])))
        let after = state.needsBody(key)
        #expect(after)
        #expect(state.tapes.mayNeedBody)
    }

    @Test func nearMissesAndExplanationsKnowAddedSets() throws {
        var state = self.state([try self.set("file", [200])])
        state.add(Samples.set("added", RequestMatcher(method: "POST", url: try Samples.url(Self.url))))
        let miss = try Samples.matchRequest("PUT", Self.url)
        let report = state.tapes.explainMiss(miss, state: [:], reason: .noMatch, session: "s", mode: .replay)
        #expect(report.nearest.map(\.set) == ["added", "file"])
        #expect(report.nearest.map(\.cassette) == ["added", "test"])
        #expect(report.candidates == 2)

        state.add(try self.set("stub", [500]))
        let explanation = state.tapes.explain(try Samples.matchRequest("GET", Self.url))
        #expect(explanation.candidates.map(\.set) == ["stub", "file"])
        #expect(explanation.candidates.last?.rule == "asked later: a set that was added to the session comes first")
    }

    @Test func cutOffPatternsOfEveryTapeAreReported() throws {
        let url = "https://e.test/" + String(repeating: "a", count: 5_000)
        let evil = RequestMatcher(url: try Samples.pattern("https://e\\.test/(a+)+(?:b|$)(?<!a)"))
        var state = self.state([Samples.set("of the file", evil)])
        state.add(Samples.set("added", evil))
        guard case .miss(.cutOff) = state.answer(try Samples.matchRequest("GET", url)) else {
            Issue.record("not cut off")
            return
        }
        #expect(state.cutOff == ["added", "of the file"])
    }

    @Test func severalChangesBetweenTwoRequestsCountAsIfEachHadBeenSeen() throws {
        var state = self.state([try self.set("file", [200])])
        let other = "https://example.com/b"
        state.add(Samples.set("kept", RequestMatcher(method: "GET", url: try Samples.url(other)), statuses: [1, 2, 3]))
        state.add(try self.set("replaced", [503, 504]))
        #expect(try self.ask(&state, other) == [1])
        #expect(try self.ask(&state) == [503])
        for number in 0..<3 {
            state.add(try self.set("gone \(number)", [418]))
            let removed = state.removeAdded("gone \(number)")
            #expect(removed)
        }
        let removed = state.removeAdded("replaced")
        #expect(removed)
        state.add(try self.set("replaced", [503, 504]))
        // Its takes begin anew, those of the other go on.
        #expect(try self.ask(&state, count: 2) == [503, 504])
        #expect(try self.ask(&state, other) == [2])
        #expect(state.unusedSets == ["file"])
    }

    @Test(arguments: [Passing.never, .unlessOnTape, .unlessOriginIsOnTape])
    func aRecordingAsksWhatWasAddedAlone(_ passing: Passing) throws {
        var state = self.state([try self.set("file", [200])], mode: .record)
        var request = try Samples.matchRequest("GET", Self.url)
        request.passing = passing
        #expect(!state.answers)
        state.add(Samples.set("other", RequestMatcher(method: "GET", url: try Samples.url("https://example.com/b"))))
        #expect(state.answers)
        // The set of the cassette does not play, and a host that is not recorded is only forwarded.
        guard case .decided(.forward(let isRecorded, _)) = state.answer(request) else {
            Issue.record("it was not forwarded")
            return
        }
        #expect(isRecorded == (passing == .never))
        state.add(try self.set("added", [503]))
        guard case .decided(.play) = state.answer(request) else {
            Issue.record("the added set did not answer")
            return
        }
    }
}
