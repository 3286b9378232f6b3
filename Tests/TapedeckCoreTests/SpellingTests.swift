import Testing

@testable import TapedeckJSON

@Suite
struct SpellingTests {
    @Test(
        arguments: [
            ("takess", "takes"), ("tkaes", "takes"), ("Takes", "takes"), ("STATUS", "status"), ("stauts", "status"),
            ("header", "headers"), ("hdrs", nil), ("x", nil), ("", nil), ("variant", "variants"),
            ("responseSet", "responseSets"), ("connexionReset", "connectionReset"), ("something else", nil),
        ] as [(String, String?)]
    )
    func suggestsTheNearestWord(_ word: String, _ meant: String?) {
        let words = ["takes", "status", "headers", "variants", "responseSets", "connectionReset"]
        #expect(Spelling.nearest(to: word, among: words) == meant)
    }

    @Test func theNearestWins() {
        #expect(Spelling.nearest(to: "request", among: ["requests!", "requests", "bequest"]) == "requests")
        #expect(Spelling.nearest(to: "a", among: []) == nil)
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1),
        ("kitten", "sitting", 3), ("ab", "ba", 1), ("é", "e", 1), ("flaw", "lawn", 2),
    ])
    func countsEdits(_ left: String, _ right: String, _ distance: Int) {
        #expect(Spelling.distance(left, right) == distance)
        #expect(Spelling.distance(right, left) == distance)
    }
}
