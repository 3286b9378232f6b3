import TapedeckCore
import TapedeckHTTP1
import Testing

@Suite
struct ResponseScannerTests {
    private func head(_ text: String) -> ResponseHead? {
        let bytes = Array(text.utf8)
        var scanner = ResponseScanner()
        return bytes.withUnsafeBytes { bytes in
            guard scanner.scan(bytes) == .complete(bytes.count) else { return nil }
            return scanner.head(bytes)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200, "OK"), ("HTTP/1.0 404 Not Found", 404, "Not Found"), ("HTTP/1.1 200 ", 200, ""),
        ("HTTP/1.1 200", 200, ""), ("HTTP/1.1 999 \tAll  is\twell ", 999, "\tAll  is\twell "),
        ("HTTP/1.1 103 Early Hints", 103, "Early Hints"), ("HTTP/1.1 200 Grüße", 200, "Grüße"),
    ])
    func readsTheStatusLine(_ line: String, status: Int, reason: String) {
        #expect(self.head("\(line)\r\n\r\n") == ResponseHead(status: status, reason: reason, fields: []))
        #expect(self.head("\(line)\n\n") == ResponseHead(status: status, reason: reason, fields: []))
    }

    @Test(arguments: [("1.1", true), ("1.0", false)])
    func aTransferCodingInHTTP10EndsTheConnection(_ version: String, _ isPersistent: Bool) {
        let text = "HTTP/\(version) 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
        var scanner = ResponseScanner()
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { scanner.scan($0) } == .complete(bytes.count))
        #expect(scanner.isPersistent == isPersistent)
    }

    @Test func keepsOrderCaseDuplicatesAndBytesOfFields() {
        let bytes =
            Array("HTTP/1.1 200 \u{1}".utf8.dropLast()) + [0xE9] + Array("\r\nSet-Cookie: a\r\nset-cookie:b".utf8)
            + Array("\nX: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8)
        var scanner = ResponseScanner()
        let head = bytes.withUnsafeBytes { bytes in
            #expect(scanner.scan(bytes) == .complete(bytes.count))
            return scanner.head(bytes)
        }
        #expect(head.reason == "\u{10FFE9}")
        #expect(
            head.fields == [
                HeaderField("Set-Cookie", "a"), HeaderField("set-cookie", "b"), HeaderField("X", "\u{10FFFF}"),
            ]
        )
    }

    @Test(arguments: [
        "HTTP/2 200 OK", "HTTP/0.9 200 OK", "http/1.1 200 OK", "ICY 200 OK", "HTTP/1.1200 OK", "HTTP/1.1  200 OK",
        "HTTP/1.1 2OO OK", "HTTP/1.1 20 OK   ", "HTTP/1.1 099 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 2000 OK",
        "HTTP/1.1 200OK", "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 O\rK", "HTTP/1.x 200 OK", "<html>",
        "\r\nHTTP/1.1 200 OK",
    ])
    func rejectsInvalidStatusLines(_ line: String) {
        var scanner = ResponseScanner()
        #expect(Wire.status(Wire.scan(&scanner, "\(line)\r\nX: y\r\n\r\n")) != nil)
    }

    @Test(arguments: [
        "Content-Length: 1\r\nContent-Length: 2", "Content-Length: 1\r\nContent-Length: 1", "Content-Length: x",
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked", "X : y", " folded", "X: a\r\n b", "X: \u{0}", "X: a\rb", "no colon",
    ])
    func refusesHeadersThatCannotBeTrusted(_ lines: String) {
        var scanner = ResponseScanner()
        #expect(Wire.status(Wire.scan(&scanner, Wire.response(lines))) != nil)
    }

    @Test(arguments: [
        Wire.response("Content-Length: 3", "X: y"), Wire.response(line: "HTTP/1.0 500 "), "HTTP/1.1 200\r\n\r\n",
        "HTTP/1.1 200 OK\nX: y\n\n", Wire.response("Transfer-Encoding: chunked", line: "HTTP/1.1 206 Partial Content"),
    ])
    func byteByByteIsIncompleteUntilTheLastByte(_ text: String) {
        let bytes = Array(text.utf8)
        let results = Wire.dripResponse(bytes)
        #expect(results.last == .complete(bytes.count))
        #expect(results.dropLast().allSatisfy { $0 == .incomplete })
    }

    @Test(arguments: [
        ("HTTP/1.1", "X: y", true), ("HTTP/1.1", "Connection: close", false), ("HTTP/1.0", "X: y", false),
        ("HTTP/1.0", "Connection: keep-alive", true),
    ])
    func theResponseDecidesIfTheConnectionPersists(_ version: String, _ line: String, _ isPersistent: Bool) {
        let scanner = Wire.scannedResponse(Wire.response(line, line: "\(version) 200 OK"))
        #expect(scanner.status == 200)
        #expect(scanner.isPersistent == isPersistent)
    }

    /// The number of pieces must not matter.
    @Test func aHeadOverTheLimitIsRejectedWholeOrInPart() {
        let text = Wire.response("X: " + String(repeating: "x", count: MessageLimits.head))
        var scanner = ResponseScanner()
        #expect(Wire.status(Wire.scan(&scanner, String(text.prefix(MessageLimits.head)))) != nil)
        #expect(Wire.status(Wire.scan(&scanner, text)) != nil)
    }

    @Test(arguments: [(100, false), (199, false), (200, true), (204, false), (205, true), (304, false), (404, true)])
    func knowsWhichStatusesHaveABody(_ status: Int, _ allows: Bool) {
        #expect(ResponseHead.allowsBody(status: status) == allows)
    }

    @Test func aHeadHasTheStandardReasonByDefault() {
        #expect(ResponseHead(status: 404, fields: []).reason == "Not Found")
        #expect(ResponseHead(status: 404, reason: "", fields: []).reason == "")
    }

    @Test func aRequestHeadDescribesItself() throws {
        let origin = try #require(Origin("https://a.test:8443"))
        for target in ["/b?c", "*"] {
            let head = RequestHead(method: "OPTIONS", origin: origin, target: target, fields: [])
            #expect(AbsoluteURL(head.line.url.description) == head.line.url)
            #expect(head.line.description == "OPTIONS https://a.test:8443/\(target.drop { $0 == "/" })")
        }
    }
}
