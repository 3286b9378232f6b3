import TapedeckCore
import TestShare
import Testing

@Suite("Required literals")
struct RequiredLiteralsTests {
    private func literals(_ source: String, _ scope: Pattern.Scope = .whole) throws -> [String] {
        let literals = try Pattern(source, scope: scope).literals
        return ([literals.prefix] + literals.pieces).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("https://api\\.x\\.com/users/(\\d+)/repos", ["https://api.x.com/users/", "/repos"]),
        ("^/a/[^/]+/b$", ["/a/", "/b"]),
        ("abc?d", ["ab", "d"]),
        ("abc+d", ["abc", "d"]),
        ("abc*?d", ["ab", "d"]),
        ("abc{0,3}d{2}e", ["ab", "d", "e"]),
        (".*/issues/.*", ["", "/issues/"]),
        ("(?:x|y)z", ["", "z"]),
        ("a(?<name>[(]|\\))?b", ["a", "b"]),
        ("\\x2fa\\x{62}", [""]),
        ("\\x2fa", ["/a"]),
        ("caf\u{e9}s?", ["caf\u{e9}"]),
        ("caf\u{e9}?s", ["caf", "s"]),
    ])
    func `Literal text outside of groups and classes is found`(_ source: String, _ expected: [String]) throws {
        #expect(try self.literals(source) == expected)
    }

    @Test func `A pattern for any part has no prefix`() throws {
        #expect(try self.literals("abc\\d", .anywhere) == ["", "abc"])
    }

    @Test(arguments: [
        "abc|def", "(?i)abc", "a(?i:b)c", "abc(?i)def", "(?x)a b c", "\\Qabc\\E", "abc(?#d)?", "abc\\K", "(a)(?1)abc",
        "abc(*ACCEPT)def",
        "(a)?(?(1)b|c)abc", "[[:alpha:]]abc", "a{,3}bc", "\\p{L}abc", "a\\E?bc", "(?-i)abc", "(?J)abc",
    ])
    func `An unusual pattern yields no literals`(_ source: String) throws {
        #expect(try Pattern(source, scope: .whole).literals == RequiredLiterals())
    }

    @Test(.long) func `Every match contains the literals and begins with the prefix`() throws {
        var random = SeededRandom(seed: 1)
        let scratch = PatternScratch()
        var claims = 0
        for _ in 0..<1500 {
            let made = RandomPattern.make(&random)
            let text = Array(made.text.utf8)
            for scope in [Pattern.Scope.whole, .anywhere] {
                guard let pattern = try? Pattern(made.source, scope: scope) else { continue }
                // Also what is nearly the text that was made: other texts that match must hold the literals too.
                for round in 0..<4 {
                    var subject = text
                    if round > 0, !subject.isEmpty {
                        subject.remove(at: Int.random(in: 0..<subject.count, using: &random))
                    }
                    scratch.beginRequest()
                    guard subject.withUnsafeBytes({ pattern.match($0, scratch: scratch) }) == .matched else { continue }
                    let literals = pattern.literals
                    #expect(subject.starts(with: literals.prefix), "\(made.source)")
                    for piece in literals.pieces {
                        #expect(subject.contains(piece), "\(made.source)")
                        claims += 1
                    }
                }
            }
        }
        #expect(claims > 1000)
    }
}

extension [UInt8] {
    fileprivate func contains(_ piece: [UInt8]) -> Bool {
        self.count >= piece.count
            && (0...(self.count - piece.count)).contains { self[$0..<($0 + piece.count)].elementsEqual(piece) }
    }
}
