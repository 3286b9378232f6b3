import TapedeckCore
import Testing

/// Bodies that differ only in what their type declares meaningless are spelt alike; all others stay different.
@Suite struct CanonicalBodyTests {
    private static func multipart(_ body: String, _ boundary: String) -> String {
        let fields = [HeaderField("Content-Type", "multipart/form-data; boundary=\"\(boundary)\"")]
        return String(decoding: CanonicalBody.of(Array(body.utf8), fields) ?? [], as: UTF8.self)
    }

    private static func body(_ boundary: String, _ content: String) -> String {
        "--\(boundary)\r\na: b\r\n\r\n\(content)\r\n--\(boundary)--\r\n"
    }

    @Test(arguments: ["X", "boundary", "boundary=", "b", "--", "=_a'()+_,-./:=?"])
    func `the boundary does not count`(_ boundary: String) {
        #expect(Self.multipart(Self.body(boundary, "text"), boundary) == Self.body("boundary", "text"))
    }

    @Test(
        arguments: [
            "--Y", "see --X", " --X", "--Xy", "--boundary", "--boundaryX", "--boundary=", "--boundary==",
            "--boundary--",
            "-", "--", "--bound",
        ]
    )
    func `lines that look like a delimiter stay what they are`(_ line: String) {
        let texts = ["--boundary", "--X", "", "--boundary=", "--Xy", "--boundaryy", "see --boundary", line]
        let spelt = Set(Set(texts).map { Self.multipart(Self.body("X", $0), "X") })
        // The text "--X" ends a part, all others differ.
        #expect(spelt.count == Set(texts).count)
    }

    @Test func `pieces of any size give the same`() throws {
        let text = Self.body("XY", "a--XY\n--XYZ\n--boundary\n--boundar\r\n--X") + "--XY"
        let bytes = Array(text.utf8)
        let fields = [HeaderField("Content-Type", "multipart/mixed; boundary=XY")]
        let whole = CanonicalBody.withoutBoundary(bytes, fields)
        for size in 1...bytes.count {
            var eraser = try #require(BoundaryEraser(fields))
            var pieces: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                pieces += bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { eraser.update($0) }
            }
            pieces += eraser.finish()
            #expect(pieces == whole)
        }
    }

    @Test func `the fields of a form may come in any order, those of one name may not`() {
        func form(_ text: String) -> [UInt8]? {
            CanonicalBody.of(Array(text.utf8), [HeaderField("Content-Type", "application/x-www-form-urlencoded")])
        }
        #expect(form("b=2&a=1") == form("a=1&b=2"))
        #expect(form("a=1&a=2") != form("a=2&a=1"))
        #expect(form("a=1&") == form("a=1"))
        #expect(form("a=x+y&b") == form("b=&a=x%20y"))
        #expect(form("a=%2B") != form("a=+"))
        #expect(form("<a b=\"c\"/>") == nil)
    }
}
