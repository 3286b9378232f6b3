import TapedeckCore
import Testing

@Suite struct UsageTallyTests {
    private func usage(_ path: String, _ sets: [(String, Int)]) -> CassetteUsage {
        CassetteUsage(path: path, sets: sets.map { CassetteUsage.SetUsage(name: $0.0, request: "GET /", asked: $0.1) })
    }

    @Test func `usage of several runs adds up by cassette and set`() {
        var tally = UsageTally()
        tally.add([self.usage("a", [("one", 1), ("two", 0)])])
        tally.add([self.usage("b", [("one", 5)]), self.usage("a", [("two", 0), ("one", 2), ("three", 1)])])
        #expect(
            tally.cassettes == [
                self.usage("a", [("one", 3), ("two", 0), ("three", 1)]), self.usage("b", [("one", 5)]),
            ]
        )
    }

    @Test func `a set with the same name and another request is another one`() {
        var tally = UsageTally()
        tally.add([self.usage("a", [("one", 1)])])
        tally.add([CassetteUsage(path: "a", sets: [.init(name: "one", request: "POST /", asked: 0)])])
        #expect(tally.cassettes.first?.sets.map(\.asked) == [1, 0])
    }

    @Test func `the answers of variants add up by their names`() {
        var tally = UsageTally()
        tally.add([
            CassetteUsage(path: "a", sets: [.init(name: "s", request: "GET /", asked: 3, variants: ["x": 2, "y": 1])])
        ])
        tally.add([
            CassetteUsage(path: "a", sets: [.init(name: "s", request: "GET /", asked: 2, variants: ["x": 1, "z": 1])])
        ])
        #expect(tally.cassettes.first?.sets.first?.variants == ["x": 3, "y": 1, "z": 1])
    }
}
