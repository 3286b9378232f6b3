import Testing

@testable import TapedeckCore

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-4", [0..<5]), ("bytes=5-", [5..<10]), ("bytes=-3", [7..<10]), ("bytes=-30", [0..<10]),
            ("bytes=8-20", [8..<10]), ("Bytes = 0-0, 9-9", [0..<1, 9..<10]), ("bytes=10-", []), ("bytes=-0", []),
            ("bytes=0-99999999999999999999", [0..<10]),
        ] as [(String, [Range<Int>])]
    )
    func `a range of ten bytes has these`(value: String, bytes: [Range<Int>]) throws {
        #expect(try #require(ByteRange.all(of: value)).compactMap { $0.bytes(of: 10) } == bytes)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=a-b", "bytes=4-2", "bytes=-", "items=0-4", "bytes=1-2,x", "bytes=+1-2",
    ])
    func `a field that is none is ignored`(value: String) {
        #expect(ByteRange.all(of: value) == nil)
    }

    @Test func `a Content-Range has bytes and a size`() {
        #expect(ContentRange("bytes 5-9/10") == ContentRange(5..<10, of: 10))
        #expect(ContentRange(5..<10, of: 10).text == "bytes 5-9/10")
        for value in ["bytes */10", "bytes 5-9/*", "bytes 9-5/10", "bytes 5-10/10", "items 0-1/2", "bytes 5/10"] {
            #expect(ContentRange(value) == nil, "\(value)")
        }
    }
}
