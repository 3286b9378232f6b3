import TapedeckCassettes
import TapedeckCore
import Testing

extension CassetteFixture {
    /// The set that answers the request of an exchange.
    func set(answering exchange: RecordedExchange) throws -> ResponseSet? {
        let tape = Tape([try self.load()])
        return try tape.match(Self.matchRequest(exchange)).map { tape.entries[$0].set }
    }

    /// Returns the query of a tape for the request of an exchange.
    static func matchRequest(_ exchange: RecordedExchange) throws -> MatchRequest {
        guard case .bytes(let sent) = exchange.requestBody else { return try #require(nil) }
        return MatchRequest(
            RequestKey(method: exchange.method, url: try #require(AbsoluteURL(exchange.url))),
            fields: exchange.requestHeaders,
            body: ObservedBody(bytes: sent, sha256: TestDigest.digest(sent))
        )
    }

    /// Returns the answers to repeated requests of exchanges in the same order, or `nil`: the recorded takes of a set
    /// in turn, then the last one again.
    func replay(_ exchanges: [RecordedExchange]) throws -> [String?] {
        let tape = Tape([try self.load()])
        var positions: [Int: Int] = [:]
        return try exchanges.map { exchange in
            guard let entry = tape.match(try Self.matchRequest(exchange)) else { return nil }
            let variant = tape.entries[entry].set.variants.first { $0.takes.contains { $0.recorded != nil } }
            let takes = try #require(variant).takes
            let position = positions[entry, default: 0]
            positions[entry] = position + 1
            return String(decoding: try self.decoded(takes[min(position, takes.count - 1)].body), as: UTF8.self)
        }
    }
}

extension RecordedExchange {
    /// Returns a copy with additional request header fields.
    func with(_ fields: (String, String)...) -> RecordedExchange {
        var copy = self
        copy.requestHeaders += fields.map { HeaderField($0.0, $0.1) }
        return copy
    }

    /// Returns a copy with another origin than `https://a.test`.
    func at(_ origin: String) -> RecordedExchange {
        var copy = self
        copy.url = origin + copy.url.dropFirst("https://a.test".count)
        return copy
    }
}
