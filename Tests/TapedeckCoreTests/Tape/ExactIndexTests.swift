import TestShare
import Testing

@testable import TapedeckCore

@Suite
struct ExactIndexTests {
    private func index(_ keys: [RequestKey], capacity: Int = 0) -> (index: ExactIndex, numbers: [Int]) {
        var index = ExactIndex(capacity: capacity)
        let numbers = keys.map { index.insert($0.bytes) }
        return (index, numbers)
    }

    @Test(.long, arguments: [0, 10_000])
    func findsEachOfTenThousandKeys(capacity: Int) throws {
        let keys = try (0..<10_000).map { try Samples.key("GET", "https://example.com/items/\($0)?page=\($0 % 7)") }
        let (index, numbers) = self.index(keys, capacity: capacity)
        #expect(numbers == Array(0..<10_000))
        for (number, key) in keys.enumerated() {
            try #require(index.number(of: key.bytes) == number)
        }
        for number in 0..<1_000 {
            #expect(try index.number(of: Samples.key("GET", "https://example.com/items/\(number)").bytes) == -1)
            #expect(try index.number(of: Samples.key("PUT", "https://example.com/items/\(number)?page=1").bytes) == -1)
        }
    }

    @Test func aKeyThatIsThereKeepsItsNumber() throws {
        let shared = try Samples.key("GET", "https://example.com/a")
        let other = try Samples.key("GET", "https://example.com/b")
        let (index, numbers) = self.index([shared, other, shared, shared, other])
        #expect(numbers == [0, 1, 0, 0, 1])
        #expect(index.count == 2)
    }

    @Test func anEmptyIndexFindsNothing() throws {
        let (index, _) = self.index([])
        #expect(try index.number(of: Samples.key("GET", "https://example.com/").bytes) == -1)
        #expect(index.number(of: []) == -1)
    }

    @Test func aKeyIsNotFoundByAPrefixOrALongerKey() throws {
        let (index, _) = self.index([try Samples.key("GET", "https://example.com/ab")])
        for target in ["a", "abc", "", "ab/", "ba"] {
            #expect(try index.number(of: Samples.key("GET", "https://example.com/\(target)").bytes) == -1)
        }
    }
}
