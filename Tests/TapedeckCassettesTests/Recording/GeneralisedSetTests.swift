import TapedeckCassettes
import TapedeckCore
import Testing

/// Recorded sets that a person has changed since: matching exchanges are recorded into them again.
@Suite
struct GeneralisedSetTests {
    private static let users: [RecordedExchange] = [
        .made(1, "GET", "/users/1", text: "one"), .made(2, "GET", "/users/2", text: "two"),
    ]

    /// Returns a recorded cassette after a person has changed its text.
    private func fixture(
        _ exchanges: [RecordedExchange],
        _ old: String,
        _ new: String,
        answersAnyBody: Bool = false
    ) throws -> CassetteFixture {
        var fixture = try CassetteFixture()
        fixture.cleans = true
        fixture.store.answersAnyBody = answersAnyBody
        try fixture.record(exchanges)
        let text = try fixture.text
        try #require(text.range(of: old) != nil, "\(text)")
        try fixture.folder.write(text.replacing(old, with: new), to: "api.yaml")
        try #require(try fixture.store.check(fixture.location).diagnostics.isEmpty)
        return fixture
    }

    private func urls(_ fixture: CassetteFixture, set: Int = 0) throws -> [String?] {
        try fixture.load().responseSets[set].variants.flatMap(\.takes).map(\.request?.url)
    }

    @Test(arguments: [
        "urlTemplate: https://a.test/users/{id}", "urlTemplate: /users/{id}",
        #"urlPattern: 'https://a\.test/users/\d+'"#, "host: a.test",
    ])
    func aSetForManyURLsGetsTheirTakesWithTheirURLs(_ url: String) throws {
        let fixture = try self.fixture([Self.users[0]], "url: https://a.test/users/1", url)
        let before = try fixture.text
        try fixture.record(Self.users)
        let set = try #require(try fixture.load().responseSets.first)
        #expect(try fixture.load().responseSets.count == 1)
        #expect(set.name == "GET a.test/users/1")
        #expect(try fixture.bodies(of: set.name) == ["one", "two"])
        #expect(try self.urls(fixture) == ["https://a.test/users/1", "https://a.test/users/2"])
        let head = try #require(before.range(of: "takes:")).upperBound
        #expect(try fixture.text.hasPrefix(before[..<head]))
        #expect(try !fixture.record(Self.users).changed)
        #expect(try fixture.replay(Self.users) == ["one", "two"])
    }

    @Test func aRequestThatNoGeneralisedSetAnswersGetsItsOwnSet() throws {
        let fixture = try self.fixture([Self.users[0]], "url: https://a.test/users/1", "urlTemplate: /users/{id}")
        try fixture.record(
            Self.users + [.made(3, "GET", "/users", text: "all"), .made(4, "PUT", "/users/1", text: "")]
        )
        let names = try fixture.load().responseSets.map(\.name)
        #expect(names == ["GET a.test/users/1", "GET a.test/users", "PUT a.test/users/1"])
    }

    @Test func anExactURLGoesBeforeATemplate() throws {
        let fixture = try self.fixture(Self.users, "url: https://a.test/users/1", "urlTemplate: /users/{id}")
        let exchanges = Self.users + [.made(3, "GET", "/users/3", text: "three")]
        try fixture.record(exchanges)
        #expect(try fixture.bodies(of: "GET a.test/users/1") == ["one", "three"])
        #expect(try fixture.bodies(of: "GET a.test/users/2") == ["two"])
        #expect(try fixture.replay(exchanges) == ["one", "two", "three"])
    }

    @Test(arguments: [
        "urlTemplate: /users/{id}", #"urlPattern: 'https://a\.test/users/\d+'"#, "host: a.test",
        "url: https://a.test/users/1\n      headers: { accept: { contains: json } }",
        "url: https://a.test/users/1\n      body: { json: '[\"{{any}}\"]' }",
    ])
    func aGeneralisedSetThatIsNotRequestedStaysWithItsTakes(_ url: String) throws {
        let fixture = try self.fixture(Self.users, "url: https://a.test/users/1", url)
        let before = try fixture.lines(from: "  - name: GET a.test/users/1", to: "  - name: GET a.test/users/2")
        try fixture.record([.made(1, "GET", "/other", text: "other").at("https://b.test")])
        // Unchanged sets are removed, as always.
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/users/1", "GET b.test/other"])
        #expect(try fixture.text.contains(before))
        #expect(try fixture.bodies(of: "GET a.test/users/1") == ["one"])
    }

    @Test func aManualTemplateIsNotTreatedAsRecorded() throws {
        let text = CassetteText.request("urlTemplate: https://a.test/users/{id}")
        let fixture = try CassetteFixture(text)
        try fixture.record([Self.users[0]])
        #expect(try fixture.load().responseSets.map(\.name) == ["a", "GET a.test/users/1"])
        #expect(try fixture.text.hasPrefix(text))
    }

    private func order(_ number: Int, _ id: String, _ kind: String) -> RecordedExchange {
        let json = #"{"id":"\#(id)","kind":"\#(kind)"}"#
        return .made(number, "POST", "/orders", text: "\(number)", sends: json, sentType: "application/json")
    }

    @Test func aPlaceholderInABodyTakesEveryBodyThatMatches() throws {
        let fixture = try self.fixture(
            [self.order(1, "id-1", "a"), self.order(2, "id-2", "b")],
            "\"id-1\"",
            "\"{{any}}\""
        )
        let again = [self.order(1, "id-3", "a"), self.order(2, "id-4", "a"), self.order(3, "id-2", "b")]
        try fixture.record(again)
        #expect(try fixture.load().responseSets.count == 2)
        #expect(try fixture.bodies(of: "POST a.test/orders") == ["1", "2"])
        #expect(try fixture.replay(again) == ["1", "2", "3"])
        // The condition does not say what was sent, so the takes do.
        let sent = try fixture.load().responseSets[0].variants[0].takes.map(\.request?.body)
        #expect(sent.allSatisfy { $0 != nil && $0 != StoredBody.none })
    }

    @Test func bodiesInFilesOfTheJournalMeetConditionsToo() throws {
        let fixture = try self.fixture(
            [.made(1, "POST", "/a", text: "1", sends: "x")],
            "url: https://a.test/a",
            "url: https://a.test/a\n      body: { text: { contains: needle } }",
            answersAnyBody: true
        )
        let sent = Array((String(repeating: "hay ", count: 1_000) + "needle").utf8)
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
        try FileContents.replace(journal.bodyPath("request-1"), with: sent)
        var exchange = RecordedExchange.made(1, "POST", "/a", text: "2")
        exchange.requestBody = .file(name: "request-1", size: sent.count, sha256: TestDigest.digest(sent))
        try journal.append(exchange)
        _ = try fixture.store.finish(journal, to: fixture.location, expecting: 1)
        #expect(try fixture.load().responseSets.count == 1)
        #expect(try fixture.bodies(of: "POST a.test/a") == ["2"])
    }

    @Test func anAddedConditionDecidesWhatGoesIntoTheSet() throws {
        let fixture = try self.fixture(
            [.made(1, "GET", "/a", text: "1")],
            "url: https://a.test/a",
            "url: https://a.test/a\n      headers: { accept: { contains: json } }"
        )
        let again: [RecordedExchange] = [
            .made(1, "GET", "/a", text: "html").with(("Accept", "text/html")),
            .made(2, "GET", "/a", text: "json").with(("Accept", "application/json")),
        ]
        try fixture.record(again)
        #expect(try fixture.bodies(of: "GET a.test/a") == ["json"])
        #expect(try fixture.bodies(of: "GET a.test/a (2)") == ["html"])
        #expect(try fixture.replay(again) == ["html", "json"])
    }

    @Test func aSetThatRequiresAStateIsRecordedAgain() throws {
        let fixture = try self.fixture([Self.users[0]], "    request:", "    requires: { step: two }\n    request:")
        try fixture.record([.made(1, "GET", "/users/1", text: "new")])
        #expect(try fixture.load().responseSets.count == 1)
        #expect(try fixture.bodies(of: "GET a.test/users/1") == ["new"])
    }

    @Test func appendingKeepsTheTakesOfASetForManyURLs() throws {
        let fixture = try self.fixture([Self.users[0]], "url: https://a.test/users/1", "urlTemplate: /users/{id}")
        try fixture.append([.made(1, "GET", "/users/2", text: "two")])
        #expect(try fixture.bodies(of: "GET a.test/users/1") == ["one", "two"])
        #expect(try self.urls(fixture) == [nil, "https://a.test/users/2"])
    }

    @Test func appendingAddsATakeAfterTakesThatPlayOnce() throws {
        let fixture = try self.fixture(Self.users, "        takes:", "        after: unmatched\n        takes:")
        try fixture.append([.made(1, "GET", "/users/2", text: "three")])
        #expect(try fixture.bodies(of: "GET a.test/users/2") == ["two", "three"])
        #expect(try fixture.bodies(of: "GET a.test/users/1") == ["one"])
    }

    @Test func ignoredParametersAreLeftOutOfTheNotedURL() throws {
        let fixture = try self.fixture(
            [Self.users[0]],
            "url: https://a.test/users/1",
            "urlTemplate: /users/{id}"
        )
        let text = try fixture.text.replacing("tapedeck: 1\n", with: "tapedeck: 1\nignore: { query: [ts] }\n")
        try fixture.folder.write(text, to: "api.yaml")
        try fixture.record([
            .made(1, "GET", "/users/1?ts=1", text: "one"), .made(2, "GET", "/users/2?a&ts=2", text: ""),
        ])
        #expect(try self.urls(fixture) == ["https://a.test/users/1", "https://a.test/users/2?a"])
    }

    // MARK: Behaviours

    /// Returns a recorded variant that a person put into a sequence, with a body file in it.
    private func wrapped(_ image: [UInt8]) throws -> CassetteFixture {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, "GET", "/a", body: image)])
        let recorded = try fixture.text
        let takes = try #require(recorded.range(of: "        takes:\n"))
        let inner = recorded[takes.lowerBound...].split(separator: "\n").map { "    \($0)\n" }.joined()
        let sequence = "        sequence:\n          - fault: timeout\n          - times: 2\n" + inner
        try fixture.folder.write(recorded[..<takes.lowerBound] + sequence, to: "api.yaml")
        try #require(try fixture.store.check(fixture.location).diagnostics.isEmpty)
        return fixture
    }

    @Test func aVariantBuiltAroundRecordedTakesIsNeverTouched() throws {
        let image = Array(repeating: UInt8(0xF1), count: 2_000)
        let fixture = try self.wrapped(image)
        let before = try fixture.text
        for _ in 1...2 {
            try fixture.record([.made(1, "GET", "/a", text: "new")])
            let set = try #require(try fixture.load().responseSets.first)
            #expect(set.variants.map(\.name) == ["recorded", "recorded (2)"])
            #expect(try fixture.bodies(of: set.name, variant: "recorded (2)") == ["new"])
            #expect(try fixture.text.hasPrefix(before))
            #expect(fixture.bodyFiles.count == 1)
        }
        try fixture.record([.made(1, "GET", "/b", text: "other")])
        #expect(try fixture.text.hasPrefix(before))
        #expect(fixture.bodyFiles.count == 1)
    }

    @Test func aDelayOnARecordedVariantStays() throws {
        let fixture = try self.fixture([Self.users[0]], "        takes:", "        delay: 2s   # slow\n        takes:")
        try fixture.record([.made(1, "GET", "/users/1", text: "new")])
        #expect(try fixture.text.contains("        delay: 2s   # slow\n        takes:\n"))
        #expect(try fixture.bodies(of: "GET a.test/users/1") == ["new"])
    }

    private static let references = [
        "profiles:\n  mine: { 'GET a.test/users/1': recorded }\n",
        "profiles:\n  mine: { 'GET a.test/users/1': offline }\n",
    ]

    @Test(arguments: Self.references)
    func aSetThatAProfileNamesStaysWhenItIsNotRequested(_ profile: String) throws {
        let fixture = try self.fixture(Self.users, "responseSets:", profile + "responseSets:")
        try fixture.record([.made(1, "GET", "/b", text: "b")])
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/b", "GET a.test/users/1"])
        #expect(try fixture.bodies(of: "GET a.test/users/1") == ["one"])
    }

    @Test(arguments: [
        "{name: mine, variant: recorded}", "{name: mine, takes: [{status: 201}], after: {variant: recorded}}",
        "{name: mine, sequence: [{fault: timeout}, recorded]}",
        "{name: mine, when: {method: GET}, then: recorded, otherwise: {fault: timeout}}",
        "{name: mine, random: [{variant: recorded}, {fault: timeout}]}",
    ])
    func aVariantThatAnotherOnePlaysStaysWhenItIsNotRequested(_ variant: String) throws {
        let fixture = try self.fixture([Self.users[0]], "    variants:\n", "    variants:\n      - \(variant)\n")
        let text = try fixture.text
        try fixture.record([.made(1, "GET", "/z", text: "z")])
        #expect(try fixture.text.hasPrefix(text))
    }

    @Test func theSelectedVariantStaysWhenItIsNotRequested() throws {
        let fixture = try self.fixture(
            [Self.users[0]],
            "    variants:\n",
            "    selected: recorded\n    variants:\n      - { name: mine, fault: timeout }\n"
        )
        try fixture.record([.made(1, "GET", "/z", text: "z")])
        #expect(try fixture.load().responseSets[0].variants.map(\.name) == ["mine", "recorded"])
    }
}
