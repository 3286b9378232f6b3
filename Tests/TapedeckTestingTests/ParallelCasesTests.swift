import Foundation
import TapedeckTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A hundred cases at once, of one suite, on one deck and one cassette.
@Suite(.timeLimit(.minutes(20)))
struct ParallelCasesTests {
    private static let url = "https://many.example/answer"

    private static let cassette = Cassette {
        ResponseSet("answer", .get(Self.url)) {
            for number in 0..<100 { Variant("number \(number)", .text("\(number)")) }
        }
    }

    @Test(.cassette(.inMemory(Self.cassette)), arguments: 0..<100)
    func `a case gets its own variant, and sees its own requests alone`(number: Int) async throws {
        let deck = try Tapedeck.current
        try await deck.select("number \(number)", for: "answer")
        try await deck.setState(["number": "\(number)"])
        let session = deck.urlSession()
        let url = try #require(URL(string: Self.url))
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { String(decoding: try await session.data(from: url).0, as: UTF8.self) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies == [String](repeating: "\(number)", count: 20))
        let seen = try await deck.requests()
        #expect(seen.map(\.played?.variant) == [String](repeating: "number \(number)", count: 20))
        #expect(try await deck.state() == ["number": "\(number)"])
        deck.expect(.get(Self.url), .exactly(20))
    }
}
