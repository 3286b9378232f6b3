import Testing

@testable import TapedeckCore

@Suite struct FieldSpellingTests {
    @Test(arguments: [
        ("accept", "a/b, c/d", ["a/b,c/d"]), ("accept", "a/b, c/d", ["a/b", "c/d"]),
        ("accept", "a/b,c/d", ["a/b ,\tc/d"]),
        ("Authorization", "Bearer {{secret.token}}", ["bearer {{secret.token}}"]),
        ("x-date", "Sat, 28 Nov 2026", ["Sat,28 Nov 2026"]),
        ("content-type", "application/json; charset=UTF-8", ["Application/JSON;charset=\"utf-8\""]),
        ("Content-Type", "a/b; x=1; charset=utf-8", ["a/b; charset=utf-8; x=1"]),
    ])
    func `one value has several spellings`(_ name: String, _ wanted: String, _ values: [String]) {
        #expect(FieldSpelling.isSame(.equals(wanted), values, of: name))
    }

    @Test(arguments: [
        ("accept", "a/b, c/d", ["c/d, a/b"]), ("accept", "a/b, c/d", ["a/b"]), ("accept", "a/b", []),
        ("accept", "a/b", ["A/B"]), ("Authorization", "Bearer a", ["Basic a"]),
        ("Authorization", "Bearer a", ["bearer A"]),
        ("x-scheme", "Bearer a", ["bearer a"]), ("x", "a b", ["ab"]), ("content-type", "a/b; x=A", ["a/b; x=a"]),
        ("content-type", "a/b", ["a/b; x=a"]), ("content-type", "a/b+json", ["a/json"]),
    ])
    func `another value is another`(_ name: String, _ wanted: String, _ values: [String]) {
        #expect(!FieldSpelling.isSame(.equals(wanted), values, of: name))
    }

    @Test func `only a condition on one value has spellings`() {
        #expect(!FieldSpelling.isSame(.contains("a, b"), ["a,b"], of: "x"))
        #expect(!FieldSpelling.isSame(.values(["a", "b"]), ["a, b"], of: "x"))
    }
}
