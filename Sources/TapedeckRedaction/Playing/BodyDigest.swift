package import TapedeckCore

/// A digest of a body that header fields may have.
///
/// A redacted body has other digests than the recorded one. Where a field was right, the tape has `{{digest.sha-256}}` in
/// place of the digest in base64, or `{{digest.md5:hex}}`, and the player fills in that of the bytes that it sends.
package enum BodyDigest: String, Sendable, CaseIterable {
    case md5
    /// SHA-1, by its name in RFC 3230.
    case sha
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    case crc32
    case crc32c
    case crc64nvme

    /// Returns the MD5 or SHA hash of bytes; `nil` if it is not available.
    package typealias Hash = @Sendable (BodyDigest, [UInt8]) -> [UInt8]?

    private static let start = "{{digest."

    /// Returns the digests that a field may have, and true if they are in hexadecimal: Content-MD5 (RFC 1864), Digest
    /// (RFC 3230), Content-Digest and Repr-Digest (RFC 9530), the checksums of S3 and of Google Cloud Storage, and S3's
    /// ETag of MD5.
    private static func inField(_ name: String) -> (digests: [BodyDigest], isHex: Bool) {
        switch ASCII.lowercased(name) {
        case "content-md5": ([.md5], false)
        case "digest", "content-digest", "repr-digest": ([.md5, .sha, .sha256, .sha512], false)
        case "x-goog-hash": ([.crc32c, .md5], false)
        case "x-amz-checksum-crc32": ([.crc32], false)
        case "x-amz-checksum-crc32c": ([.crc32c], false)
        case "x-amz-checksum-crc64nvme": ([.crc64nvme], false)
        case "x-amz-checksum-sha1": ([.sha], false)
        case "x-amz-checksum-sha256": ([.sha256], false)
        case "etag": ([.md5], true)
        default: ([], false)
        }
    }

    /// Returns true for a field whose value follows from the body alone: it has a digest, or belongs to one. A tag of a version
    /// is none.
    package static func isField(_ name: String) -> Bool {
        if ["x-amz-crc32", "x-amz-checksum-type"].contains(ASCII.lowercased(name)) { return true }
        let (digests, isHex) = self.inField(name)
        return !digests.isEmpty && !isHex
    }

    private func placeholder(isHex: Bool) -> String { "\(Self.start)\(self.rawValue)\(isHex ? ":hex" : "")}}" }

    /// The digest as a field has it.
    private func text(of body: [UInt8], isHex: Bool, _ hash: Hash) -> String? {
        guard let bytes = self.bytes(of: body, hash) else { return nil }
        let text = isHex ? bytes.flatMap { [ASCII.hexDigit($0 >> 4), ASCII.hexDigit($0)] } : Base64.encode(bytes)
        let digits = String(decoding: text, as: UTF8.self)
        return isHex ? ASCII.lowercased(digits) : digits
    }

    // MARK: Recording and playing

    /// The fields of a response as the tape has them when its body is redacted: placeholders in place of digests that are
    /// right. Others stay.
    ///
    /// - Parameter body: as it was sent, with any content coding.
    package static func taped(_ fields: [HeaderField], body: [UInt8], _ hash: Hash) -> [HeaderField] {
        fields.map { field in
            let (digests, isHex) = self.inField(field.name)
            guard !digests.isEmpty else { return field }
            var value = field.value
            for digest in digests {
                guard let text = digest.text(of: body, isHex: isHex, hash), let range = value.firstRange(of: text)
                else {
                    continue
                }
                value.replaceSubrange(range, with: digest.placeholder(isHex: isHex))
            }
            return HeaderField(field.name, value)
        }
    }

    /// Returns the fields of a live response with escapes in text that looks like such a placeholder.
    package static func escaped(_ fields: [HeaderField]) -> [HeaderField] {
        guard fields.contains(where: { $0.value.utf8.contains(ASCII.openBrace) }) else { return fields }
        return fields.map { field in
            self.inField(field.name).digests.isEmpty
                ? field : HeaderField(field.name, PlaceholderEscape.escaped(field.value, word: .digest))
        }
    }

    /// The fields of a response as they are sent: digests in place of their placeholders.
    ///
    /// - Parameter body: as it is sent, with any content coding.
    package static func played(_ fields: [HeaderField], body: [UInt8], _ hash: Hash) -> [HeaderField] {
        guard fields.contains(where: { $0.value.utf8.contains(ASCII.openBrace) }) else { return fields }
        return fields.map { field in
            let (digests, isHex) = self.inField(field.name)
            guard !digests.isEmpty, field.value.utf8.contains(ASCII.openBrace) else { return field }
            var value = field.value
            for digest in digests {
                guard let range = value.firstRange(of: digest.placeholder(isHex: isHex)),
                    let text = digest.text(of: body, isHex: isHex, hash)
                else { continue }
                value.replaceSubrange(range, with: text)
            }
            return HeaderField(field.name, PlaceholderEscape.unescaped(value, word: .digest))
        }
    }

    // MARK: Hashing

    private func bytes(of body: [UInt8], _ hash: Hash) -> [UInt8]? {
        switch self {
        case .md5, .sha, .sha256, .sha512: hash(self, body)
        case .crc32: Self.crc(body, polynomial: 0xEDB8_8320, bits: 32)
        case .crc32c: Self.crc(body, polynomial: 0x82F6_3B78, bits: 32)
        case .crc64nvme: Self.crc(body, polynomial: 0x9A6C_9329_AC4B_C9B5, bits: 64)
        }
    }

    /// A reflected cyclic redundancy check whose register begins and ends inverted.
    private static func crc(_ body: [UInt8], polynomial: UInt64, bits: Int) -> [UInt8] {
        let table = (0..<256).map { index in
            (0..<8).reduce(UInt64(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
        }
        let mask = UInt64.max >> UInt64(64 - bits)
        let value = body.reduce(mask) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] } ^ mask
        return stride(from: bits - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }
}
