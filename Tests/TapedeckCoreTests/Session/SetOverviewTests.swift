import Testing

@testable import TapedeckCore

@Suite
struct SetOverviewTests {
    private func state() throws -> SessionState {
        let sets = try ["Login", "search", "user"].map { name in
            var set = try Samples.set(name, "GET", "https://example.com/\(name.lowercased())")
            set.variants = [
                Variant(name: "success", takes: [Take()]), Variant(name: "denied", takes: [Take(status: 403)]),
            ]
            return set
        }
        return SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette(sets)]))
    }

    @Test func reportsThePlayingAndSelectedVariantsAndTheNumberOfRequests() throws {
        var state = try self.state()
        try state.select("denied", of: "search")
        try state.apply(profile: "slow")
        try state.apply(profile: "offline", limitedTo: ["user"])
        _ = state.answer(try Samples.matchRequest("GET", "https://example.com/search"))
        _ = state.answer(try Samples.matchRequest("GET", "https://example.com/search"))
        let overviews = state.overviews(containing: "", in: 0..<10)
        #expect(overviews.total == 3)
        #expect(overviews.sets.map(\.playing) == ["success", "denied", "offline"])
        #expect(overviews.sets.map(\.selected) == [nil, "denied", nil])
        #expect(overviews.sets.map(\.wrappers) == [["slow"], ["slow"], ["slow"]])
        #expect(overviews.sets.map(\.asked) == [0, 2, 0])
    }

    @Test(arguments: [
        ("login", ["Login"]), ("EXAMPLE.com/u", ["user"]), ("denied", ["Login", "search", "user"]), ("x9", []),
    ])
    func findsByNameURLAndVariant(text: String, names: [String]) throws {
        var state = try self.state()
        #expect(state.overviews(containing: text, in: 0..<10).sets.map(\.set.name) == names)
    }

    @Test func returnsAPageAndTheTotal() throws {
        var state = try self.state()
        let page = state.overviews(containing: "denied", in: 1..<2)
        #expect(page.sets.map(\.set.name) == ["search"])
        #expect(page.total == 3)
    }
}
