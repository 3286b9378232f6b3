import TapedeckJSON
import Testing

@testable import TapedeckCore

/// Lines and packs of git's smart protocol.
@Suite struct GitRequestTests {
    private static func line(_ text: String) -> [UInt8] {
        let digits = String(text.utf8.count + 4, radix: 16)
        return Array((String(repeating: "0", count: 4 - digits.count) + digits + text).utf8)
    }

    /// An object of up to 15 bytes, in a stream of zlib that is not compressed (RFC 1950, RFC 1951 section 3.2.4).
    private static func object(_ kind: UInt8, base: [UInt8] = [], _ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var sums: (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            sums.0 = (sums.0 + UInt32(byte)) % 65_521
            sums.1 = (sums.1 + sums.0) % 65_521
        }
        let sum = sums.1 << 16 | sums.0
        let count = UInt8(bytes.count)
        let stream = [0x78, 0x01, 0x01, count, 0, ~count, 0xFF] + bytes
        return [kind << 4 | count] + base + stream + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }

    private static func pack(_ objects: [[UInt8]]) -> [UInt8] {
        let head = Array("PACK".utf8) + [0, 0, 0, 2, 0, 0, 0, UInt8(objects.count)]
        return head + objects.joined() + [UInt8](repeating: 7, count: 20)
    }

    private static let push =
        Self.line("old new refs/heads/main\0 agent=git/2") + Array("0000".utf8)
        + Self.pack([Self.object(1, "commit"), Self.object(3, "text"), Self.object(6, base: [16], "change")])

    @Test func `a push is its commands and its objects`() throws {
        let request = try #require(GitRequest(Self.push))
        #expect(request.lines == [.text(Array("old new refs/heads/main\0 agent=git/2".utf8)), .mark(0)])
        #expect(request.objects.map(\.kind) == [.commit, .blob, .offsetDelta])
        #expect(request.objects.map { String(decoding: $0.content, as: UTF8.self) } == ["commit", "text", "change"])
        // The change is one to the second object.
        #expect(request.objects[2].base == Array("1".utf8))
    }

    @Test func `a request without objects is its lines`() throws {
        let body = Self.line("want abc\n") + Array("0001".utf8) + Self.line("done\n") + Array("0002".utf8)
        let lines = try #require(GitLines(body))
        #expect(lines.lines == [.text(Array("want abc\n".utf8)), .mark(1), .text(Array("done\n".utf8)), .mark(2)])
        #expect(lines.bytes == body)
        #expect(try #require(GitRequest(body)).objects.isEmpty)
    }

    @Test func `a body that is cut off or broken is none`() {
        let commands = Self.line("old new refs/heads/main\0 agent=git/2").count + 4
        for count in 1..<Self.push.count where count != commands && count != commands - 4 {
            #expect(GitRequest(Array(Self.push[..<count])) == nil, "\(count)")
        }
        for body in ["0003", "00zz", "PACK", "hello, world"] { #expect(GitRequest(Array(body.utf8)) == nil, "\(body)") }
    }

    @Test(arguments: 0..<200) func `changed bytes are read as they are, or refused`(seed: Int) {
        var body = Self.push
        body[(seed &* 7919) % body.count] = UInt8(truncatingIfNeeded: seed &* 31)
        _ = GitRequest(body)
        guard let lines = GitLines(body) else { return }
        // Lengths are written in lower case.
        #expect(lines.bytes.map(ASCII.lowercased) == body.map(ASCII.lowercased))
    }

    @Test(arguments: ["commit", "text", "change"])
    func `a changed object is refused, by its checksum`(content: String) throws {
        let place = try #require(Self.push.firstPlace(of: Array(content.utf8)))
        for offset in 0..<content.utf8.count {
            var body = Self.push
            body[place + offset] ^= 1
            #expect(GitRequest(body) == nil, "\(offset)")
        }
    }

    @Test func `a line whose text is longer has another length, and one in a band is left`() throws {
        let body = Self.line("ab refs") + Self.line("\u{1}" + String(decoding: Self.line("ab ok"), as: UTF8.self))
        let lines = try #require(GitLines(body))
        func changed(to word: String) -> [UInt8] {
            lines.changingTexts { $0.replacingWord(Array("ab".utf8), with: Array(word.utf8)) }.bytes
        }
        let same = Self.line("cd refs") + Self.line("\u{1}" + String(decoding: Self.line("cd ok"), as: UTF8.self))
        #expect(changed(to: "cd") == same)
        let longer = Self.line("abcd refs") + Self.line("\u{1}" + String(decoding: Self.line("ab ok"), as: UTF8.self))
        #expect(changed(to: "abcd") == longer)
    }
}
