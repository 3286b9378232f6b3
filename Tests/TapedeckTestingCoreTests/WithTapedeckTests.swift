import Foundation
import TapedeckTestingCore
import Testing

struct WithTapedeckTests {
    @Test func `a block has a session that ends with it`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(.get("/x"), .text("hello"))
            #expect(try await deck.requests().isEmpty)
            #expect(try Tapedeck.current === deck)
        }
        let error = #expect(throws: TapedeckError.self) { try Tapedeck.current }
        #expect(error?.description.contains("withTapedeck") == true)
    }
}
