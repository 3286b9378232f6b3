import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TestShare
import Testing

@Suite
struct BodyDecoderTests {
    @Test func aLengthEndsTheBodyAndLeavesTheRest() {
        #expect(DecodedBody("helloGET", with: .length(5)) == DecodedBody(bytes: "hello", trailers: [], rest: 3))
        #expect(DecodedBody("hell", with: .length(5)) == DecodedBody(bytes: "hell"))
        #expect(DecodedBody("GET", with: .none) == DecodedBody(trailers: [], rest: 3))
        #expect(DecodedBody("", with: .length(0)) == DecodedBody(trailers: []))
    }

    @Test(
        arguments: [
            ("5\r\nhello\r\n0\r\n\r\n", "hello", [], 0), ("0\r\n\r\n", "", [], 0), ("000\r\n\r\nrest", "", [], 4),
            ("1\r\na\r\n01\r\nb\r\n0\r\n\r\n", "ab", [], 0), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789", [], 0),
            ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789", [], 0), ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n", [], 0),
            ("1;name=value;b=\"c d\"\r\na\r\n0;x\r\n\r\n", "a", [], 0), ("1 ; a\r\na\r\n0\t\r\n\r\n", "a", [], 0),
            ("1\r\na\r\n0\r\nX: y\r\nX:z \r\n\r\n", "a", [HeaderField("X", "y"), HeaderField("X", "z")], 0),
            ("0\r\nDigest: é\r\n\r\nGET /", "", [HeaderField("Digest", "é")], 5),
        ] as [(String, String, [HeaderField], Int)]
    )
    func takesChunksApart(_ text: String, _ body: String, _ trailers: [HeaderField], _ rest: Int) {
        let expected = DecodedBody(bytes: body, trailers: trailers, rest: rest)
        #expect(DecodedBody(text, with: .chunked) == expected)
    }

    @Test(
        arguments: [
            ("5\nhello\n0\n\nrest", "hello", [], 4), ("5\r\nhello\n0\r\n\r\n", "hello", [], 0),
            ("1;x\na\r\n1\r\nb\n0\nX: y\n\n", "ab", [HeaderField("X", "y")], 0), ("2\n\n\n\n0\n\n", "\n\n", [], 0),
        ] as [(String, String, [HeaderField], Int)]
    )
    func linesOfLooseChunksMayEndWithALineFeed(_ text: String, _ body: String, _ trailers: [HeaderField], _ rest: Int) {
        let expected = DecodedBody(bytes: body, trailers: trailers, rest: rest)
        #expect(DecodedBody(text, with: .looselyChunked) == expected)
        #expect(DecodedBody(text, with: .looselyChunked, nextSize: { 1 }).bytes == Array(body.utf8))
    }

    @Test(arguments: [
        "", "5", "5\r", "5\r\n", "5\r\nhel", "5\r\nhello", "5\r\nhello\r", "5\r\nhello\r\n", "5\r\nhello\r\n0",
        "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\r\n\r", "0\r\nX: y\r\n", "5;ext", "5;ext\r",
    ])
    func aTruncatedBodyIsIncomplete(_ text: String) {
        let body = DecodedBody(text, with: .chunked)
        #expect(body.trailers == nil)
        #expect(body.problem == nil)
    }

    @Test(arguments: [
        ("\r\n", "a chunk has no valid size"), ("x\r\n", "a chunk has no valid size"),
        (" 5\r\n", "a chunk has no valid size"), ("+5\r\n", "a chunk has no valid size"),
        ("-1\r\n", "a chunk has no valid size"), ("0x5\r\n", "a chunk has no valid size"),
        ("5\nhello", "a chunk has no valid size"), (";ext\r\n", "a chunk has no valid size"),
        ("5,5\r\n", "a chunk has no valid size"), ("5h\r\n", "a chunk has no valid size"),
        ("1000000000000000\r\n", "a chunk size is too large"), ("FFFFFFFFFFFFFFFFF", "a chunk size is too large"),
        ("5\rX", "a chunk size does not end with CR LF"), ("5;a\nhello", "a chunk size does not end with CR LF"),
        ("5;a\u{0}\r\n", "a chunk size does not end with CR LF"),
        ("5;a\rb\r\n", "a chunk size does not end with CR LF"),
        ("5\r\nhelloX", "a chunk does not end with CR LF"), ("5\r\nhello\n0\r\n", "a chunk does not end with CR LF"),
        ("5\r\nhello\rX", "a chunk does not end with CR LF"), ("5\r\nhelloworld", "a chunk does not end with CR LF"),
        ("0\r\nX : y\r\n\r\n", "a header line has no valid name before its colon"),
        ("0\r\nX: y\nZ: a\r\n\r\n", "a header value holds a control character"),
        ("0\r\n folded\r\n\r\n", "a header line begins with white space (obsolete line folding)"),
    ])
    func chunksThatBreakTheGrammarAreRefused(_ text: String, _ reason: String) {
        #expect(DecodedBody(text, with: .chunked).problem == MalformedMessage(reason))
        #expect(DecodedBody(text, with: .chunked, nextSize: { 1 }).problem == MalformedMessage(reason))
    }

    @Test func theLargestChunkSizeIsAccepted() throws {
        var decoder = BodyDecoder.chunked
        var buffer = ByteBuffer(string: "FFFFFFFFFFFFFFF\r\nabc")
        #expect(try decoder.next(&buffer) == .bytes(ByteBuffer(string: "abc")))
        #expect(try decoder.next(&buffer) == nil)
    }

    @Test func extensionsAndTrailersAreBounded() {
        let allowed = "1;" + String(repeating: "x", count: MessageLimits.chunkLine - 2)
        #expect(DecodedBody(allowed + "\r\na\r\n0\r\n\r\n", with: .chunked) == DecodedBody(bytes: "a", trailers: []))
        for text in [allowed + "x", allowed + "x\r\na\r\n0\r\n\r\n"] {
            #expect(DecodedBody(text, with: .chunked).problem?.reason == "a chunk extension is too long")
        }
        let trailers = "0\r\n" + String(repeating: "X: y\r\n", count: MessageLimits.trailers / 6 + 1)
        #expect(DecodedBody(trailers, with: .chunked).problem?.status == 431)
        #expect(DecodedBody(trailers + "\r\n", with: .chunked).problem?.status == 431)
    }

    @Test func untilCloseReadsEverythingAndEndsAtClose() throws {
        var decoder = BodyDecoder.untilClose
        var buffer = ByteBuffer(string: "0\r\n\r\n")
        #expect(decoder.endsAtClose)
        #expect(!decoder.endsNow)
        #expect(try decoder.next(&buffer) == .bytes(ByteBuffer(string: "0\r\n\r\n")))
        #expect(try decoder.next(&buffer) == nil)
        #expect(!decoder.isFinished)
        #expect(decoder.finishAtClose() == .end(trailers: []))
        #expect(decoder.isFinished)
        #expect(decoder.finishAtClose() == nil)
    }

    @Test func aClosedConnectionDoesNotCompleteOtherBodies() {
        for decoder in [BodyDecoder.length(5), .chunked, .none] {
            var decoder = decoder
            #expect(!decoder.endsAtClose)
            #expect(decoder.finishAtClose() == nil)
            #expect(!decoder.isFinished)
        }
    }

    @Test func knowsWhenOnlyTheEndIsLeft() throws {
        #expect(BodyDecoder.none.endsNow)
        #expect(!BodyDecoder.chunked.endsNow)
        var decoder = BodyDecoder.length(3)
        var buffer = ByteBuffer(string: "abc")
        #expect(!decoder.endsNow)
        _ = try decoder.next(&buffer)
        #expect(decoder.endsNow)
        #expect(try decoder.next(&buffer) == .end(trailers: []))
        #expect(decoder.isFinished)
        buffer.writeString("more")
        #expect(try decoder.next(&buffer) == nil)
        #expect(buffer.readableBytes == 4)
    }

    @Test(arguments: seeds(4))
    func theSizesOfThePiecesItComesInDoNotMatter(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        for _ in 0..<150 {
            var body: [UInt8] = []
            var wire: [UInt8] = []
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                let chunk = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                    [0x0D, 0x0A, 0x30, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator)
                        ?? 0
                }
                let ext = ["", ";a", " ; a=b"].randomElement(using: &generator) ?? ""
                wire += Array("\(String(chunk.count, radix: 16))\(ext)\r\n".utf8) + chunk + [0x0D, 0x0A]
                body += chunk
            }
            let hasTrailer = Bool.random(using: &generator)
            wire += Array("0\r\n\(hasTrailer ? "A: b\r\n" : "")\r\nnext".utf8)
            var expected = DecodedBody(trailers: hasTrailer ? [HeaderField("A", "b")] : [], rest: 4)
            expected.bytes = body
            #expect(DecodedBody(wire, with: .chunked) == expected)
            #expect(DecodedBody(wire, with: .chunked, nextSize: { 1 }) == expected)
            #expect(
                DecodedBody(wire, with: .chunked, nextSize: { Int.random(in: 1...9, using: &generator) }) == expected
            )
        }
    }
}
