import TapedeckCassettes
import TapedeckCore
import TestShare
import Testing

/// Exchanges recorded under any rules are found again by the same requests.
@Suite
struct RecordingReplayTests {
    private struct Traffic {
        var generator: SeededRandom

        mutating func one<Value>(of values: [Value]) -> Value {
            values[Int.random(in: values.indices, using: &self.generator)]
        }

        mutating func some<Value>(of values: [Value]) -> [Value] {
            values.filter { _ in Bool.random(using: &self.generator) }
        }

        /// Lines of a cassette.
        mutating func rules() -> String {
            var parts = self.some(of: ["method", "headers", "body"])
            parts += self.one(of: [["url"], ["origin"], ["path"], ["origin", "path"], ["path", "query"]])
            var lines =
                Bool.random(using: &self.generator)
                ? "" : "match: [\(parts.joined(separator: ", "))]\n"
            let ignored = self.some(of: ["query: [ts]", "headers: [X-B]", "json: [$.id]"])
            if !ignored.isEmpty { lines += "ignore: { \(ignored.joined(separator: ", ")) }\n" }
            return lines
        }

        mutating func exchanges(_ count: Int, from first: Int = 1) -> [RecordedExchange] {
            (0..<count).map { self.exchange(first + $0) }
        }

        private mutating func exchange(_ number: Int) -> RecordedExchange {
            let target = self.one(of: ["/a", "/a?q=1", "/a?ts=1&q=1", "/a?ts=2", "/b", "/b?q=%31&ts", "/b?q=2&q=1"])
            let body = self.one(of: [
                "", "x", #"{"id":1,"q":"x"}"#, #"{"q":"x", "id":2}"#, #"{"id":1,"q":"y"}"#, #"{"q":"{{any}}"}"#,
                #"{"id":"{{any.uuid}}","q":1.0}"#, #"{"id":3,"q":1}"#,
            ])
            var exchange = RecordedExchange.made(
                number,
                self.one(of: ["GET", "POST"]),
                target,
                text: "answer \(number)",
                sends: body,
                sentType: self.one(of: [nil, "application/json", "text/plain"])
            )
            for field in self.some(of: [("X-A", "1"), ("x-a", "2"), ("X-B", "1"), ("Date", "\(number)")]) {
                exchange = exchange.with(field)
            }
            return exchange.at(self.one(of: ["https://a.test", "http://b.test:81"]))
        }
    }

    private func answers(_ exchanges: [RecordedExchange]) -> [String?] {
        exchanges.map(\.text)
    }

    @Test(arguments: seeds(12))
    func theSameRequestsGetTheRecordedAnswers(seed: UInt64) throws {
        var traffic = Traffic(generator: SeededRandom(seed: seed))
        let rules = traffic.rules()
        let fixture = try CassetteFixture("tapedeck: 1\n\(rules)")
        let exchanges = traffic.exchanges(20)
        try fixture.record(exchanges)
        #expect(try fixture.replay(exchanges) == self.answers(exchanges), "\(rules)")
        #expect(try !fixture.record(exchanges).changed, "\(rules)")
        #expect(try fixture.store.check(fixture.location).diagnostics.isEmpty, "\(rules)")

        // Other traffic over the same sets.
        let others = traffic.exchanges(12)
        try fixture.record(others)
        #expect(try fixture.replay(others) == self.answers(others), "\(rules)")

        // `append` passes only missing ones; existing ones stay.
        let missing = try traffic.exchanges(12, from: 100).filter { try fixture.set(answering: $0) == nil }
        try fixture.append(missing)
        #expect(try fixture.replay(missing) == self.answers(missing), "\(rules)")
        #expect(try fixture.replay(others) == self.answers(others), "\(rules)")
    }
}
