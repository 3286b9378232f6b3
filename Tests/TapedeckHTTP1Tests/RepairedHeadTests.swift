import TapedeckCore
import TestShare
import Testing

@testable import TapedeckHTTP1

/// Malformed heads of responses, and what is made of them.
@Suite struct RepairedHeadTests {
    private static func repaired(_ lines: String) -> RepairedHead? {
        let text = Wire.response(lines)
        return Array(text.utf8).withUnsafeBytes { RepairedHead($0) }
    }

    private static func fields(_ head: RepairedHead) -> [HeaderField]? {
        var scanner = ResponseScanner()
        return head.bytes.withUnsafeBytes { bytes in
            scanner.scan(bytes) == .complete(bytes.count) ? scanner.head(bytes).fields : nil
        }
    }

    @Test(arguments: [
        ("X-F: a,\r\n b\r\n\t c", ["X-F": "a, b c"], ["X-F was folded"], false),
        (" folded\r\nX: y", ["X": "y"], ["a line behind the status line was left out"], false),
        ("X \t: y", ["X": "y"], ["white space followed the name X"], false),
        ("X: a\u{1}b\u{7F}", ["X": "a b"], ["X held a control character"], false),
        ("X(Y): 1\r\n more\r\nZ: 2", ["Z": "2"], ["X(Y) was left out: no name may have these characters"], false),
        ("Content-Length: 5, 5", ["Content-Length": "5"], ["Content-Length came 2 times"], false),
        (
            "Content-Length: 5\r\nX: y\r\ncontent-length: 05", ["Content-Length": "5", "X": "y"],
            ["Content-Length came 2 times"], false
        ),
        (
            "Transfer-Encoding: chunked\r\nContent-Length: 5", ["Transfer-Encoding": "chunked"],
            ["Content-Length and Transfer-Encoding came together"], true
        ),
        (
            "Transfer-Encoding: identity\r\nContent-Length: 5", ["Content-Length": "5"],
            ["Transfer-Encoding was identity"], true
        ),
    ])
    func `what is unambiguous is taken`(
        _ lines: String,
        _ fields: [String: String],
        _ repairs: [String],
        _ endsConnection: Bool
    ) throws {
        let head = try #require(Self.repaired(lines))
        #expect(head.repairs == repairs)
        #expect(head.endsConnection == endsConnection)
        let found = try #require(Self.fields(head))
        #expect(Dictionary(found.map { ($0.name, $0.value) }) { first, _ in first } == fields)
        #expect(found.count == fields.count)
    }

    @Test(arguments: [
        "Content-Length: 1\r\nContent-Length: 2", "Content-Length: 1, 2", "Content-Length: 5,",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "X: a\u{0}b", "X: a\rb", "no colon", ": empty",
        "Content-Length\u{1}: 5", "Content Length: 5", "Transfer-Encoding(): chunked", "Content-Length{: 5",
        "Transfer(Encoding: chunked", "Content(Length: 5",
        "Transfer-Encoding: \u{B}chunked", "Content-Length: 5\u{C}", "Connection: \u{1}close",
    ])
    func `what the next reader may read in another way stays refused`(_ lines: String) {
        #expect(Self.repaired(lines) == nil)
    }

    @Test(arguments: ["Transfer-Encoding: gzip, chunked", "Transfer-Encoding: xchunked", "Content-Length: x"])
    func `a repaired head must still be one`(_ lines: String) {
        let head = Self.repaired("X\u{20}: y\r\n\(lines)")
        #expect(head.map { Self.fields($0) == nil } ?? true)
    }

    @Test func `the status line loses its control characters`() throws {
        let text = "HTTP/1.1 200 O\u{2}K\nX: y\n\n"
        let head = try #require(Array(text.utf8).withUnsafeBytes { RepairedHead($0) })
        #expect(String(decoding: head.bytes, as: UTF8.self) == "HTTP/1.1 200 O K\r\nX: y\r\n\r\n")
        #expect(head.repairs == ["the status line held a control character"])
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nX: y\r\n\r\nmore", "HTTP/1.1 200 OK\nX: y\n\nmore", "HTTP/1.1 200 OK\n\nmore",
    ])
    func `the head ends at the first empty line`(_ text: String) {
        let bytes = Array(text.utf8)
        for count in 0...bytes.count {
            let length = bytes[..<count].withUnsafeBytes { RepairedHead.length($0) }
            #expect(length == (count < bytes.count - 4 ? nil : bytes.count - 4))
        }
    }

    /// Whatever comes, a repaired head is one that the scanner takes, or refuses for its framing.
    @Test(arguments: seeds(20)) func `random heads give well-formed ones, or none`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "X", ":", " ", "\t", "\r\n", "\n", "\r", "a", "(", "\u{1}", "\u{0}", "Content-Length", "5", ",", "chunked",
            "Transfer-Encoding", "identity", "é",
        ]
        var repaired = 0
        for _ in 0..<1_000 {
            let parts = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            let text = parts.joined()
            let bytes = Array("HTTP/1.1 200 OK\r\n\(text)\r\n\r\n".utf8)
            guard let length = bytes.withUnsafeBytes({ RepairedHead.length($0) }),
                let head = bytes[..<length].withUnsafeBytes({ RepairedHead($0) })
            else { continue }
            repaired += 1
            var scanner = ResponseScanner()
            let result = head.bytes.withUnsafeBytes { scanner.scan($0) }
            let isForFraming = text.contains("Content-Length") || text.contains("Transfer-Encoding")
            #expect(result == .complete(head.bytes.count) || isForFraming, "\(parts)")
        }
        #expect(repaired > 50)
    }
}
