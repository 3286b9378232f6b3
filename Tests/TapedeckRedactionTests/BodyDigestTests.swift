import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// Header fields with digests of a body: placeholders on tape if they were correct, and correct again when played.
@Suite struct BodyDigestTests {
    /// Stands in for MD5 and the SHA: long enough, and another one for other bytes.
    private static let hash: BodyDigest.Hash = { digest, body in
        Array("\(digest.rawValue)-\(body.count)-0123456789".utf8)
    }

    private static func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes), as: UTF8.self) }

    @Test(
        arguments: [
            ("crc32", [0xCB, 0xF4, 0x39, 0x26]), ("crc32c", [0xE3, 0x06, 0x92, 0x83]),
            ("crc64nvme", [0xAE, 0x8B, 0x14, 0x86, 0x0A, 0x79, 0x98, 0x88]),
        ] as [(String, [UInt8])]
    )
    func `Checksums have the check values of their definitions`(name: String, value: [UInt8]) {
        let field = HeaderField("x-amz-checksum-\(name)", "{{digest.\(name)}}")
        let played = BodyDigest.played([field], body: Array("123456789".utf8), Self.hash)
        #expect(played.map(\.value) == [Self.base64(value)])
    }

    @Test(arguments: [
        ("Content-MD5", "MD5", "{{digest.md5}}"),
        (
            "Content-Digest", "sha-256=:SHA256:, sha-512=:SHA512:",
            "sha-256=:{{digest.sha-256}}:, sha-512=:{{digest.sha-512}}:"
        ),
        ("Repr-Digest", "sha-256=:SHA256:", "sha-256=:{{digest.sha-256}}:"),
        (
            "Digest", "SHA-256=SHA256,MD5=MD5,unixsum=30637",
            "SHA-256={{digest.sha-256}},MD5={{digest.md5}},unixsum=30637"
        ),
        ("x-amz-checksum-sha1", "SHA1", "{{digest.sha}}"),
        ("x-goog-hash", "md5=MD5", "md5={{digest.md5}}"),
        ("ETag", #""HEX""#, #""{{digest.md5:hex}}""#),
        ("ETag", #"W/"686897696a7c876b7e""#, #"W/"686897696a7c876b7e""#),
        ("Content-MD5", "Q2hlY2sgSW50ZWdyaXR5IQ==", "Q2hlY2sgSW50ZWdyaXR5IQ=="),
        ("Digest", "{{digest.md5}}{{'digest.md5}}", "{{'digest.md5}}{{''digest.md5}}"),
        ("X-Other", "MD5", "MD5"),
    ])
    func `A correct digest is adapted to another body, and the rest stays`(
        name: String,
        live: String,
        tape: String
    ) throws {
        func filled(_ text: String, _ body: [UInt8]) throws -> String {
            var text = text
            let hashes: [(String, BodyDigest)] = [
                ("SHA256", .sha256), ("SHA512", .sha512), ("SHA1", .sha), ("MD5", .md5),
            ]
            for (word, digest) in hashes where name != "X-Other" {
                guard let range = text.range(of: word, endsBefore: "=") else { continue }
                text.replaceSubrange(range, with: Self.base64(try #require(Self.hash(digest, body))))
            }
            if let range = text.firstRange(of: "HEX") {
                let hash = try #require(Self.hash(.md5, body))
                text.replaceSubrange(range, with: hash.map { hex($0) }.joined())
            }
            return text
        }
        let (body, other) = (Array("the body".utf8), Array("another body".utf8))
        let taped = BodyDigest.taped(
            BodyDigest.escaped([HeaderField(name, try filled(live, body))]),
            body: body,
            Self.hash
        )
        #expect(taped.map(\.value) == [tape])
        let played = BodyDigest.played(taped, body: other, Self.hash)
        #expect(played.map(\.value) == [try filled(live, other)])
    }
}

private func hex(_ byte: UInt8) -> String {
    String(decoding: [ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte)], as: UTF8.self).lowercased()
}

extension String {
    /// Returns the last place of a word that is not a name before an equals sign.
    fileprivate func range(of word: String, endsBefore: Character) -> Range<String.Index>? {
        self.ranges(of: word).last { $0.upperBound == self.endIndex || self[$0.upperBound] != endsBefore }
    }
}
