import Testing

@testable import TapedeckRedaction

@Suite struct ByteClassTests {
    @Test func `A range has its characters, and of them only those of ASCII`() {
        for first in stride(from: UInt8(1), through: 255, by: 23) {
            for last in stride(from: first, through: 250, by: 31) {
                let characters = ByteClass([first, UInt8(ascii: "-"), last, 0][...])
                let expected = (UInt8(0)..<128).filter { $0 == 0 || (first...last).contains($0) }
                #expect(characters.characters == expected, "\(first)-\(last)")
                #expect((0...255).allSatisfy { characters.contains($0) == expected.contains($0) }, "\(first)-\(last)")
            }
        }
    }

    @Test(arguments: [("A-Z_", "Z", "a"), ("a-", "-", "b"), ("-a", "-", "b"), ("0-9a-f", "f", "g")])
    func `Ranges and characters may follow each other, and a hyphen at an end is one`(
        text: String,
        within: Character,
        without: Character
    ) throws {
        let characters = ByteClass(text)
        #expect(characters.contains(try #require(within.asciiValue)))
        #expect(!characters.contains(try #require(without.asciiValue)))
    }
}
