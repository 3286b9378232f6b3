import TapedeckCore
import TapedeckHTTP1
import TestShare
import Testing

/// Broken input must not crash, and must be read the same way however it is split. Reading past the end would trap:
/// each text is at the very end of its own memory.
@Suite
struct ScannerFuzzTests {
    private static let pieces: [[UInt8]] = [
        "\r\n", "\r", "\n", "\r\n\r\n", ":", " ", "\t", "\u{0}", ",", ";", "0", "Host: b\r\n", "Content-Length: 1\r\n",
        "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "HTTP/1.1", "HTTP/1.0", "q=0", "X", "\u{7F}", "é",
        "ff",
    ].map { Array($0.utf8) }

    private static let requests = [
        Wire.request(), Wire.request("Content-Length: 12", "Accept-Encoding: gzip;q=0.5, *", line: "POST /a HTTP/1.1"),
        Wire.request("Transfer-Encoding: chunked", "Connection: close, keep-alive", "Expect: 100-continue"),
        "GET / HTTP/1.0\r\nA: b\r\n\r\n",
    ].map { Array($0.utf8) }

    private static let responses = [
        Wire.response("Content-Length: 3", "Set-Cookie: a=b"), Wire.response("Transfer-Encoding: chunked"),
        "HTTP/1.0 404\nA: b\n\n", Wire.response(line: "HTTP/1.1 200 "),
    ].map { Array($0.utf8) }

    private static let bodies = [
        "5\r\nhello\r\n3;ext=\"v\"\r\nabc\r\n0\r\nX: y\r\n\r\n", "a\r\n0123456789\r\n0\r\n\r\n", "0\r\n\r\n",
    ].map { Array($0.utf8) }

    private static func mutate(_ seed: [UInt8], using generator: inout SeededRandom) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let start = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...4, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.replaceSubrange(start..<end, with: Self.pieces.randomElement(using: &generator) ?? [])
            case 2 where start < bytes.count: bytes[start] = UInt8.random(in: 0...255, using: &generator)
            default: bytes.insert(contentsOf: Self.pieces.randomElement(using: &generator) ?? [], at: start)
            }
        }
        return bytes
    }

    /// All prefixes before the first that is not incomplete are incomplete, and from there on nothing changes.
    private static func expectStable(_ results: [ScanResult], _ bytes: [UInt8]) throws {
        guard let first = results.firstIndex(where: { $0 != .incomplete }) else { return }
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        for (end, result) in results.enumerated() where end >= first {
            try #require(result == results[first], "after \(first) and \(end) bytes of \(text)")
        }
        if case .complete(let end) = results[first] {
            try #require(end == first, "\(text)")
        }
    }

    @Test(arguments: seeds(4))
    func theResultForARequestDoesNotChangeWithMoreBytes(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        for round in 0..<500 {
            let bytes = Self.mutate(Self.requests[round % Self.requests.count], using: &generator)
            try Self.expectStable(Wire.drip(bytes), bytes)
        }
    }

    @Test(arguments: seeds(4))
    func theResultForAResponseDoesNotChangeWithMoreBytes(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        for round in 0..<500 {
            let bytes = Self.mutate(Self.responses[round % Self.responses.count], using: &generator)
            try Self.expectStable(Wire.dripResponse(bytes), bytes)
        }
    }

    @Test(arguments: seeds(4))
    func bodiesAreReadTheSameWholeAndByteByByte(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        for round in 0..<1_000 {
            let bytes = Self.mutate(Self.bodies[round % Self.bodies.count], using: &generator)
            let whole = DecodedBody(bytes, with: .chunked)
            let dripped = DecodedBody(bytes, with: .chunked, nextSize: { 1 })
            // The rest of a rejected message does not matter.
            #expect(dripped.bytes == whole.bytes)
            #expect(dripped.trailers == whole.trailers)
            #expect(dripped.problem == whole.problem)
        }
    }

    @Test(arguments: seeds(4))
    func randomBytesDoNotCrash(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var scanner = RequestScanner()
        var responses = ResponseScanner()
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...80, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let request = Wire.scan(&scanner, bytes)
            let response = Wire.scan(&responses, bytes)
            #expect(request == .incomplete || Wire.status(request) != nil)
            #expect(response == .incomplete || Wire.status(response) != nil)
            let body = DecodedBody(bytes, with: .chunked)
            #expect(body.bytes.count <= bytes.count)
        }
    }
}
