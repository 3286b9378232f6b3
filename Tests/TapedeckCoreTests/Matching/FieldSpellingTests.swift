import Testing

@testable import TapedeckCore

@Suite struct FieldSpellingTests {
    @Test(arguments: [
        ("accept", "a/b, c/d", ["a/b,c/d"]), ("accept", "a/b, c/d", ["a/b", "c/d"]),
        ("accept", "a/b,c/d", ["a/b ,\tc/d"]),
        ("Authorization", "Bearer {{secret.token}}", ["bearer {{secret.token}}"]),
        ("x-date", "Sat, 28 Nov 2026", ["Sat,28 Nov 2026"]),
    ])
    func `one value has several spellings`(_ name: String, _ wanted: String, _ values: [String]) {
        #expect(FieldSpelling.isSame(.equals(wanted), values, of: name))
    }

    @Test(arguments: [
        ("accept", "a/b, c/d", ["c/d, a/b"]), ("accept", "a/b, c/d", ["a/b"]), ("accept", "a/b", []),
        ("accept", "a/b", ["A/B"]), ("Authorization", "Bearer a", ["Basic a"]),
        ("Authorization", "Bearer a", ["bearer A"]),
        ("x-scheme", "Bearer a", ["bearer a"]), ("x", "a b", ["ab"]),
    ])
    func `another value is another`(_ name: String, _ wanted: String, _ values: [String]) {
        #expect(!FieldSpelling.isSame(.equals(wanted), values, of: name))
    }

    @Test func `only a condition on one value has spellings`() {
        #expect(!FieldSpelling.isSame(.contains("a, b"), ["a,b"], of: "x"))
        #expect(!FieldSpelling.isSame(.values(["a", "b"]), ["a, b"], of: "x"))
    }
}
