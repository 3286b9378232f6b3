import TapedeckJSON
import Testing

@testable import TapedeckCore

/// Places in which the requests of two runs of a program differ.
@Suite struct VaryingLearningTests {
    private static func comparison(learned: [VaryingPlace] = [], learns: Bool = false) throws -> VaryingComparison {
        VaryingComparison(
            VaryingComparison.Runs(
                recorded: Instant(rfc3339: "2026-11-28T12:10:58Z"),
                now: try #require(Instant(rfc3339: "2026-12-07T11:02:00Z"))
            ),
            ValueBindings(),
            learned: learned,
            learns: learns
        )
    }

    /// Returns the pieces that are learned from two texts; `nil` if they say different things.
    private static func pieces(_ recorded: String, _ live: String) throws -> [String]? {
        var comparison = try self.comparison(learns: true)
        guard comparison.isSame(recorded, live, at: "body") else { return nil }
        return comparison.lessons?.map(\.piece.description)
    }

    private static func isSame(_ recorded: String, _ live: String, _ pieces: [String]) throws -> Bool {
        let places = [VaryingPlace("body", try pieces.map { try #require(VaryingPiece($0)) })]
        var comparison = try self.comparison(learned: places)
        return comparison.isSame(recorded, live, at: "body") && comparison.isSettled
    }

    @Test(arguments: [
        ("0.532", "12.9", ["number"]), ("17", "4", ["number"]), ("-3", "8", ["number"]), ("1e-7", "3.5", ["number"]),
        ("swift-otter", "calm-lion", ["word"]), ("Ada Lovelace", "Bob Ross", ["text"]),
        ("Ada Lovelace", "Ada Hopper", ["text"]), ("Müller", "Schäfer", ["word"]),
        ("da39a3ee5e6b4b0d3255bfef95601890afd80709", "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12", ["hex"]),
        ("took 3 s", "took 14 s", ["took <number> s"]), ("took 0.53 s", "took 0.57 s", ["took <number> s"]),
        ("a,b,c", "c,a,b", ["order"]), ("a,b,c,d", "b,a,c,d", ["order"]),
        (
            "The build of 2026-11-28 took 41 minutes on swift-otter, and nothing failed.",
            "The build of 2026-12-07 took 38 minutes on calm-lion, and nothing failed.",
            ["took <number> minutes", "on <word>, and"]
        ),
        ("12 Main Street, Springfield", "7 Elm Road, Springfield", ["<text>, Springfield"]),
    ])
    func `what differs becomes a piece`(_ recorded: String, _ live: String, _ pieces: [String]) throws {
        #expect(try Self.pieces(recorded, live) == pieces)
        // The run that has shown it is answered.
        #expect(try Self.isSame(recorded, live, pieces))
    }

    /// Nothing says what stays the same.
    @Test func `texts with few words in common are learned as a whole, and nothing is not`() throws {
        let texts = ("Summarise the report in three sentences.", "Write a poem about the sea for my sister.")
        #expect(try Self.pieces(texts.0, texts.1) == ["text"])
        #expect(try Self.pieces("", "x") == nil)
    }

    @Test(arguments: [
        ("0.532", "fast", ["number"]), ("0.532", "", ["number"]), ("swift-otter", "a b", ["word"]),
        ("swift-otter", "a/b", ["word"]), ("Ada Lovelace", "Bob Ross", ["Ada <word>"]),
        ("took 3 s", "took 3 min", ["took <number> s"]), ("took 3 s", "took long s", ["took <number> s"]),
        ("a,b,c", "a,b,d", ["order"]), ("a,b,c", "a,b", ["order"]),
        ("da39a3ee5e6b", "2fd4e1c67a2", ["hex"]),
        (
            "Summarise it in three sentences; it took 3 s.", "Translate it into three sentences; it took 5 s.",
            ["it took <number> s"]
        ),
    ])
    func `only what has the shape stands there`(_ recorded: String, _ live: String, _ pieces: [String]) throws {
        #expect(try !Self.isSame(recorded, live, pieces))
    }

    private static func json(_ recorded: String, _ live: String) throws -> [String: String]? {
        var comparison = try self.comparison(learns: true)
        let values = try [recorded, live].map { try JSONValue(parsing: Array($0.utf8)) }
        guard comparison.isSame(values[0], values[1], at: "$") else { return nil }
        let lessons = comparison.lessons ?? []
        return Dictionary(lessons.map { ($0.place, $0.piece.description) }) { "\($0), \($1)" }
    }

    @Test func `values of JSON`() throws {
        #expect(try Self.json(#"{"a": 1, "b": "x"}"#, #"{"a": 2, "b": "x"}"#) == ["$.a": "number"])
        #expect(try Self.json(#"{"tags": ["a", "b", "c"]}"#, #"{"tags": ["c", "a", "b"]}"#) == ["$.tags": "order"])
        let rows = (#"[{"n": "a", "v": 1}, {"n": "b", "v": 2}]"#, #"[{"n": "b", "v": 2}, {"n": "a", "v": 1}]"#)
        #expect(try Self.json(rows.0, rows.1) == ["$": "order"])
        #expect(try Self.json(#"[["a", 1], ["b", 2]]"#, #"[["a", 3], ["b", 2]]"#) == ["$[0][1]": "number"])
    }

    @Test(arguments: [
        (#"{"a": 1}"#, #"{"a": "1"}"#), (#"{"a": 1}"#, #"{"a": 1, "b": 2}"#), (#"{"a": true}"#, #"{"a": false}"#),
        ("[1, 2]", "[1, 2, 3]"), (#"{"a": null}"#, #"{"a": 1}"#),
    ])
    func `another structure is another request`(_ recorded: String, _ live: String) throws {
        #expect(try Self.json(recorded, live) == nil)
    }

    @Test func `two runs widen what one has shown`() throws {
        func merged(_ pieces: [String]) throws -> [String] {
            var places: [VaryingPlace] = []
            for piece in pieces {
                VaryingPlace.merge([VaryingPlace("$.a", [try #require(VaryingPiece(piece))])], into: &places)
            }
            return places.flatMap(\.pieces).map(\.description)
        }
        #expect(try merged(["Ada <word>", "text"]) == ["text"])
        #expect(try merged(["number", "word"]) == ["text"])
        #expect(try merged(["hex", "word"]) == ["word"])
        #expect(try merged(["took <number> s", "took <word> s"]) == ["took <text> s"])
        #expect(try merged(["a <word> b", "c <number> d"]) == ["a <word> b", "c <number> d"])
    }

    @Test(arguments: ["", "nothing", "<number> and <word>", "<numbers>"])
    func `a piece has one shape`(_ text: String) {
        #expect(VaryingPiece(text) == nil)
    }

    // MARK: Answers

    private static func bindings(_ pairs: [(String, String)], member: String? = nil) -> ValueBindings {
        var bindings = ValueBindings()
        bindings.bind(
            pairs.map { recorded, live in
                var pair = ValueBindings.Pair(recorded: recorded, live: live, place: "$.a", isLearned: true)
                pair.member = member
                return pair
            }
        )
        return bindings
    }

    /// A live value may be the recorded one of another request.
    @Test func `values that swap their places do so in answers`() {
        let words = Self.bindings([("swift-otter", "calm-lion"), ("calm-lion", "keen-eagle")])
        #expect(words.live(in: "swift-otter, calm-lion") == "calm-lion, keen-eagle")
        let numbers = Self.bindings([("3", "7"), ("7", "3")], member: "n")
        #expect(
            numbers.live(in: #"[{"n": 3, "m": 3}, {"n":7}, {"n": "3"}, {"n": 37}]"#)
                == #"[{"n": 7, "m": 3}, {"n":3}, {"n": "7"}, {"n": 37}]"#
        )
        #expect(numbers.live(in: "n: 3") == "n: 3")
    }

    @Test(arguments: [
        (#"{"a": "Anaïs Merle"}"#, #"{"a": "Zoë \"Z\" Ünal"}"#),
        (#"{"a": "Ana\u00efs Merle"}"#, #"{"a": "Zo\u00eb \"Z\" \u00dcnal"}"#),
        ("name=Ana%C3%AFs+Merle", "name=Zo%C3%AB+%22Z%22+%C3%9Cnal"),
        ("/people/Ana%C3%AFs%20Merle", "/people/Zo%C3%AB%20%22Z%22%20%C3%9Cnal"),
        ("event: x\ndata: {\"a\": \"Anaïs Merle\"}\n\n", "event: x\ndata: {\"a\": \"Zoë \\\"Z\\\" Ünal\"}\n\n"),
        ("data: Anaïs Merle\n\n", "data: Zoë \"Z\" Ünal\n\n"), ("[1]\nAnaïs Merle", "[1]\nZoë \\\"Z\\\" Ünal"),
        ("<b>Anaïs Merle</b>", "<b>Zoë &quot;Z&quot; Ünal</b>"), ("Hi Anaïs Merle!", #"Hi Zoë "Z" Ünal!"#),
    ])
    func `a text is written as the answer writes it`(_ recorded: String, _ live: String) {
        #expect(Self.bindings([("Anaïs Merle", #"Zoë "Z" Ünal"#)]).live(in: recorded) == live)
    }
}
