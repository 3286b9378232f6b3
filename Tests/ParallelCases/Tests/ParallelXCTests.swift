import TapedeckTesting
import XCTest

/// A hundred sessions at once in one test method: XCTest itself runs the methods of a process one after another.
final class ParallelXCTests: XCTestCase {
    func testASessionGetsItsOwnVariant() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await withTapedeck(.inMemory(Numbers.cassette)) { deck in
                        let seen = try await Numbers.visit(deck, number: number)
                        XCTAssertEqual(seen, Numbers.Seen(number: number))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
