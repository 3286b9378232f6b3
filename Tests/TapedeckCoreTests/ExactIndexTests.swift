import Testing

@testable import TapedeckCore

@Suite
struct ExactIndexTests {
    private func chain(_ index: ExactIndex, _ key: RequestKey) -> [Int] {
        var chain: [Int] = []
        var set = index.first(for: key)
        while set >= 0 {
            chain.append(set)
            set = index.next(after: set)
        }
        return chain
    }

    @Test func findsEachOfTenThousandSets() throws {
        let keys = try (0..<10_000).map { try Samples.key("GET", "https://example.com/items/\($0)?page=\($0 % 7)") }
        let index = ExactIndex(keys: keys, preference: Array(keys.indices))
        for (set, key) in keys.enumerated() {
            try #require(self.chain(index, key) == [set])
        }
        for number in 0..<1_000 {
            #expect(try index.first(for: Samples.key("GET", "https://example.com/items/\(number)")) == -1)
            #expect(try index.first(for: Samples.key("PUT", "https://example.com/items/\(number)?page=1")) == -1)
        }
    }

    @Test func setsThatShareAKeyAreAskedInOrderOfPreference() throws {
        let shared = try Samples.key("GET", "https://example.com/a")
        let other = try Samples.key("GET", "https://example.com/b")
        let index = ExactIndex(keys: [shared, other, shared, shared, other], preference: [3, 4, 0, 1, 2])
        #expect(self.chain(index, shared) == [3, 0, 2])
        #expect(self.chain(index, other) == [4, 1])
    }

    @Test func anEmptyIndexFindsNothing() throws {
        let index = ExactIndex(keys: [], preference: [])
        #expect(try index.first(for: Samples.key("GET", "https://example.com/")) == -1)
        #expect(index.first(for: RequestKey()) == -1)
    }

    @Test func aKeyIsNotFoundByItsBeginningOrByMoreThanItself() throws {
        let index = ExactIndex(keys: [try Samples.key("GET", "https://example.com/ab")], preference: [0])
        for target in ["a", "abc", "", "ab/", "ba"] {
            #expect(try index.first(for: Samples.key("GET", "https://example.com/\(target)")) == -1)
        }
    }

    @Test(arguments: 1...5)
    func isEqualToAPlainScan(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func randomKey() throws -> RequestKey {
            let method = ["GET", "POST", nil].randomElement(using: &generator) ?? nil
            let query = Bool.random(using: &generator) ? "?q=\(Int.random(in: 0...2, using: &generator))" : ""
            return try Samples.key(method, "https://h\(Int.random(in: 0...2, using: &generator))/p\(query)")
        }
        for _ in 0..<40 {
            let keys = try (0..<Int.random(in: 0...60, using: &generator)).map { _ in try randomKey() }
            let preference = Array(keys.indices).shuffled(using: &generator)
            let index = ExactIndex(keys: keys, preference: preference)
            for _ in 0..<40 {
                let key = try randomKey()
                #expect(self.chain(index, key) == preference.filter { keys[$0] == key })
            }
        }
    }
}
