import Testing

@testable import TapedeckCore

@Suite struct AWSChunksTests {
    private static let fields = [HeaderField("Content-Encoding", "aws-chunked")]

    private static func content(_ body: String, pieces size: Int) throws -> String {
        var chunks = try #require(AWSChunks(Self.fields))
        let bytes = Array(body.utf8)
        var content: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            content += piece.withUnsafeBytes { chunks.update($0) }
        }
        return String(decoding: content + chunks.finish(), as: UTF8.self)
    }

    @Test(arguments: [
        ("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n", "hello"),
        ("2;chunk-signature=ab\r\nhe\r\n3;chunk-signature=cd\r\nllo\r\n0;chunk-signature=ef\r\n\r\n", "hello"),
        ("A\r\n0123456789\r\na\r\n\r\n0\r\n\r\nabc\r\n0\r\n\r\n", "0123456789\r\n0\r\n\r\nabc"),
        ("0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", ""), ("", ""),
        // Broken off.
        ("5\r\nhel", "hel"), ("5\r\nhello\r\n", "hello"),
        // Not in this form.
        ("hello", "hello"), ("5\nhello\n0\n\n", "5\nhello\n0\n\n"), ("fee\r\n", ""),
        ("{\"a\": 1}\r\n", "{\"a\": 1}\r\n"),
        ("5\r\nhelloX\r\n", "helloX\r\n"), ("123456789\r\nx", "123456789\r\nx"),
    ])
    func `the content is the same however the body comes`(_ body: String, _ content: String) throws {
        for size in 1...max(1, body.utf8.count) {
            #expect(try Self.content(body, pieces: size) == content, "in pieces of \(size)")
        }
    }

    @Test func `a long line is no line of such a body`() throws {
        let text = String(repeating: "a", count: 2_000)
        #expect(try Self.content(text, pieces: 100) == text)
    }

    @Test func `only fields that name the chunks speak of them`() {
        #expect(AWSChunks([HeaderField("Content-Encoding", "gzip")]) == nil)
        let both = [HeaderField("Content-Encoding", "AWS-Chunked, gzip"), HeaderField("Content-Type", "text/plain")]
        #expect(AWSChunks(both) != nil)
        #expect(AWSChunks.removed(from: both).map(\.value) == ["gzip", "text/plain"])
        #expect(AWSChunks.removed(from: Self.fields).isEmpty)
        #expect(AWSChunks.content(Array("1\r\nx\r\n0\r\n\r\n".utf8), []) == Array("1\r\nx\r\n0\r\n\r\n".utf8))
    }
}
