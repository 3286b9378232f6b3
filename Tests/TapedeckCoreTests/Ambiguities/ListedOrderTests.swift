import Testing

@testable import TapedeckCore

/// Priorities for the stubs of tools of which the first that matches answers.
@Suite struct ListedOrderTests {
    private static func exact(_ path: String, headers: [RequestMatcher.Field] = []) -> ResponseSet {
        var matcher = RequestMatcher(methods: ["GET"], url: .exactPath(path), headers: headers)
        matcher.refusesOtherQuery = false
        return ResponseSet(name: path, request: matcher, variants: [Variant(name: "a", takes: [Take(status: 200)])])
    }

    private static func pattern(_ source: String, method: String = "GET") throws -> ResponseSet {
        let matcher = RequestMatcher(methods: [method], url: .pattern(try Pattern(source, scope: .whole)))
        return ResponseSet(name: source, request: matcher, variants: [Variant(name: "a", takes: [Take(status: 200)])])
    }

    /// The sets that answer requests for paths, once the sets have their priorities.
    private static func answering(_ sets: [ResponseSet], _ paths: [String]) -> [String?] {
        var sets = sets
        for (index, priority) in ListedOrder.priorities(of: sets).enumerated() { sets[index].priority = priority }
        let stack = TapeStack(Tape([Cassette(name: "c", responseSets: sets)]))
        return paths.map { path in
            let url = AbsoluteURL(origin: Origin(scheme: .http, host: "a.test"), target: path)
            let request = MatchRequest(RequestKey(method: "GET", url: url))
            var candidates = stack.facts(request, SecretBindings(), state: [:], scratch: PatternScratch()).candidates
            return candidates.next().map { $0.tape.entries[$0.entry].set.name }
        }
    }

    @Test func setsThatNoRequestIsForHaveNoPriority() throws {
        let sets = [
            Self.exact("/a"), Self.exact("/b"), try Self.pattern("/c/.*"), try Self.pattern("/.*", method: "POST"),
        ]
        #expect(ListedOrder.priorities(of: sets) == [0, 0, 0, 0])
        #expect(ListedOrder.priorities(of: []) == [])
    }

    @Test func theFirstThatMatchesAnswers() throws {
        let sets = [
            try Self.pattern("/a/.*"), Self.exact("/a/1"), Self.exact("/b"),
            Self.exact("/b", headers: [.init("X", .absent)]), try Self.pattern("/.*"),
        ]
        #expect(ListedOrder.priorities(of: sets) == [1, 0, 1, 0, 0])
        #expect(Self.answering(sets, ["/a/1", "/a/2", "/b", "/c"]) == ["/a/.*", "/a/.*", "/b", "/.*"])
        let reversed = Array(sets.reversed())
        #expect(Self.answering(reversed, ["/a/1", "/b"]) == ["/.*", "/.*"])
    }

    @Test func moreSetsThanAreComparedKeepTheirOrder() throws {
        let sets = try (0..<1_500).map { try Self.pattern("/\($0)/.*") }
        let priorities = ListedOrder.priorities(of: sets)
        #expect(priorities == priorities.sorted(by: >))
    }
}
