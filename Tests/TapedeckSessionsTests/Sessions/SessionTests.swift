import TapedeckCore
import Testing

@testable import TapedeckSessions

@Suite
struct SessionTests {
    private static let url = "https://a.test/a"

    private func session(_ mode: Mode = .replay) throws -> Session {
        let request = RequestMatcher(method: "GET", url: try #require(AbsoluteURL(Self.url)))
        let takes = [Take(status: 200), Take(status: 201)]
        let set = ResponseSet(name: "a", request: request, variants: [Variant(name: "b", takes: takes)])
        return Session(Session.Settings(mode: mode), tape: Tape([Cassette(name: "test", responseSets: [set])]))
    }

    private func line(_ url: String) throws -> RequestLine {
        RequestLine(method: "GET", url: try #require(AbsoluteURL(url)))
    }

    private func matchRequest(_ url: String = Self.url) throws -> MatchRequest {
        MatchRequest(RequestKey(method: "GET", url: try self.line(url).url))
    }

    private func ask(_ session: Session, _ url: String = Self.url) throws -> Decision {
        session.answer(try self.matchRequest(url))
    }

    /// The number of the take that is played.
    private func take(_ session: Session) throws -> Int? {
        guard case .play(let play) = try self.ask(session) else { return nil }
        return play.take
    }

    @Test func countsPlayedTakes() throws {
        let session = try self.session()
        #expect(try [self.take(session), self.take(session), self.take(session)] == [0, 1, 1])
        #expect(session.report().played == 3)
        #expect(session.report().forwarded == 0)
        #expect(session.report().unmatchedCount == 0)
    }

    @Test func everyMissHasItsOwnReportAndTheFirstOnesAreKept() throws {
        let session = try self.session()
        for number in 0..<150 {
            guard case .reject(let report, _) = try self.ask(session, "https://a.test/missing/\(number)") else {
                Issue.record("not rejected")
                return
            }
            #expect(report.request.url.target == "/missing/\(number)")
            #expect(report.nearest.map(\.set) == ["a"])
            #expect(report.session == "default")
        }
        let report = session.report()
        #expect(report.unmatchedCount == 150)
        #expect(report.unmatched.count == 100)
        #expect(report.unmatched.last?.request.url.target == "/missing/99")
    }

    @Test func headerFieldsAreTakenOffTheHeadOnlyForATapeThatAsksForThem() throws {
        let url = try self.line(Self.url).url
        let key = RequestKey(method: "GET", url: url)
        let session = try self.session()
        var asked = 0
        func answer(_ value: String) -> Int? {
            let decision = session.answer(key, body: .empty, selects: false) {
                asked += 1
                return [HeaderField("X-Kind", value)]
            }
            guard case .play(let play) = decision else { return nil }
            return play.tape.takes[play.take].status
        }
        #expect(answer("a") == 200)
        #expect(asked == 0)

        let request = RequestMatcher(url: .exact(url), headers: [RequestMatcher.Field("x-kind", .equals("a"))])
        let set = ResponseSet(name: "a", request: request, variants: [Variant(name: "b", takes: [Take(status: 204)])])
        session.replaceTape(Tape([Cassette(name: "other", responseSets: [set])]))
        #expect(answer("a") == 204)
        #expect(asked == 1)
        #expect(answer("b") == nil)
    }

    @Test func aRequestRejectedBeforeMatchingIsReportedWithoutPlayingATake() throws {
        let session = try self.session()
        let report = session.refuse(try self.line(Self.url))
        #expect(report.request.url.description == Self.url)
        #expect(session.report().unmatchedCount == 1)
        #expect(session.report().played == 0)
        #expect(try self.take(session) == 0)
    }

    @Test func theBodyIsAskedForOnlyInModesThatPlay() throws {
        let url = try #require(AbsoluteURL(Self.url))
        let body = BodyMatcher.bytes(InlineBody(form: .text, content: [0x78]))
        let request = RequestMatcher(method: "GET", url: url, body: body)
        let set = ResponseSet(name: "a", request: request, variants: [Variant(name: "b", takes: [Take()])])
        let tape = Tape([Cassette(name: "test", responseSets: [set])])
        for mode in Mode.allCases {
            let session = Session(Session.Settings(mode: mode), tape: tape)
            let decision = session.answerBeforeBody(RequestKey(method: "GET", url: url), fields: [])
            #expect((decision == nil) == mode.plays)
        }
    }

    @Test func duringAReloadNoRequestIsMatchedWithoutTheBodyItNeeds() async throws {
        let url = try #require(AbsoluteURL(Self.url))
        let body = BodyMatcher.bytes(InlineBody(form: .text, content: [0x78]))
        let tapes = [nil, body].map { body in
            let request = RequestMatcher(method: "POST", url: url, body: body)
            let set = ResponseSet(name: "a", request: request, variants: [Variant(name: "b", takes: [Take()])])
            return Tape([Cassette(name: "test", responseSets: [set])])
        }
        let session = Session(Session.Settings(mode: .replay), tape: tapes[0])
        let key = RequestKey(method: "POST", url: url)
        #expect(session.answerBeforeBody(key, fields: []) != nil)
        session.replaceTape(tapes[1])
        #expect(session.answerBeforeBody(key, fields: []) == nil)
        async let reloads: Void = {
            for number in 0..<5_000 { session.replaceTape(tapes[number % 2]) }
        }()
        for _ in 0..<5_000 { _ = session.answerBeforeBody(key, fields: []) }
        await reloads
        #expect(session.report().unmatchedCount == 0)
    }

    @Test func onlyForwardedRequestsWithAProblemAreKept() throws {
        let session = try self.session(.record)
        let line = try self.line(Self.url)
        session.noteForwarded(ForwardedRequest(request: line, failure: nil, notRecorded: nil))
        for number in 0..<150 {
            session.noteForwarded(ForwardedRequest(request: line, failure: nil, notRecorded: "\(number)"))
        }
        let report = session.report()
        #expect(report.forwarded == 151)
        #expect(report.troubles.count == 100)
        #expect(report.troubles.first?.notRecorded == "0")
    }

    @Test func aReportIsASnapshot() async throws {
        let line = try self.line(Self.url)
        for _ in 0..<50 {
            let session = try self.session(.record)
            async let forwards: Void = {
                for _ in 0..<100 { session.noteForwarded(ForwardedRequest(request: line, notRecorded: "too large")) }
            }()
            var report = session.report()
            while report.forwarded < 100 {
                // The other task may need this thread.
                await Task.yield()
                report = session.report()
                #expect(report.troubles.count == report.forwarded)
            }
            await forwards
        }
    }

    @Test func manyTasksAtOnceLoseNoCountAndShareTheTakes() async throws {
        let session = try self.session()
        let matchRequest = try self.matchRequest()
        let first = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).count { _ in
                        if case .play(let play) = session.answer(matchRequest) { play.take == 0 } else { false }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(first == 1)
        #expect(session.report().played == 1_600)
    }
}
