import TapedeckCore
import Testing

@testable import TapedeckSessions

@Suite
struct SessionJournalTests {
    private func request(_ path: String, fields: String = "") throws -> JournalRequest {
        let head = "GET \(path) HTTP/1.1\r\nHost: api.example.test\r\n\(fields)\r\n"
        let origin = try #require(Origin("http://api.example.test"))
        return JournalRequest(head: Array(head.utf8), origin: origin, pathStart: 0)
    }

    private func note(_ path: String, in journal: SessionJournal, body: Int = 0) throws -> Int {
        journal.add(
            try self.request(path),
            at: .now,
            body: JournalBody(bytes: Array(repeating: 0x61, count: body), length: body),
            outcome: .pending
        )
    }

    @Test func requestsAreKeptInOrderAndParsedOnDemand() throws {
        let journal = SessionJournal()
        #expect(try self.note("/a?x=1", in: journal) == 1)
        #expect(try self.note("/b", in: journal) == 2)
        let view = journal.view()
        #expect(
            view.entries.map(\.request.line.description) == [
                "GET http://api.example.test/a?x=1", "GET http://api.example.test/b",
            ]
        )
        #expect(view.entries.first?.request.fields == [HeaderField("Host", "api.example.test")])
        #expect(view.seen == 2)
        #expect(view.oldest == 1)
    }

    @Test func theOldestEntriesAreDroppedBeyondTheLimits() throws {
        var limits = SessionJournal.Limits()
        limits.entries = 3
        let few = SessionJournal(limits: limits)
        for number in 1...10 { _ = try self.note("/\(number)", in: few) }
        #expect(few.view().entries.map(\.number) == [8, 9, 10])
        #expect(few.view().oldest == 8)
        #expect(few.view().seen == 10)
        #expect(few.entry(7) == nil)
        #expect(few.entry(8)?.request.line.url.target == "/8")

        limits = SessionJournal.Limits()
        limits.bytes = 10_000
        let small = SessionJournal(limits: limits)
        for number in 1...10 { _ = try self.note("/\(number)", in: small, body: 3_000) }
        #expect(small.view().entries.count <= 3)
        #expect(small.view().entries.last?.number == 10)
    }

    @Test func manyJournalsTogetherStayWithinTheMemoryLimit() throws {
        var limits = SessionJournal.Limits()
        limits.allBytes = 100_000
        let budget = SessionJournal.Budget(limits)
        let hog = SessionJournal(limits: limits, budget: budget)
        for number in 1...40 { _ = try self.note("/\(number)", in: hog, body: 2_000) }
        // The memory is used up, and yet each has room for its share of small entries.
        let late = (0..<3).map { _ in SessionJournal(limits: limits, budget: budget) }
        for number in 1...50 { for journal in late { _ = try self.note("/\(number)", in: journal) } }
        #expect(late.allSatisfy { $0.view().entries.count == 50 })
        // None keeps a large body beyond its share, not even one.
        let many = try (0..<200).map { _ in
            let journal = SessionJournal(limits: limits, budget: budget)
            _ = try self.note("/large", in: journal, body: 50_000)
            return journal
        }
        let bodies = many.flatMap { $0.view().entries }.compactMap(\.requestBody)
        #expect(bodies.count == 200)
        #expect(bodies.allSatisfy { $0.length == 50_000 })
        #expect(bodies.reduce(0) { $0 + $1.bytes.count } < 200_000)
    }

    @Test func aBodyHeldOnlyByTheJournalCountsTowardsItsLimit() throws {
        let url = try #require(AbsoluteURL("http://api.example.test/a"))
        var limits = SessionJournal.Limits()
        limits.bytes = 100_000
        let session = Session(
            Session.Settings(mode: .replay),
            tape: Tape([]),
            journal: SessionJournal(limits: limits)
        )
        for _ in 1...20 {
            let body = RunningProxy.text(String(repeating: "x", count: 30_000))
            session.add(
                ResponseSet(
                    name: "a",
                    request: RequestMatcher(method: "GET", url: url),
                    variants: [Variant(name: "a", takes: [Take(body: body), Take(body: body)])]
                )
            )
            for _ in 1...5 { _ = try self.playTwice(session, url) }
        }
        session.removeAllAdded()
        let view = session.journal.view()
        #expect(view.seen == 100)
        #expect(view.entries.count <= 20)
        #expect(view.entries.count >= 5)
    }

    @Test func anAnswerNotedAfterItsTapeIsReplacedReleasesTheTape() throws {
        let session = Session(Session.Settings(mode: .replay), tape: Tape([]))
        session.add(try SharedProxy.set("one"))
        let journal = session.journal
        weak let tape = session.tapes.added
        let number = try self.note("/a", in: journal)
        do {
            let url = try #require(AbsoluteURL(SharedProxy.url))
            guard case .play(let play) = session.answer(MatchRequest(RequestKey(method: "GET", url: url))) else {
                Issue.record("not played")
                return
            }
            session.removeAllAdded()
            journal.change(number) { $0.outcome = .played(PlayedAnswer(play)) }
        }
        session.removeAllAdded()
        #expect(tape == nil)
        #expect(journal.entry(number) != nil)
    }

    @Test func journalsShareAMemoryLimitAndEachKeepsAFewEntries() throws {
        var limits = SessionJournal.Limits()
        limits.allBytes = 100_000
        let budget = SessionJournal.Budget(limits)
        let first = SessionJournal(limits: limits, budget: budget)
        let second = SessionJournal(limits: limits, budget: budget)
        for number in 1...40 { _ = try self.note("/\(number)", in: first, body: 2_000) }
        #expect(first.view().entries.count == 40)
        for number in 1...40 { _ = try self.note("/\(number)", in: second, body: 2_000) }
        #expect(second.view().entries.count < 40)
        #expect(second.view().entries.count >= 16)
        first.clear()
        for number in 41...60 { _ = try self.note("/\(number)", in: second, body: 2_000) }
        #expect(second.view().entries.count > 20)
    }

    @Test func aChangedEntryGetsANewVersionAndIsFoundByIt() throws {
        let journal = SessionJournal()
        let first = try self.note("/a", in: journal)
        _ = try self.note("/b", in: journal)
        let before = journal.view().version
        journal.change(first) { entry in
            entry.ending = .complete
            entry.microseconds = 12
        }
        let changed = journal.view(after: before)
        #expect(changed.entries.map(\.number) == [first])
        #expect(changed.entries.first?.ending == .complete)
        #expect(journal.view(after: changed.version).entries.isEmpty)
        // A removed entry changes nothing.
        journal.change(99) { $0.ending = .cut }
        #expect(journal.view(after: changed.version).entries.isEmpty)
    }

    @Test func givesPagesFromBothEnds() throws {
        let journal = SessionJournal()
        for number in 1...10 { _ = try self.note("/\(number)", in: journal) }
        #expect(journal.view(limit: 3).entries.map(\.number) == [1, 2, 3])
        #expect(journal.view(limit: 3, fromEnd: true).entries.map(\.number) == [8, 9, 10])
        #expect(journal.view(numbers: 4..<7).entries.map(\.number) == [4, 5, 6])
        let even = journal.view(limit: 2, fromEnd: true) { $0.number % 2 == 0 }
        #expect(even.entries.map(\.number) == [8, 10])
    }

    @Test func numbersGoOnAfterItWasCleared() throws {
        let journal = SessionJournal()
        _ = try self.note("/a", in: journal)
        journal.clear()
        #expect(journal.view().entries.isEmpty)
        #expect(try self.note("/b", in: journal) == 2)
        #expect(journal.entry(2)?.number == 2)
        #expect(journal.view().oldest == 2)
    }

    @Test func aPlayedAnswerKeepsItsNamesAndReleasesItsTape() throws {
        let url = try #require(AbsoluteURL("http://api.example.test/a"))
        let takes = [201, 202].map { Take(status: $0) }
        let set = ResponseSet(
            name: "a",
            request: RequestMatcher(method: "GET", url: url),
            variants: [Variant(name: "first", takes: [Take()]), Variant(name: "second", takes: takes)]
        )
        let session = Session(
            Session.Settings(mode: .replay),
            tape: Tape([Cassette(name: "tape", responseSets: [set])])
        )
        try session.select("second", of: "a")
        weak let tape = session.tape
        let number = try self.playTwice(session, url)
        for isReplaced in [false, true] {
            if isReplaced { session.replaceTape(Tape([Cassette(name: "other", responseSets: [])])) }
            guard case .played(let answer)? = session.journal.entry(number)?.outcome else {
                Issue.record("not played")
                return
            }
            #expect(answer.names.set == "a")
            #expect(answer.names.cassette == "tape")
            #expect(answer.names.variant == "second")
            #expect(answer.names.number == 2)
            #expect(answer.names.rule.hasPrefix("exact URL"))
            #expect(answer.names.take.status == 202)
        }
        #expect(tape == nil)
    }

    @Test func identicalTakesAreDistinguished() throws {
        let url = try #require(AbsoluteURL("http://api.example.test/a"))
        let set = ResponseSet(
            name: "a",
            request: RequestMatcher(method: "GET", url: url),
            variants: [
                Variant(name: "first", takes: [Take()]),
                Variant(name: "second", takes: [201, 202, 201].map { Take(status: $0) }),
                Variant(name: "third", behaviour: Behaviour(.variant("second"))),
            ]
        )
        let other = ResponseSet(name: "b", request: RequestMatcher(method: "PUT", url: url), variants: set.variants)
        let tape = Tape([Cassette(name: "tape", responseSets: [other, set])])
        let session = Session(Session.Settings(mode: .replay), tape: tape)
        func number() -> Int {
            guard case .play(let play) = session.answer(MatchRequest(RequestKey(method: "GET", url: url))) else {
                return 0
            }
            return play.number
        }
        #expect(number() == 1)
        for variant in ["second", "third"] {
            session.resetAll()
            try session.select(variant, of: "a")
            #expect([number(), number(), number()] == [1, 2, 3])
        }
        try session.select("offline", of: "a")
        #expect(number() == 1)
    }

    /// Asks twice and notes the second answer.
    private func playTwice(_ session: Session, _ url: AbsoluteURL) throws -> Int {
        let matchRequest = MatchRequest(RequestKey(method: "GET", url: url))
        _ = session.answer(matchRequest)
        guard case .play(let play) = session.answer(matchRequest) else { return 0 }
        return session.journal.add(
            try self.request("/a"),
            at: .now,
            body: .empty,
            outcome: .played(PlayedAnswer(play))
        )
    }
}
