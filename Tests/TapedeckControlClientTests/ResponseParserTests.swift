import Testing

@testable import TapedeckControlClient

@Suite struct ResponseParserTests {
    private static let responses: [(text: String, body: String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi"),
        (
            "HTTP/1.0 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\na: b\r\n\r\n",
            "abc0123456789"
        ),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", ""),
    ]

    @Test(arguments: Self.responses, [1, 2, 3, 7, 1_000])
    func `a response is the same in pieces of any size`(_ response: (text: String, body: String), _ size: Int) throws {
        let bytes = Array(response.text.utf8)
        var parser = ResponseParser()
        var body: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            #expect(!parser.isComplete)
            try parser.receive(Array(bytes[start..<min(start + size, bytes.count)]))
            body += parser.takeBody()
        }
        #expect(parser.isComplete)
        #expect(String(decoding: body, as: UTF8.self) == response.body)
    }

    @Test func `names of headers are found in any case, and the media type without parameters`() throws {
        var parser = ResponseParser()
        try parser.receive(Array("HTTP/1.1 200 OK\r\nContent-TYPE: Text/Event-Stream; charset=utf-8\r\n\r\n".utf8))
        #expect(parser.head?.mediaType == "text/event-stream")
        #expect(parser.head?["content-type"] == "Text/Event-Stream; charset=utf-8")
    }

    @Test(arguments: [
        "HTTP/2 200\r\n\r\n", "HTTP/1.1 099 Odd\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        String(repeating: "x", count: 70_000),
    ])
    func `an invalid response is refused`(_ text: String) {
        #expect(throws: ResponseParser.Malformed.self) {
            var parser = ResponseParser()
            try parser.receive(Array(text.utf8))
        }
    }
}
