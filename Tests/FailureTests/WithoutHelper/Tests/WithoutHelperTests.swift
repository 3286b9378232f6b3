import TapedeckTestingCore
import Testing
import XCTest

// Each of these fails: see run.sh.

@Test func unmet() async throws {
    try await withTapedeck { deck in
        deck.expect(.get("http://shop.example/price"))  // HERE
    }
}

final class WithoutHelperTests: XCTestCase {
    func test_unmet() async throws {
        try await withTapedeck { deck in
            deck.expect(.get("http://shop.example/price"))  // HERE
        }
    }
}
