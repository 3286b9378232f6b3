import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import Testing

@Suite
struct ContentCoderTests {
    private static let samples: [[UInt8]] = [
        [], [0], Array("hello".utf8), Array(repeating: 0x61, count: 300_000),
        (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) },
    ]

    @Test(arguments: ContentCoding.allCases)
    func encodedContentDecodesToTheOriginal(_ coding: ContentCoding) throws {
        for sample in Self.samples {
            let coded = try ContentCoder.encode(sample, coding)
            #expect(try ContentCoder.decode(coded, coding, limit: 1 << 20) == sample)
        }
    }

    @Test(arguments: ContentCoding.allCases)
    func theSameBytesGiveTheSameStream(_ coding: ContentCoding) throws {
        for sample in Self.samples {
            #expect(try ContentCoder.encode(sample, coding) == ContentCoder.encode(sample, coding))
        }
    }

    /// Made with Python's zlib: `hello` as gzip, as zlib and as a bare deflate stream.
    @Test(arguments: [
        ("H4sIAAAAAAAC/8tIzcnJBwCGphA2BQAAAA==", ContentCoding.gzip), ("eJzLSM3JyQcABiwCFQ==", .deflate),
        ("y0jNyckHAA==", .deflate),
    ])
    func readsStreamsOfOtherEncoders(_ base64: String, _ coding: ContentCoding) throws {
        let bytes = try #require(Array(base64.utf8).withUnsafeBytes { Base64.decode($0) })
        #expect(try ContentCoder.decode(bytes, coding, limit: 100) == Array("hello".utf8))
    }

    @Test(arguments: ContentCoding.allCases)
    func aStreamThatIsCutOffIsCorrupt(_ coding: ContentCoding) throws {
        let coded = try ContentCoder.encode(Array("hello, hello, hello".utf8), coding)
        for end in coded.indices {
            #expect(throws: ContentCoder.Problem.self) {
                try ContentCoder.decode(Array(coded[..<end]), coding, limit: 100)
            }
        }
    }

    @Test(arguments: ContentCoding.allCases)
    func bytesBehindTheEndAreCorrupt(_ coding: ContentCoding) throws {
        let coded = try ContentCoder.encode(Array("hello".utf8), coding)
        // Members of gzip and frames of zstd follow each other.
        for garbage in [[0], [0x0A]] + (coding == .br || coding == .deflate ? [coded] : []) {
            #expect(throws: ContentCoder.Problem.self) {
                try ContentCoder.decode(coded + garbage, coding, limit: 100)
            }
        }
    }

    @Test func aChangedByteNeverDecodesToDifferentContent() throws {
        let sample = Array("hello, hello, hello".utf8)
        let coded = try ContentCoder.encode(sample, .gzip)
        // After the header's flags, time and system, which do not describe the content.
        for index in 10..<coded.count {
            var changed = coded
            changed[index] ^= 0x55
            let decoded = try? ContentCoder.decode(changed, .gzip, limit: 1_000)
            #expect(decoded == nil || decoded == sample)
        }
    }

    @Test(arguments: ContentCoding.allCases)
    func theLimitIsExactToTheByte(_ coding: ContentCoding) throws {
        for size in [10, 100_000] {
            let coded = try ContentCoder.encode(Array(repeating: 0, count: size), coding)
            #expect(try ContentCoder.decode(coded, coding, limit: size).count == size)
            #expect(throws: ContentCoder.Problem.self) {
                try ContentCoder.decode(coded, coding, limit: size - 1)
            }
        }
    }

    @Test func problemsDescribeThemselves() {
        #expect("\(ContentCoder.Problem.corrupt(.gzip))" == "the body is no complete gzip stream")
        #expect("\(ContentCoder.Problem.tooLarge(limit: 5))" == "the decoded body is larger than 5 bytes")
    }
}
