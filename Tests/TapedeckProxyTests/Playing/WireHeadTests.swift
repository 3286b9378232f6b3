import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import Testing

@testable import TapedeckProxy

@Suite
struct WireHeadTests {
    private func head(
        _ fields: [HeaderField] = [],
        reason: String = "OK",
        closes: Bool = false,
        _ client: ClientAbilities = ClientAbilities()
    ) -> ByteBuffer {
        var buffer = ByteBuffer()
        let isHTTP10 = client.version == .http10
        WireHead.write(status: 200, reason: reason, fields: fields, closes: closes, isHTTP10: isHTTP10, to: &buffer)
        return buffer
    }

    @Test func writesFieldsAsTheyWereRecorded() {
        let fields = [HeaderField("Set-Cookie", "a"), HeaderField("set-cookie", "b\tc"), HeaderField("X", "")]
        #expect(
            self.head(fields)
                == ByteBuffer(string: "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie: b\tc\r\nX: \r\n\r\n")
        )
    }

    @Test func bytesThatAreNotUTF8AreWrittenUnchanged() {
        let head = self.head([HeaderField("X", "\u{10FFE9}é")], reason: "\u{10FFFF}")
        let expected = Array("HTTP/1.1 200 ".utf8) + [0xFF] + Array("\r\nX: ".utf8) + [0xE9] + Array("é\r\n\r\n".utf8)
        #expect(Array(head.readableBytesView) == expected)
    }

    @Test(
        arguments: [
            (false, .http11, nil), (true, .http11, "close"), (true, .http10, "close"), (false, .http10, "keep-alive"),
        ] as [(Bool, ClientVersion, String?)]
    )
    func theHeadShowsIfTheConnectionStaysOpen(_ closes: Bool, _ version: ClientVersion, _ connection: String?) {
        let line = connection.map { "Connection: \($0)\r\n" } ?? ""
        let head = self.head(closes: closes, ClientAbilities(version: version))
        #expect(head == ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(line)\r\n"))
    }

    @Test func aWrittenHeadIsReadBackTheSame() {
        let fields = [HeaderField("A", "b"), HeaderField("C", "\u{10FF80}"), HeaderField("a", "")]
        let head = self.head(fields, reason: "")
        var scanner = ResponseScanner()
        head.withUnsafeReadableBytes { bytes in
            #expect(scanner.scan(bytes) == .complete(bytes.count))
            #expect(scanner.head(bytes) == ResponseHead(status: 200, reason: "", fields: fields))
        }
    }

    @Test func chunksAreReadBackTheSame() throws {
        var buffer = ByteBuffer()
        let pieces = ["a", "", String(repeating: "b", count: 300), "\r\n0\r\n\r\n"]
        for piece in pieces { WireHead.writeChunk(ByteBuffer(string: piece), to: &buffer) }
        WireHead.writeLastChunk(trailers: [HeaderField("X", "y")], to: &buffer)
        var decoder = BodyDecoder.chunked
        var body = ""
        var trailers: [HeaderField]?
        while let piece = try decoder.next(&buffer) {
            switch piece {
            case .bytes(let bytes): body += String(buffer: bytes)
            case .end(let fields): trailers = fields
            }
        }
        #expect(body == pieces.joined())
        #expect(trailers == [HeaderField("X", "y")])
    }

    @Test func anEmptyPieceWritesNoChunk() {
        var buffer = ByteBuffer()
        WireHead.writeChunk(ByteBuffer(), to: &buffer)
        #expect(buffer.readableBytes == 0)
        WireHead.writeLastChunk(trailers: [], to: &buffer)
        #expect(buffer == ByteBuffer(string: "0\r\n\r\n"))
    }
}
