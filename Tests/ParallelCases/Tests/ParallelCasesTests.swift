import TapedeckTesting
import Testing

/// A hundred cases at once, of one suite, on one deck and one cassette.
@Suite(.timeLimit(.minutes(20)))
struct ParallelCasesTests {
    @Test(.cassette(.inMemory(Numbers.cassette)), arguments: 0..<100)
    func `a case gets its own variant, and sees its own requests alone`(number: Int) async throws {
        let seen = try await Numbers.visit(try Tapedeck.current, number: number)
        #expect(seen == Numbers.Seen(number: number))
    }
}
