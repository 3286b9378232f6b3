import Testing

@testable import TapedeckCore

@Suite
struct TapeTests {
    private func tape(_ sets: [ResponseSet]) -> Tape {
        Tape([Samples.cassette(sets)])
    }

    private func winner(_ tape: Tape, _ method: String, _ url: String, body: String? = nil) throws -> String? {
        let entry = try tape.match(Samples.key(method, url), body: body.map(Samples.body))
        return entry.map { tape.entries[$0].set.name }
    }

    @Test func anotherSpellingOfTheURLIsTheSameRequest() throws {
        let tape = try self.tape([Samples.set("a", "GET", "https://Example.com:443/%7Ea?x=1&y=2#top")])
        #expect(try self.winner(tape, "GET", "https://example.com/~a?y=2&x=1") == "a")
        #expect(try self.winner(tape, "GET", "https://example.com/~a?y=2") == nil)
        #expect(try self.winner(tape, "GET", "https://example.com/~a?x=1&y=2&z") == nil)
    }

    @Test func aSetOfAnyMethodAnswersWhereNoneOfTheMethodDoes() throws {
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

    @Test func setsWithABodyConditionAreAskedFirstWhateverTheFileOrder() throws {
        let url = "https://example.com/a"
        let tape = try self.tape([
            Samples.set("whatever", "POST", url), Samples.set("x", "POST", url, body: Samples.text("x")),
            Samples.set("second x", "POST", url, body: Samples.text("x")),
            Samples.set("json", "POST", url, body: Samples.json(#"{"a": 1}"#)),
        ])
        #expect(try tape.needsBody(Samples.key("POST", url)))
        #expect(try self.winner(tape, "POST", url, body: "x") == "x")
        #expect(try self.winner(tape, "POST", url, body: #"{"a":1}"#) == "json")
        #expect(try self.winner(tape, "POST", url, body: "z") == "whatever")
        #expect(try self.winner(tape, "POST", url) == "whatever")
    }

    @Test func eachOfTenThousandBodiesOfOneURLIsFound() throws {
        let url = "https://example.com/graphql"
        let sets = try (0..<10_000).map {
            try Samples.set("\($0)", "POST", url, body: Samples.json(#"{"query": "\#($0)"}"#))
        }
        let tape = self.tape(sets)
        for number in stride(from: 0, to: 10_000, by: 97) {
            #expect(try self.winner(tape, "POST", url, body: #"{"query":"\#(number)"}"#) == "\(number)")
        }
        #expect(try self.winner(tape, "POST", url, body: #"{"query":"x"}"#) == nil)
    }

    @Test func amongConditionsOfDifferentKindsTheFirstInTheFileWins() throws {
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

    @Test func amongEqualsTheFirstInTheFileWins() throws {
        let url = "https://example.com/a"
        let first = try Samples.cassette([Samples.set("one", "GET", url), Samples.set("two", "GET", url)], name: "a")
        let second = try Samples.cassette([Samples.set("three", "GET", url)], name: "b")
        let tape = Tape([second, first])
        #expect(try self.winner(tape, "GET", url) == "three")
        #expect(tape.entries.map(\.cassette) == [0, 1, 1])
        #expect(tape.cassettes == ["b", "a"])
    }

    @Test func onlyAConditionAsksForTheBody() throws {
        let tape = try self.tape([
            Samples.set("get", "GET", "https://example.com/a"),
            Samples.set("post", "POST", "https://example.com/a", body: Samples.text("x")),
            Samples.set("any", nil, "https://example.com/b", body: Samples.text("x")),
        ])
        #expect(try !tape.needsBody(Samples.key("GET", "https://example.com/a")))
        #expect(try tape.needsBody(Samples.key("POST", "https://example.com/a")))
        #expect(try tape.needsBody(Samples.key("PATCH", "https://example.com/b")))
        #expect(try !tape.needsBody(Samples.key("GET", "https://example.com/c")))
        #expect(try self.winner(tape, "POST", "https://example.com/a") == nil)
    }

    @Test func saysWhatPlayingATakeDependsOn() throws {
        let takes = [
            Take(), Take(fault: .timeout), Take(fault: .truncatedBody),
            Take(body: .inline(InlineBody(form: .text, content: [0x61], coding: .gzip))),
            Take(body: .file(BodyFile(name: "a", path: "a", size: 1, coding: .deflate))),
        ]
        let tape = try self.tape([Samples.set("a", "GET", "https://example.com/a", takes: takes)])
        #expect(takes.indices.map { tape.kind(ofTake: $0) } == [[], .fault, [], .coded, .coded])
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
        let tape = Tape([Samples.cassette([sets[0]]), Samples.cassette([sets[1], sets[2]])])
        #expect(tape.takes.map(\.status) == statuses.flatMap { $0 })
        for (number, statuses) in statuses.enumerated() {
            for position in 0..<6 {
                let take = tape.takeNumber(entry: number, position: position)
                #expect(tape.takes[take].status == statuses[min(position, statuses.count - 1)])
            }
        }
    }

    @Test(arguments: 1...4)
    func matchesAsAPlainScanOfTheRulesDoes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let methods = ["GET", "POST", "PUT"]
        let bodies = ["", "x", "y"]
        func url(_ generator: inout SeededGenerator) -> String {
            let query = ["", "?a=1&b=2", "?b=2&a=1", "?%61=1&b=2"].randomElement(using: &generator) ?? ""
            let host = "h\(Int.random(in: 0...1, using: &generator)).test"
            return "https://\(host)/\(Int.random(in: 0...2, using: &generator))\(query)"
        }
        for _ in 0..<25 {
            var sets: [ResponseSet] = []
            for number in 0..<Int.random(in: 0...40, using: &generator) {
                let method =
                    Int.random(in: 0...3, using: &generator) == 0 ? nil : methods.randomElement(using: &generator)
                let body = Bool.random(using: &generator) ? bodies.randomElement(using: &generator) : nil
                sets.append(try Samples.set("\(number)", method, url(&generator), body: body.map(Samples.text)))
            }
            let tape = self.tape(sets)
            for _ in 0..<60 {
                let method = methods.randomElement(using: &generator) ?? ""
                let asked = url(&generator)
                let body = bodies.randomElement(using: &generator) ?? ""
                let key = try Samples.key(method, asked)
                func plain(_ wanted: String?) throws -> ResponseSet? {
                    let same = sets.filter {
                        $0.request.method == wanted
                            && RequestKey(method: method, url: $0.request.url) == key
                    }
                    return same.first { $0.request.body == Samples.text(body) }
                        ?? same.first { $0.request.body == nil }
                }
                let expected = try plain(method) ?? plain(nil)
                #expect(try self.winner(tape, method, asked, body: body) == expected?.name)
                // A tape that says the body is of no interest answers the same without it.
                if !tape.needsBody(key) {
                    #expect(try self.winner(tape, method, asked) == expected?.name)
                }
            }
        }
    }
}
