import TestShare
import Testing

@testable import TapedeckCore

@Suite
struct TapeTests {
    private func tape(_ sets: [ResponseSet]) -> Tape {
        Tape([Samples.cassette(sets)])
    }

    private func winner(_ tape: Tape, _ method: String, _ url: String, body: String? = nil) throws -> String? {
        let entry = tape.match(try Samples.matchRequest(method, url, body: body))
        return entry.map { tape.entries[$0].set.name }
    }

    private func needsBody(_ tape: Tape, _ method: String, _ url: String) throws -> Bool {
        var matchRequest = try Samples.matchRequest(method, url)
        matchRequest.body = nil
        var state = SessionState(name: "s", mode: .replay, tape: tape)
        return state.needsBody(matchRequest)
    }

    @Test func anotherSpellingOfTheURLIsTheSameRequest() throws {
        let tape = try self.tape([Samples.set("a", "GET", "https://Example.com:443/%7Ea?x=1&y=2#top")])
        #expect(try self.winner(tape, "GET", "https://example.com/~a?y=2&x=1") == "a")
        #expect(try self.winner(tape, "GET", "https://example.com/~a?y=2") == nil)
        #expect(try self.winner(tape, "GET", "https://example.com/~a?x=1&y=2&z") == nil)
    }

    @Test func aSetForAnyMethodAnswersIfNoSetForTheMethodMatches() throws {
        let url = "https://example.com/a"
        let tape = try self.tape([
            Samples.set("any", nil, url), Samples.set("post", "POST", url, body: Samples.text("x")),
            Samples.set("get", "GET", url),
        ])
        #expect(try self.winner(tape, "GET", url) == "get")
        #expect(try self.winner(tape, "DELETE", url) == "any")
        #expect(try self.winner(tape, "POST", url, body: "x") == "post")
        #expect(try self.winner(tape, "POST", url, body: "y") == "any")
    }

    @Test func setsWithABodyConditionAreTriedFirstInAnyFileOrder() throws {
        let url = "https://example.com/a"
        let tape = try self.tape([
            Samples.set("whatever", "POST", url), Samples.set("x", "POST", url, body: Samples.text("x")),
            Samples.set("second x", "POST", url, body: Samples.text("x")),
            Samples.set("json", "POST", url, body: Samples.json(#"{"a": 1}"#)),
        ])
        #expect(try self.needsBody(tape, "POST", url))
        #expect(try self.winner(tape, "POST", url, body: "x") == "x")
        #expect(try self.winner(tape, "POST", url, body: #"{"a":1}"#) == "json")
        #expect(try self.winner(tape, "POST", url, body: "z") == "whatever")
        #expect(try self.winner(tape, "POST", url) == "whatever")
    }

    @Test func eachOfManyBodiesOfOneURLIsFound() throws {
        let url = "https://example.com/graphql"
        let count = rounds(10_000)
        let sets = try (0..<count).map {
            try Samples.set("\($0)", "POST", url, body: Samples.json(#"{"query": "\#($0)"}"#))
        }
        let tape = self.tape(sets)
        for number in stride(from: 0, to: count, by: 97) {
            #expect(try self.winner(tape, "POST", url, body: #"{"query":"\#(number)"}"#) == "\(number)")
        }
        #expect(try self.winner(tape, "POST", url, body: #"{"query":"x"}"#) == nil)
    }

    @Test func theFirstOfSeveralMatchingBodyConditionsWins() throws {
        let url = "https://example.com/a"
        let conditions = [
            Samples.json("[1, 2]"), Samples.text("[1, 2]"), BodyMatcher.sha256(Samples.body("[1, 2]").sha256),
        ]
        for first in conditions.indices {
            let order = Array(conditions[first...] + conditions[..<first])
            let sets = try order.enumerated().map { try Samples.set("\($0)", "POST", url, body: $1) }
            #expect(try self.winner(self.tape(sets), "POST", url, body: "[1, 2]") == "0")
        }
    }

    @Test func theFirstOfEqualSetsWins() throws {
        let url = "https://example.com/a"
        let first = try Samples.cassette([Samples.set("one", "GET", url), Samples.set("two", "GET", url)], name: "a")
        let second = try Samples.cassette([Samples.set("three", "GET", url)], name: "b")
        let tape = Tape([second, first])
        #expect(try self.winner(tape, "GET", url) == "three")
        #expect(tape.entries.map(\.cassette) == [0, 1, 1])
        #expect(tape.cassettes.map(\.name) == ["b", "a"])
    }

    @Test func theBodyIsNeededOnlyForABodyCondition() throws {
        let tape = try self.tape([
            Samples.set("get", "GET", "https://example.com/a"),
            Samples.set("post", "POST", "https://example.com/a", body: Samples.text("x")),
            Samples.set("any", nil, "https://example.com/b", body: Samples.text("x")),
        ])
        #expect(try !self.needsBody(tape, "GET", "https://example.com/a"))
        #expect(try self.needsBody(tape, "POST", "https://example.com/a"))
        #expect(try self.needsBody(tape, "PATCH", "https://example.com/b"))
        #expect(try !self.needsBody(tape, "GET", "https://example.com/c"))
        #expect(try self.winner(tape, "POST", "https://example.com/a") == nil)
    }

    @Test func eachTakeHasTheKindsOfItsFaultAndCoding() throws {
        let takes = [
            Take(), Take(fault: .timeout), Take(fault: .truncatedBody),
            Take(body: .inline(InlineBody(form: .text, content: [0x61], coding: .gzip))),
            Take(body: .file(BodyFile(name: "a", path: "a", size: 1, coding: .deflate))),
        ]
        let tape = try self.tape([Samples.set("a", "GET", "https://example.com/a", takes: takes)])
        #expect(takes.indices.map { tape.kind(ofTake: $0) } == [[], [.fault, .faulty], .faulty, .coded, .coded])
    }

    @Test func takesAreNumberedAcrossTheTape() throws {
        let statuses = [[200, 201], [300], [400, 401, 402]]
        let sets = try statuses.enumerated().map { number, statuses in
            try Samples.set(
                "\(number)",
                "GET",
                "https://example.com/\(number)",
                takes: statuses.map { Take(status: $0) }
            )
        }
        let tape = Tape([Samples.cassette([sets[0]], name: "a"), Samples.cassette([sets[1], sets[2]], name: "b")])
        let all = statuses.flatMap { $0 }
        #expect(tape.takes.prefix(all.count).map(\.status) == all)
        #expect(all.indices.map { tape.cassette(ofTake: $0)?.name } == ["a", "a", "b", "b", "b", "b"])
        #expect(tape.takes.indices.dropFirst(all.count).allSatisfy { tape.cassette(ofTake: $0) == nil })
    }
}
