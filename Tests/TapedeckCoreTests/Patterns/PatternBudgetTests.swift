import TapedeckCore
import Testing

@Suite("The budget of matching")
struct PatternBudgetTests {
    private let scratch = PatternScratch()

    private func match(_ source: String, _ bytes: [UInt8], _ scope: Pattern.Scope = .anywhere) throws -> Pattern.Outcome
    {
        let pattern = try Pattern(source, scope: scope)
        return bytes.withUnsafeBytes { pattern.match($0, scratch: self.scratch) }
    }

    /// A mebibyte of `a` with a `b` here and there, and a `z` at the end, so that looking ahead for it does not help.
    private static let long: [UInt8] = {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        for index in stride(from: 59_990, to: bytes.count, by: 60_000) { bytes[index] = UInt8(ascii: "b") }
        bytes[bytes.count - 1] = UInt8(ascii: "z")
        return bytes
    }()

    @Test(arguments: [
        "(a+)+$", "(.*)*x|y$", "^(([ab])+.)+[A-Z]([a-z])+|y$", "a+c|y$", "a{50000}c?z", "(a*)\\1c?y|y",
        "(?=(a*))\\K\\1c?y|y$",
        "(?:a++)++c|y$", "(?:(?1)(a+))+z|y$", "\\p{L}+\\d", "(?<=\\p{L}{60000})a[^a-z]|y$", "(a?)*?(a?)*?y|y$",
        "(?<!b.{200}){2,200}x|y$",
        "(?i)\u{e9}*a+\u{e9}|y$",
    ])
    func `A pattern without end is cut off on a long subject`(_ source: String) throws {
        #expect(try self.match(source, Self.long) == .cutOff)
        #expect(self.scratch.cutOffs == 1)
    }

    @Test(arguments: ["(a+)+", "(a|aa)+", "^(([a-z])+.)+[A-Z]([a-z])+", "(?:a?){30}a{30}", "(?:(?:a*)*)*"])
    func `A pattern without end is cut off on a short subject too`(_ source: String) throws {
        let subject = [UInt8](repeating: UInt8(ascii: "a"), count: 56) + Array("!".utf8)
        #expect(try self.match(source + "[yz]?(?<!!)", subject, .whole) == .cutOff)
    }

    @Test func `A pattern that PCRE2 makes no machine code for is cut off as well`() throws {
        let subject = [UInt8](repeating: UInt8(ascii: "a"), count: 40)
        #expect(try self.match("(?(?C1)(?=a)a|c)a*", subject) == .matched)
        #expect(try self.match("(?(?C1)(?=a)a|c)(a+)+[^a]", subject + Array("\n".utf8)) == .matched)
        #expect(try self.match("(?(?C1)(?=a)a|c)(a+)+$(?<!a)", subject) == .cutOff)
    }

    @Test func `After the budget is used up everything is cut off until the next request`() throws {
        #expect(try self.match("(a+)+$", Self.long) == .cutOff)
        #expect(try self.match("a", Array("a".utf8)) == .cutOff)
        #expect(try self.match("a", Array("a".utf8), .whole) == .cutOff)
        #expect(self.scratch.cutOffs == 3)
        self.scratch.beginRequest()
        #expect(self.scratch.cutOffs == 0)
        #expect(try self.match("a", Array("a".utf8)) == .matched)
    }

    @Test func `Many harmless-looking runs use up the budget as well`() throws {
        let pattern = try Pattern("(?:[ab]*c|[ab]*d|[ab]*e)*[xy]", scope: .whole)
        let subject = [UInt8](repeating: UInt8(ascii: "a"), count: 2000) + Array("y".utf8)
        var runs = 0
        subject.withUnsafeBytes { subject in
            while pattern.match(subject, scratch: self.scratch) != .cutOff, runs < 1_000_000 { runs += 1 }
        }
        #expect(self.scratch.cutOffs == 1)
        #expect(runs < 100_000)
    }

    @Test func `Usual patterns are nowhere near the budget on a mebibyte`() throws {
        let body = Array(
            String(repeating: "{\"id\": 12345, \"name\": \"some one\", \"tags\": [\"x\"]},\n", count: 20_000).utf8
        )
        for source in ["\"id\": *99999", "\"name\": *\"[^\"]*two\"", "\\}, *\\z", "\"name\": \"s\u{f6}me"] {
            self.scratch.beginRequest()
            #expect(try self.match(source, body) == .unmatched)
        }
        self.scratch.beginRequest()
        #expect(try self.match("(?s).*\"tags\".*", body, .whole) == .matched)
    }

    @Test func `Thousands of usual patterns can be tried for one request`() throws {
        let pattern = try Pattern("https?://[^/]+/(?<owner>[^/]+)/(?<name>[^/]+)/issues(?:\\?.*)?", scope: .whole)
        let url = Array("https://api.example.com/repos/someone/something/issues/1234?page=2".utf8)
        url.withUnsafeBytes { url in
            for _ in 0..<10_000 { _ = pattern.match(url, scratch: self.scratch) }
        }
        #expect(self.scratch.cutOffs == 0)
    }
}
