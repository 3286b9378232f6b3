import TestShare
import Testing

@testable import TapedeckCore

/// The index of a tape gives the same answer as asking every set, and spellings that mean the same are the same.
@Suite
struct MatchingPropertyTests {
    @Test(arguments: seeds(12))
    func theIndexAnswersAsAPlainScanOfAllSetsDoes(seed: UInt64) throws {
        var random = try RandomTape(seed: seed)
        let scratch = PatternScratch()
        var answered = 0
        for _ in 0..<150 {
            let tape = Tape(try random.cassettes())
            for _ in 0..<15 {
                scratch.beginRequest()
                let matchRequest = try random.matchRequest()
                let state = random.state()
                let found = tape.match(matchRequest, state: state, scratch: scratch)
                let expected = tape.matchByScan(matchRequest, state: state, scratch: scratch)
                #expect(
                    found == expected,
                    "\(RequestFacts(matchRequest, scratch: PatternScratch()).line): \(tape.description(found)), \(tape.description(expected))"
                )
                if found != nil { answered += 1 }
                // If a tape does not need the body, the answer does not depend on it.
                var bodyless = matchRequest
                bodyless.body = nil
                let facts = RequestFacts(matchRequest, state: state, scratch: scratch)
                if !tape.needsBody(facts) {
                    #expect(tape.match(bodyless, state: state, scratch: scratch) == found)
                }
                if !tape.asksForFields {
                    var fieldless = matchRequest
                    fieldless.fields = []
                    #expect(tape.match(fieldless, state: state, scratch: scratch) == found)
                }
                if let plain = tape.plainMatch(matchRequest.key) { #expect(Int(plain.entry) == found) }
            }
        }
        #expect(answered > 200, "the requests are to find something, and \(answered) did")
    }

    @Test(arguments: seeds(6))
    func anotherSpellingOfARequestIsAnsweredTheSame(seed: UInt64) throws {
        var random = try RandomTape(seed: seed, asksForText: false)
        let scratch = PatternScratch()
        for _ in 0..<100 {
            let tape = Tape(try random.cassettes())
            for _ in 0..<12 {
                scratch.beginRequest()
                let (matchRequest, respelt) = try random.inquiryAndRespelling()
                #expect(tape.match(matchRequest, scratch: scratch) == tape.match(respelt, scratch: scratch))
            }
        }
    }

    @Test(arguments: seeds(6))
    func everyConditionThatDoesNotHoldExplainsItself(seed: UInt64) throws {
        var random = try RandomTape(seed: seed)
        let scratch = PatternScratch()
        for _ in 0..<100 {
            let tape = Tape(try random.cassettes())
            for _ in 0..<10 {
                scratch.beginRequest()
                let facts = RequestFacts(try random.matchRequest(), state: random.state(), scratch: scratch)
                for entry in tape.entries where !entry.matcher.matches(facts) || !entry.stateHolds(facts) {
                    let parts = MatcherReport(request: facts).parts(entry, matches: false)
                    let unmet = parts.filter { !$0.isMet }
                    #expect(!unmet.isEmpty)
                    #expect(unmet.allSatisfy { $0.wanted != "all conditions of the set" }, "\(parts)")
                }
            }
        }
    }

    @Test(arguments: seeds(3))
    func everySetThatMatchesIsAskedInTurn(seed: UInt64) throws {
        var random = try RandomTape(seed: seed)
        let scratch = PatternScratch()
        for _ in 0..<60 {
            let tape = Tape(try random.cassettes())
            for _ in 0..<10 {
                scratch.beginRequest()
                let matchRequest = try random.matchRequest()
                let facts = RequestFacts(matchRequest, scratch: scratch)
                var found: [Int] = []
                while let next = tape.match(facts, after: found.last) { found.append(next) }
                // A set that cannot be judged, as its `not` concerns a body that is not known, does not answer.
                let all = tape.entries.indices.filter { number in
                    facts.judge(number) {
                        tape.entries[number].matcher.matches(facts) && tape.entries[number].stateHolds(facts)
                    }
                }
                #expect(
                    Set(found) == Set(all),
                    "\(facts.line) \(Set(all).subtracting(found).map { tape.entries[$0].set.request })"
                )
                #expect(found.count == all.count)
                let ranks = found.map { tape.rank(of: $0) }
                #expect(zip(ranks, ranks.dropFirst()).allSatisfy { $0 <= $1 })
            }
        }
    }
}

extension Tape {
    fileprivate func description(_ entry: Int?) -> String {
        entry.map { "\"\(self.entries[$0].set.name)\" \(self.entries[$0].set.request)" } ?? "none"
    }
}
