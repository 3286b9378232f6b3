import Foundation
import TapedeckTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cassette that all cases share, and what each of them does with it.
enum Numbers {
    static let url = "https://many.example/answer"

    static let cassette = Cassette {
        ResponseSet("answer", .get(Self.url)) {
            for number in 0..<100 { Variant("number \(number)", .text("\(number)")) }
        }
    }

    struct Seen: Equatable {
        var bodies: [String]
        var variants: [String?]
        var state: [String: String]
    }

    /// Selects a variant, sends twenty requests at once, and returns what came back and what the deck saw.
    static func visit(_ deck: Tapedeck, number: Int) async throws -> Seen {
        try await deck.select("number \(number)", for: "answer")
        try await deck.setState(["number": "\(number)"])
        let session = deck.urlSession()
        guard let url = URL(string: Self.url) else { throw URLError(.badURL) }
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { String(decoding: try await session.data(from: url).0, as: UTF8.self) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let variants = try await deck.requests().map(\.played?.variant)
        deck.expect(.get(Self.url), .exactly(20))
        return Seen(bodies: bodies, variants: variants, state: try await deck.state())
    }
}

extension Numbers.Seen {
    /// The answers to twenty requests of a case that has selected a number.
    init(number: Int) {
        self.init(
            bodies: [String](repeating: "\(number)", count: 20),
            variants: [String](repeating: "number \(number)", count: 20),
            state: ["number": "\(number)"]
        )
    }
}
