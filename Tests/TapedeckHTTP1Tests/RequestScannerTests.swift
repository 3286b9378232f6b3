import TapedeckCore
import TapedeckHTTP1
import Testing

@Suite
struct RequestScannerTests {
    @Test(arguments: [
        ("GET / HTTP/1.1", "GET", "/", 1), ("GET / HTTP/1.0", "GET", "/", 0),
        ("GET http://a.test/b?c HTTP/1.1", "GET", "http://a.test/b?c", 1),
        ("CONNECT a.test:443 HTTP/1.1", "CONNECT", "a.test:443", 1), ("OPTIONS * HTTP/1.1", "OPTIONS", "*", 1),
        ("M-SEARCH /a|b{c}\"^ HTTP/1.1", "M-SEARCH", "/a|b{c}\"^", 1), ("patch /é HTTP/1.1", "patch", "/é", 1),
        ("!#$%&'*+-.^_`|~09 / HTTP/1.1", "!#$%&'*+-.^_`|~09", "/", 1),
    ])
    func readsTheRequestLine(_ line: String, method: String, target: String, minorVersion: Int) {
        let text = Wire.request(line: line)
        var scanner = RequestScanner()
        #expect(Wire.scan(&scanner, text) == .complete(text.utf8.count))
        #expect(scanner.minorVersion == minorVersion)
        let parts = Wire.parts(text)
        #expect(parts.method == method)
        #expect(parts.target == target)
    }

    @Test func readsFieldsInOrderWithCaseDuplicatesAndBytes() {
        let text = Wire.request("X-One:  a b \t", "x-one:c", "Empty:", "Blank: \t ", "Tab:a\tb", "Q: \"a: b\", ,")
        #expect(
            Wire.parts(text).fields == [
                HeaderField("Host", "a.test"), HeaderField("X-One", "a b"), HeaderField("x-one", "c"),
                HeaderField("Empty", ""), HeaderField("Blank", ""), HeaderField("Tab", "a\tb"),
                HeaderField("Q", "\"a: b\", ,"),
            ]
        )
    }

    @Test func everyByteAHeaderValueMayHoldIsKept() {
        for byte in UInt8.min...UInt8.max where byte == 0x09 || byte >= 0x20 && byte != 0x7F {
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: [".utf8) + [byte] + Array("]\r\n\r\n".utf8)
            var scanner = RequestScanner()
            #expect(Wire.scan(&scanner, bytes) == .complete(bytes.count))
            let fields = bytes.withUnsafeBytes { scanner.fields.fields($0) }
            #expect(ByteText.bytes(of: fields[1].value) == [0x5B, byte, 0x5D])
        }
    }

    @Test func stopsBehindTheHead() {
        let head = Wire.request("Content-Length: 5")
        var scanner = RequestScanner()
        #expect(Wire.scan(&scanner, head + "helloGET / HTTP/1.1\r\n\u{0}") == .complete(head.utf8.count))
        #expect(scanner.hasBody)
        // No state of a request remains in the scanner for the next one.
        #expect(Wire.scan(&scanner, Wire.request()) == .complete(Wire.request().utf8.count))
        #expect(!scanner.hasBody)
        #expect(scanner.fields.contentLength == nil)
    }

    @Test func emptyLinesBeforeARequestAreSkipped() {
        let text = "\r\n\r\n" + Wire.request()
        var scanner = RequestScanner()
        #expect(Wire.scan(&scanner, text) == .complete(text.utf8.count))
        #expect(Wire.parts(text).method == "GET")
    }

    @Test(arguments: [
        Wire.request(), Wire.request("Content-Length: 12", "X-Y: z", line: "POST /a?b=c HTTP/1.1"),
        Wire.request("Transfer-Encoding: chunked", "Connection: close, X", "X:", line: "PUT * HTTP/1.1"),
        "GET / HTTP/1.0\r\n\r\n", "\r\n\r\n" + Wire.request(),
    ])
    func byteByByteIsIncompleteUntilTheLastByte(_ text: String) {
        let bytes = Array(text.utf8)
        let results = Wire.drip(bytes)
        #expect(results.last == .complete(bytes.count))
        for (end, result) in results.dropLast().enumerated() {
            #expect(result == .incomplete, "after \(end) bytes of \(text.debugDescription)")
        }
    }

    @Test(
        arguments: [
            ("1.1", [], true), ("1.1", ["Connection: close"], false), ("1.1", ["Connection: Keep-Alive"], true),
            ("1.1", ["Connection: upgrade, CLOSE , x"], false), ("1.1", ["Connection: x", "connection: close"], false),
            ("1.1", ["Connection: closed"], true), ("1.1", ["Proxy-Connection: close"], false),
            ("1.1", ["X-Connection: close"], true), ("1.0", [], false), ("1.0", ["Connection: keep-alive"], true),
            ("1.0", ["Proxy-Connection: Keep-Alive"], true), ("1.0", ["Connection: close"], false),
            ("1.0", ["Connection: keep-alive, close"], false), ("1.0", ["Connection: x,keep-alive"], true),
        ] as [(String, [String], Bool)]
    )
    func versionAndFieldsDecideIfTheConnectionPersists(_ version: String, _ lines: [String], _ isPersistent: Bool) {
        let text = (["GET / HTTP/\(version)", "Host: a"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
        var scanner = RequestScanner()
        #expect(Wire.scan(&scanner, text) == .complete(text.utf8.count))
        #expect(scanner.isPersistent == isPersistent)
    }

    @Test(
        arguments: [
            ([], false), (["Content-Length: 0"], false), (["Content-Length: 1"], true),
            (["content-length: 999999999999999999"], true), (["Transfer-Encoding: Chunked"], true),
        ] as [([String], Bool)]
    )
    func knowsWhetherABodyFollows(_ lines: [String], _ hasBody: Bool) {
        let text = (["PUT / HTTP/1.1", "Host: a"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
        var scanner = RequestScanner()
        #expect(Wire.scan(&scanner, text) == .complete(text.utf8.count))
        #expect(scanner.hasBody == hasBody)
    }

    @Test func methodsAreComparedWhole() {
        for (line, isHead) in [("HEAD", true), ("HEADS", false), ("HEA", false), ("head", false)] {
            let bytes = Array(Wire.request(line: "\(line) / HTTP/1.1").utf8)
            bytes.withUnsafeBytes { bytes in
                var scanner = RequestScanner()
                _ = scanner.scan(bytes)
                #expect(scanner.isHead == isHead)
            }
        }
    }

    @Test func aHeadAtTheSizeLimitIsAcceptedAndOneByteMoreIsRejected() {
        let frame = Wire.request("X: ").utf8.count
        for (excess, isTaken) in [(-1, true), (0, true), (1, false)] {
            let size = MessageLimits.head + excess
            let text = Wire.request("X: " + String(repeating: "x", count: size - frame))
            var scanner = RequestScanner()
            let expected: ScanResult =
                isTaken
                ? .complete(size)
                : .malformed(MalformedMessage("the header is larger than 65536 bytes", status: 431))
            #expect(Wire.scan(&scanner, text) == expected)
            #expect(Wire.scan(&scanner, text + "body") == expected)
        }
    }

    @Test func aHeadThatNeverEndsIsRefusedAtTheLimit() {
        for unit in ["x", "X: y\r\n", "\r\n"] {
            let start = unit == "\r\n" ? "" : "GET / HTTP/1.1\r\nHost: a\r\n"
            let text = start + String(repeating: unit, count: MessageLimits.head / unit.utf8.count + 1)
            var scanner = RequestScanner()
            #expect(Wire.status(Wire.scan(&scanner, text)) == 431)
            let half = String(text.prefix(text.count / 2))
            #expect(Wire.scan(&scanner, half) == .incomplete)
        }
    }
}
