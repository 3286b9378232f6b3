import TapedeckCassettes
import TapedeckCore
import Testing

/// The parts that a recording keeps and changes, to the byte.
@Suite
struct CassetteMergeTests {
    /// A cassette with manual work: `≪…≫` marks parts that a recording may remove.
    private static let worked = """
        # Our API, as the app uses it.
        tapedeck: 1
        about: mine   # kept

        responseSets:
          # Sign-in, by hand.
          - name: "sign in"
            request: {method: POST, url: 'https://a.test/login'}
            variants:
              - name: success
                takes:
                  - {status: 200, body: {text: ok}}
              - name: wrong password    # the usual mistake
                takes:
                  - status: 401

          - name: GET a.test/users
            request:
              method: GET
              url: https://a.test/users
            variants:
              # First the real one.
              - name: recorded
                takes:
        ≪          - status: 200
                    recorded: '2025-01-01T00:00:00Z'
                    body:
                      text: old users
        ≫      - name: empty   # by hand
                takes:
                  - status: 200
                    body: { text: '' }

          # The end.
        """ + "\n"

    private static let text = Self.worked.replacing("≪", with: "").replacing("≫", with: "")

    private static func take(_ body: String, indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        return """
            \(space)- status: 200
            \(space)  recorded: '2026-11-21T10:00:00Z'
            \(space)  body:
            \(space)    text: \(body)

            """
    }

    private static func set(_ name: String, _ url: String, _ body: String, indent: Int = 2) -> String {
        let space = String(repeating: " ", count: indent)
        return """
            \(space)- name: \(name)
            \(space)  request:
            \(space)    method: GET
            \(space)    url: \(url)
            \(space)  variants:
            \(space)    - name: recorded
            \(space)      takes:

            """ + self.take(body, indent: indent + 8)
    }

    /// `worked` with something else in the place of the recorded takes.
    private static func worked(with takes: String) throws -> String {
        let start = try #require(self.worked.range(of: "≪"))
        let end = try #require(self.worked.range(of: "≫"))
        return String(self.worked[..<start.lowerBound]) + takes + String(self.worked[end.upperBound...])
    }

    @Test func aRecordedTakeIsReplacedInPlaceAndEverythingElseStaysByteForByte() throws {
        let fixture = try CassetteFixture(Self.text)
        try fixture.record([.made(1, "GET", "/users", text: "new users")])
        #expect(try fixture.text == Self.worked(with: Self.take("new users", indent: 10)))
    }

    @Test func severalTakesReplaceOne() throws {
        let fixture = try CassetteFixture(Self.text)
        try fixture.record([.made(1, "GET", "/users", text: "one"), .made(2, "GET", "/users", text: "two")])
        let takes = Self.take("one", indent: 10) + Self.take("two", indent: 10)
        #expect(try fixture.text == Self.worked(with: takes))
        try fixture.record([.made(1, "GET", "/users", text: "three")])
        #expect(try fixture.text == Self.worked(with: Self.take("three", indent: 10)))
    }

    @Test func aHandWrittenSetGetsAVariantBesideItsOwn() throws {
        let fixture = try CassetteFixture(Self.text)
        try fixture.record([.made(1, "POST", "/login", text: "live"), .made(2, "GET", "/users", text: "new users")])
        let set = try #require(try fixture.load().responseSets.first)
        #expect(set.variants.map(\.name) == ["success", "wrong password", "recorded"])
        let before = try Self.worked(with: Self.take("new users", indent: 10))
        let added = "      - name: recorded\n        takes:\n" + Self.take("live", indent: 10)
        let place = try #require(before.range(of: "          - status: 401\n")).upperBound
        #expect(try fixture.text == before[..<place] + added + before[place...])
    }

    @Test func variantsOfASetThatIsNotRequestedStay() throws {
        var fixture = try CassetteFixture(Self.text)
        fixture.cleans = true
        try fixture.record([.made(1, "GET", "/zebra", text: "z")])
        let cassette = try fixture.load()
        #expect(cassette.responseSets.map(\.name) == ["sign in", "GET a.test/users", "GET a.test/zebra"])
        #expect(cassette.responseSets[1].variants.map(\.name) == ["recorded", "empty"])
        let text = try fixture.text
        for comment in ["# Our API", "# kept", "# Sign-in, by hand.", "# the usual mistake", "# by hand", "# The end."]
        {
            #expect(text.contains(comment))
        }
    }

    @Test func aCleanRecordingRemovesTheRecordedSetsThatItDoesNotRequest() throws {
        var fixture = try CassetteFixture()
        fixture.cleans = true
        try fixture.record([.made(1, "GET", "/a", text: "a"), .made(2, "GET", "/b", text: "b")])
        try fixture.record([.made(1, "GET", "/b", text: "b")])
        let other = try CassetteFixture()
        try other.record([.made(1, "GET", "/b", text: "b")])
        #expect(try fixture.text == other.text)
        try fixture.record([.made(1, "GET", "/c", text: "c")])
        #expect(try fixture.text == "tapedeck: 1\nresponseSets:\n" + Self.set("GET a.test/c", "https://a.test/c", "c"))
    }

    @Test func aNewSetIsInsertedInOrderAmongTheRecordedOnes() throws {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, "GET", "/b", text: "b"), .made(2, "GET", "/d", text: "d")])
        try fixture.append([
            .made(1, "GET", "/a", text: "a"), .made(2, "GET", "/c", text: "c"), .made(3, "GET", "/e", text: "e"),
        ])
        let sets = ["a", "b", "c", "d", "e"].map { Self.set("GET a.test/\($0)", "https://a.test/\($0)", $0) }
        #expect(try fixture.text == "tapedeck: 1\nresponseSets:\n" + sets.joined())
    }

    @Test func appendingKeepsWhatWasRecorded() throws {
        let fixture = try CassetteFixture(Self.text)
        let saved = try fixture.append([.made(1, "GET", "/more", text: "more")])
        #expect(saved.exchanges == 1)
        #expect(try fixture.bodies(of: "GET a.test/users") == ["old users"])
        #expect(try fixture.bodies(of: "GET a.test/more") == ["more"])
        #expect(try fixture.text.contains("# Sign-in, by hand."))
    }

    /// A variant that was copied by hand may hold the time of the take it was made from.
    @Test func appendingDropsNoVariant() throws {
        let variants = "      - name: %\n        takes:\n" + Self.take("text of %", indent: 10)
        let text =
            "tapedeck: 1\nresponseSets:\n  - name: a\n    request:\n      method: GET\n      url: https://a.test/a\n"
            + "    variants:\n" + variants.replacing("%", with: "one") + variants.replacing("%", with: "two")
        let fixture = try CassetteFixture(text)
        try fixture.append([.made(1, "GET", "/a", text: "new")])
        let set = try #require(try fixture.load().responseSets.first)
        #expect(set.variants.map(\.name) == ["one", "two", "recorded"])
    }

    @Test func aHandWrittenTakeBetweenRecordedOnesStays() throws {
        let hand = "          - status: 503   # by hand\n"
        let head =
            "tapedeck: 1\nresponseSets:\n  - name: a\n    request:\n      method: GET\n      url: https://a.test/a\n"
            + "    variants:\n      - name: recorded\n        takes:\n"
        let fixture = try CassetteFixture(head + Self.take("1", indent: 10) + hand + Self.take("2", indent: 10))
        try fixture.record([.made(1, "GET", "/a", text: "new")])
        #expect(try fixture.text == head + Self.take("new", indent: 10) + hand)
    }

    private static let indentations = [
        """
        tapedeck: 1
        responseSets:
        - name: m
          request: {method: GET, url: 'https://a.test/m'}
          variants:
          - name: recorded
            takes:
            - status: 200
              recorded: x

        """,
        """
        tapedeck: 1
        responseSets:
            - name: m
              request:
                  method: GET
                  url: https://a.test/m
              variants:
                  - name: recorded
                    takes:
                        - status: 200
                          recorded: x

        """,
        """
        tapedeck: 1
        responseSets:
          -
            name: m
            request:
              method: GET
              url: https://a.test/m
            variants:
            -   name: recorded
                takes:
                -   status: 200
                    recorded: x

        """,
        """
        tapedeck: 1
        responseSets:
          - variants:
              - takes:
                - recorded: x
                  status: 200
                name: recorded
            request:
              url: https://a.test/m
              method: GET
            name: m

        """,
    ]

    @Test(arguments: Self.indentations)
    func anyIndentationIsKept(_ text: String) throws {
        let fixture = try CassetteFixture(text)
        try fixture.record([
            .made(1, "GET", "/m", text: "new"), .made(2, "GET", "/z", text: "z"), .made(3, "GET", "/a", text: "a"),
        ])
        let cassette = try fixture.load()
        #expect(cassette.responseSets.map(\.name) == ["GET a.test/a", "m", "GET a.test/z"])
        #expect(cassette.responseSets.map(\.variants.count) == [1, 1, 1])
        #expect(try fixture.bodies(of: "m") == ["new"])
        // All that was there but the take is still there, in its order.
        let kept = text.split(separator: "\n").filter { !$0.contains("status") && !$0.contains("recorded") }
        let written = try fixture.text
        let lines = written.split(separator: "\n")
        var index = lines.startIndex
        for line in kept {
            let found = try #require(lines[index...].firstIndex(of: line), "\(line) is missing from\n\(written)")
            index = found + 1
        }
    }

    private static let request = "request: {url: 'https://a.test/m', method: GET}"
    private static let flowStyles = [
        "[{name: m, \(Self.request), variants: [{name: v, fault: timeout}]}]",
        "\n  - name: m\n    \(Self.request)\n    variants: [{name: v, takes: [{status: 200}]}]",
        "\n  - {name: m, \(Self.request), variants: [{name: v, takes: [{status: 200}]}]}",
        """

          - name: m
            \(Self.request)
            variants:
              - {name: v, takes: [{status: 200, recorded: x}, {status: 201}]}
        """,
    ]

    @Test(arguments: Self.flowStyles)
    func flowStyleIsRewrittenWithoutLoss(_ list: String) throws {
        let fixture = try CassetteFixture("tapedeck: 1\nresponseSets: \(list)\n")
        let before = try fixture.load().responseSets[0]
        try fixture.record([.made(1, "GET", "/m", text: "new"), .made(2, "GET", "/z", text: "z")])
        let sets = try fixture.load().responseSets
        #expect(sets.map(\.name) == ["m", "GET a.test/z"])
        let handWritten = before.variants.flatMap(\.takes).filter { $0.recorded == nil }
        let after = sets[0].variants.flatMap(\.takes)
        #expect(handWritten.allSatisfy { after.contains($0) })
        #expect(after.count { $0.recorded == "2026-11-21T10:00:00Z" } == 1)
    }

    @Test(arguments: [true, false])
    func aFileWithoutAFinalLineEndIsExtended(_ records: Bool) throws {
        for text in [
            CassetteText.request("url: https://a.test/a\nmethod: GET"),
            CassetteText.request("url: https://a.test/a\nmethod: GET").replacing("status: 200", with: "{status: 200}"),
            CassetteText.variant("name: b\nfault: timeout"),
        ] {
            let fixture = try CassetteFixture(String(text.dropLast()))
            let exchanges: [RecordedExchange] = [.made(1, "GET", "/a", text: "a"), .made(2, "GET", "/z", text: "z")]
            _ = try records ? fixture.record(exchanges) : fixture.append(exchanges)
            let written = try fixture.text
            #expect(try fixture.store.check(fixture.location).diagnostics.isEmpty, "\(written)")
            #expect(try fixture.bodies(of: "GET a.test/z") == ["z"])
        }
    }

    @Test func aManuallyChosenNameIsNotUsedTwice() throws {
        let fixture = try CassetteFixture(
            CassetteText.request("url: https://a.test/elsewhere").replacing("name: a", with: "name: GET a.test/a")
        )
        try fixture.record([.made(1, "GET", "/a", text: "a")])
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/a", "GET a.test/a (2)"])
        try fixture.record([.made(1, "GET", "/a", text: "b")])
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/a", "GET a.test/a (2)"])
    }

    @Test func aManuallyChosenVariantNameIsNotUsedTwice() throws {
        let fixture = try CassetteFixture(
            CassetteText.request("url: https://a.test/a\nmethod: GET").replacing("name: b", with: "name: recorded")
        )
        try fixture.record([.made(1, "GET", "/a", text: "a")])
        #expect(try fixture.load().responseSets[0].variants.map(\.name) == ["recorded", "recorded (2)"])
    }

    @Test func bodiesAreRecordedToTheirSetsAgain() throws {
        let fixture = try CassetteFixture()
        let exchanges: [RecordedExchange] = [
            .made(1, "POST", "/a", text: "1", sends: "x"), .made(2, "POST", "/a", text: "2", sends: "y"),
        ]
        try fixture.record(exchanges)
        let text = try fixture.text.replacing("name: POST a.test/a (2)", with: "name: mine   # renamed")
        try fixture.folder.write(text, to: "api.yaml")
        #expect(try !fixture.record(exchanges).changed)
        #expect(try fixture.text == text)
    }

    @Test func aSecondBodyForAURLGetsItsOwnSet() throws {
        let fixture = try CassetteFixture()
        try fixture.record([
            .made(1, "POST", "/a", text: "1", sends: "x"), .made(2, "POST", "/a", text: "2", sends: "y"),
        ])
        try fixture.append([.made(1, "POST", "/a", text: "3", sends: "z")])
        let tape = Tape([try fixture.load()])
        let key = RequestKey(method: "POST", url: try #require(AbsoluteURL("https://a.test/a")))
        for (body, answer) in [("x", "1"), ("y", "2"), ("z", "3")] {
            let entry = try #require(
                tape.match(MatchRequest(key, body: ObservedBody(bytes: Array(body.utf8), sha256: "")))
            )
            let take = try #require(tape.entries[entry].set.variants.first?.takes.first)
            #expect(String(decoding: try fixture.decoded(take.body), as: UTF8.self) == answer)
        }
        #expect(tape.match(MatchRequest(key, body: ObservedBody(bytes: Array("w".utf8), sha256: ""))) == nil)
    }
}
