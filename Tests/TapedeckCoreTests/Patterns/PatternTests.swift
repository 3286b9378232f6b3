import TapedeckCore
import TestShare
import Testing

@Suite("Patterns")
struct PatternTests {
    private let scratch = PatternScratch()

    private func match(_ pattern: Pattern, _ text: String) -> Pattern.Outcome {
        self.match(pattern, Array(text.utf8))
    }

    private func match(_ pattern: Pattern, _ bytes: [UInt8]) -> Pattern.Outcome {
        self.scratch.beginRequest()
        return bytes.withUnsafeBytes { pattern.match($0, scratch: self.scratch) }
    }

    private func captures(_ pattern: Pattern, _ text: String) -> [String: String]? {
        self.scratch.beginRequest()
        let captures = Array(text.utf8).withUnsafeBytes { pattern.captures($0, scratch: self.scratch) }
        return captures?.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `A pattern for the whole must match from end to end`() throws {
        let pattern = try Pattern("/users/\\d+|/all", scope: .whole)
        #expect(self.match(pattern, "/users/42") == .matched)
        #expect(self.match(pattern, "/all") == .matched)
        #expect(self.match(pattern, "/users/42/repos") == .unmatched)
        #expect(self.match(pattern, "x/users/42") == .unmatched)
        #expect(self.match(try Pattern("/all$", scope: .whole), "/all\n") == .unmatched)
    }

    @Test func `A pattern for any part may match anywhere`() throws {
        let pattern = try Pattern("\"id\": *\\d+", scope: .anywhere)
        #expect(self.match(pattern, "{\"name\": \"a\", \"id\":  7}") == .matched)
        #expect(self.match(pattern, "{\"name\": \"a\", \"id\": \"7\"}") == .unmatched)
    }

    @Test func `Case counts unless it is to be ignored`() throws {
        #expect(self.match(try Pattern("/Users", scope: .whole), "/users") == .unmatched)
        #expect(self.match(try Pattern("/Users", scope: .whole, ignoresCase: true), "/uSERS") == .matched)
        #expect(try Pattern("/Users", scope: .whole, ignoresCase: true).literals == RequiredLiterals())
    }

    @Test func `Captures are given by number and by name, those that took no part are left out`() throws {
        let pattern = try Pattern("/(?<owner>[^/]+)/([^/]+)(?:/(?<page>\\d+))?", scope: .whole)
        #expect(pattern.captureNames == ["owner", "page"])
        #expect(pattern.captureCount == 3)
        #expect(
            self.captures(pattern, "/apple/swift/3")
                == ["1": "apple", "owner": "apple", "2": "swift", "3": "3", "page": "3"]
        )
        #expect(self.captures(pattern, "/apple/swift") == ["1": "apple", "owner": "apple", "2": "swift"])
        #expect(self.captures(pattern, "/apple") == nil)
    }

    @Test func `A name shared by several captures gives the one that took part`() throws {
        let pattern = try Pattern("(?J)(?:a(?<n>\\d)|b(?<n>\\d))", scope: .whole)
        #expect(pattern.captureNames == ["n"])
        #expect(self.captures(pattern, "b7")?["n"] == "7")
        #expect(self.captures(pattern, "a3")?["n"] == "3")
    }

    @Test func `More captures than fit at first are all returned`() throws {
        let pattern = try Pattern(String(repeating: "(.)", count: 60), scope: .whole)
        let text = String((0..<60).map { Character(Unicode.Scalar(UInt8(0x30 + $0))) })
        let captures = self.captures(pattern, text)
        #expect(captures?.count == 60)
        #expect(captures?["60"] == text.suffix(1).description)
    }

    @Test func `The empty text can be matched and captured`() throws {
        let pattern = try Pattern("(a*)", scope: .whole)
        #expect(pattern.match(UnsafeRawBufferPointer(start: nil, count: 0), scratch: self.scratch) == .matched)
        #expect(self.captures(pattern, "") == ["1": ""])
        #expect(self.match(try Pattern("a+", scope: .anywhere), "") == .unmatched)
    }

    @Test func `ASCII patterns match bytes, so invalid text does not prevent a match`() throws {
        #expect(
            self.match(try Pattern("/a/[^/]+/b", scope: .whole), Array("/a/".utf8) + [0xFF, 0xC3] + Array("/b".utf8))
                == .matched
        )
        #expect(self.match(try Pattern("..", scope: .whole), "\u{e9}") == .matched)
    }

    @Test func `Patterns that name other characters go by characters`() throws {
        #expect(self.match(try Pattern("caf\u{e9}+.", scope: .whole), "caf\u{e9}\u{e9}\u{fc}") == .matched)
        #expect(self.match(try Pattern("\\p{L}", scope: .whole), "\u{e9}") == .matched)
        #expect(self.match(try Pattern("\\x{e9}|\\d.", scope: .whole), "1\u{e9}") == .matched)
        #expect(self.match(try Pattern("\\p{L}.", scope: .whole), [0x61, 0xFF]) == .unmatched)
        #expect(self.match(try Pattern("\\p{L}b", scope: .anywhere), [0xFF, 0xC3, 0x61, 0x62, 0xFF]) == .matched)
    }

    @Test(arguments: [
        ("/users/(\\d+", "missing closing parenthesis at character 11", 11),
        ("\u{e9}\u{e9}[a", "missing terminating ] for character class at character 4", 4),
        ("a{3}{2", nil, 0),
        ("\\", "\\ at end of pattern at character 1", 1),
    ])
    func `A template error has a message and a place in characters`(_ source: String, _ message: String?, _ offset: Int)
    {
        guard let message else {
            #expect(throws: Never.self) { try Pattern(source, scope: .whole) }
            return
        }
        #expect(throws: PatternError(message: message, offset: offset)) { try Pattern(source, scope: .whole) }
    }

    @Test(arguments: [
        "(*NO_JIT)a", "(*LIMIT_MATCH=4000000000)a", "(*LIMIT_HEAP=1)a", "(*UTF)a", "(*NO_START_OPT)a", "a\\Cb",
        "(*UCP)(*UTF)a",
    ])
    func `A setting that changes how a pattern runs is refused`(_ source: String) {
        #expect(throws: PatternError.self) { try Pattern(source, scope: .anywhere) }
    }

    @Test func `A pattern is at most 8 KiB long, and may not unfold to more than PCRE2 takes`() throws {
        #expect(throws: Never.self) { try Pattern("[" + String(repeating: "a", count: 8190) + "]", scope: .whole) }
        #expect(throws: PatternError.self) {
            try Pattern("[" + String(repeating: "a", count: 8191) + "]", scope: .whole)
        }
        #expect(throws: PatternError.self) { try Pattern("(?<!b.{200}){2,900}x", scope: .whole) }
        #expect(throws: PatternError.self) { try Pattern("(((a{9}b){99}){99}){99}", scope: .whole) }
    }

    @Test func `Patterns are equal by source, scope and case`() throws {
        let pattern = try Pattern("a", scope: .whole)
        #expect(pattern == (try Pattern("a", scope: .whole)))
        #expect(pattern != (try Pattern("b", scope: .whole)))
        #expect(pattern != (try Pattern("a", scope: .anywhere)))
        #expect(pattern != (try Pattern("a", scope: .whole, ignoresCase: true)))
    }

    @Test func `One pattern serves many sessions at the same time`() async throws {
        let pattern = try Pattern("/items/(?<id>\\d+)", scope: .whole)
        let longer = try Pattern("(?=.*z)a+z", scope: .anywhere)
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let scratch = PatternScratch()
                    return (0..<500).count { round in
                        let captures = Array("/items/\(number)\(round)".utf8).withUnsafeBytes {
                            pattern.captures($0, scratch: scratch)
                        }
                        let found = Array("b\(round)aaaz".utf8).withUnsafeBytes { longer.match($0, scratch: scratch) }
                        return captures?["id"] == Array("\(number)\(round)".utf8) && found == .matched
                    }
                }
            }
            for await right in group { #expect(right == 500) }
        }
    }

    @Test(.long) func `Random patterns match their generated subjects, counted or not`() throws {
        var random = SeededRandom(seed: 3)
        var matched = 0
        for _ in 0..<1500 {
            let made = RandomPattern.make(&random)
            guard let pattern = try? Pattern(made.source, scope: .whole),
                // An assertion keeps a pattern from the runs that are not counted.
                let counted = try? Pattern("(?=)(?:\(made.source))", scope: .whole)
            else { continue }
            let outcome = self.match(pattern, made.text)
            #expect(self.match(counted, made.text) == outcome, "\(made.source)")
            if outcome == .matched { matched += 1 }
            let spoilt = made.text + "\u{1}"
            #expect(self.match(counted, spoilt) == self.match(pattern, spoilt), "\(made.source)")
        }
        #expect(matched > 900)
    }
}
