import TapedeckHTTP1
import Testing

/// Messages that must be rejected: each might mean one thing to Tapedeck and another to the next reader.
@Suite
struct RequestRefusalTests {
    private func refusal(_ text: String) -> MalformedMessage? {
        var scanner = RequestScanner()
        guard case .malformed(let problem) = Wire.scan(&scanner, text) else { return nil }
        return problem
    }

    @Test(arguments: [
        ("GET\r\n\r\n", 400), ("GET /\r\n\r\n", 400), (" GET / HTTP/1.1\r\n", 400), ("GET  / HTTP/1.1\r\n", 400),
        ("GET /  HTTP/1.1\r\n", 400), ("GET\t/ HTTP/1.1\r\n", 400), ("GET /\tHTTP/1.1\r\n", 400),
        ("GET / a HTTP/1.1\r\n", 400), ("GET / HTTP/1.1 \r\n", 400), ("GET / HTTP/1.1\n", 400),
        ("GET / HTTP/1.1\rX", 400), ("GET /\n", 400), ("GET /\u{0} HTTP/1.1\r\n", 400),
        ("GET /\u{7F} HTTP/1.1\r\n", 400), ("G@T / HTTP/1.1\r\n", 400), ("GÉT / HTTP/1.1\r\n", 400),
        ("\n\nGET / HTTP/1.1\r\n", 400), ("\u{16}\u{3}\u{1}", 400), ("GET / http/1.1\r\n", 400),
        ("GET / HTTPS/1.1\r\n", 400), ("GET / HTTP 1.1\r\n", 400), ("GET / FTP/1.1\r\n", 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505), ("GET / HTTP/2.0\r\n", 505), ("GET / HTTP/3\r\n", 505),
        ("GET / HTTP/0.9\r\n", 505), ("GET / HTTP/1.2\r\n", 505), ("GET / HTTP/1.x\r\n", 505),
        ("GET / HTTP/1.10\r\n", 400), ("GET / HTTP/11\r\n", 505),
    ])
    func brokenRequestLines(_ text: String, status: Int) {
        #expect(self.refusal(text)?.status == status)
    }

    @Test(arguments: [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", 400, "Content-Length and Transfer-Encoding come together"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 0", 400, "Content-Length and Transfer-Encoding come together"),
        ("Content-Length: 5\r\nContent-Length: 6", 400, "Content-Length comes twice"),
        ("Content-Length: 5\r\ncontent-length: 5", 400, "Content-Length comes twice"),
        ("Content-Length: 5, 5", 400, "Content-Length is no valid number"),
        ("Content-Length:", 400, "Content-Length is no valid number"),
        ("Content-Length: -1", 400, "Content-Length is no valid number"),
        ("Content-Length: +1", 400, "Content-Length is no valid number"),
        ("Content-Length: 0x10", 400, "Content-Length is no valid number"),
        ("Content-Length: 1 2", 400, "Content-Length is no valid number"),
        ("Content-Length: 1.0", 400, "Content-Length is no valid number"),
        ("Content-Length: ١", 400, "Content-Length is no valid number"),
        ("Content-Length: 9999999999999999999", 400, "Content-Length is no valid number"),
        ("Transfer-Encoding: gzip", 400, "the last transfer coding is not chunked"),
        ("Transfer-Encoding: chunked, gzip", 400, "the last transfer coding is not chunked"),
        ("Transfer-Encoding: gzip, chunked", 501, "the only transfer coding that is understood is chunked"),
        ("Transfer-Encoding: chunked, chunked", 501, "the only transfer coding that is understood is chunked"),
        ("Transfer-Encoding: identity", 400, "the last transfer coding is not chunked"),
        ("Transfer-Encoding: xchunked", 400, "the last transfer coding is not chunked"),
        ("Transfer-Encoding: chunked;q=1", 400, "the last transfer coding is not chunked"),
        ("Transfer-Encoding:", 400, "the last transfer coding is not chunked"),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400, "Transfer-Encoding comes twice"),
        ("Transfer-Encoding: \u{B}chunked", 400, "a header value holds a control character"),
        ("Host: b", 400, "Host comes twice"), ("hOsT:", 400, "Host comes twice"),
        ("X: a\r\n b", 400, "a header line begins with white space (obsolete line folding)"),
        ("X: a\r\n\tb", 400, "a header line begins with white space (obsolete line folding)"),
        (" X: a", 400, "a header line begins with white space (obsolete line folding)"),
        ("X : a", 400, "a header line has no valid name before its colon"),
        ("X\t: a", 400, "a header line has no valid name before its colon"),
        ("Content-Length : 5", 400, "a header line has no valid name before its colon"),
        (": a", 400, "a header line has no valid name before its colon"),
        ("X", 400, "a header line has no valid name before its colon"),
        ("X Y: a", 400, "a header line has no valid name before its colon"),
        ("X(: a", 400, "a header line has no valid name before its colon"),
        ("É: a", 400, "a header line has no valid name before its colon"),
        ("X\u{0}: a", 400, "a header line has no valid name before its colon"),
        ("X: a\rb", 400, "the header has a carriage return without a line feed"),
        ("X: a\r\rb", 400, "the header has a carriage return without a line feed"),
        ("\rX: a", 400, "the header has a carriage return without a line feed"),
        ("X: a\nContent-Length: 5", 400, "a header value holds a control character"),
        ("X: a\u{0}b", 400, "a header value holds a control character"),
        ("X: a\u{7F}", 400, "a header value holds a control character"),
        ("X: \u{1B}[31m", 400, "a header value holds a control character"),
        ("\nX: a", 400, "a header line has no valid name before its colon"),
    ])
    func brokenHeaders(_ lines: String, status: Int, reason: String) {
        #expect(self.refusal(Wire.request(lines)) == MalformedMessage(reason, status: status))
    }

    @Test func anHTTP11RequestNeedsAHost() {
        #expect(self.refusal("GET http://a.test/ HTTP/1.1\r\n\r\n") == MalformedMessage("there is no Host header"))
        #expect(self.refusal("GET / HTTP/1.0\r\n\r\n") == nil)
        #expect(self.refusal("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n") == MalformedMessage("Host comes twice"))
    }

    @Test func anHTTP10RequestHasNoTransferCoding() {
        #expect(
            self.refusal("PUT / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                == MalformedMessage("Transfer-Encoding in an HTTP/1.0 request")
        )
    }

    @Test func aLineFeedAloneDoesNotEndTheHead() {
        #expect(self.refusal("GET / HTTP/1.1\r\nHost: a\r\n\n") != nil)
        #expect(self.refusal("GET / HTTP/1.1\nHost: a\n\n") != nil)
    }

    @Test func theMethodHasALimit() {
        #expect(self.refusal(Wire.request(line: String(repeating: "A", count: 64) + " / HTTP/1.1")) == nil)
        #expect(self.refusal(Wire.request(line: String(repeating: "A", count: 65) + " / HTTP/1.1"))?.status == 400)
    }

    /// A message that is rejected as a whole is also rejected byte by byte, or earlier.
    @Test(arguments: [
        "GET /\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n", Wire.request("X: a\r\n b"), Wire.request("X : a"),
        Wire.request("Content-Length: 5\r\nContent-Length: 5"), Wire.request("Transfer-Encoding: gzip"),
        Wire.request("X: a\rb"), Wire.request("X: a\nb"),
        Wire.request("Content-Length: 5\r\nTransfer-Encoding: chunked"),
        "GET / HTTP/1.1\r\n\r\n",
    ])
    func byteByByteIsRefusedForTheSameReason(_ text: String) throws {
        let results = Wire.drip(Array(text.utf8))
        let first = try #require(results.first { $0 != .incomplete })
        guard case .malformed = first else {
            Issue.record("taken: \(first)")
            return
        }
        #expect(results.last == first)
    }
}
