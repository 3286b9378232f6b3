import TapedeckCore

/// Numbers out of two texts: the same on every machine, in every process (SplitMix64 from an FNV-1a hash).
struct StableBytes {
    private var state: UInt64

    init(_ name: String, _ shape: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01B3
        for byte in shape.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        self.state = hash
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: self.next()) }
    }
}

/// Generated values that programs can parse.
enum MadeUpValue {
    /// Without a valid signature; valid until 2100 (RFC 7519 section 4.1).
    static func jwt(_ name: String, _ source: inout StableBytes) -> String {
        func part(_ text: String) -> String { Self.text(Base64.encodeURL(Array(text.utf8))) }
        let id = source.next()
        let claims = #"{"sub":"tapedeck-\#(name)","iat":1700000000,"exp":4102444800,"jti":"\#(id)"}"#
        let signature = Self.text(Base64.encodeURL(source.bytes(32)))
        return "\(part(#"{"alg":"HS256","typ":"JWT"}"#)).\(part(claims)).\(signature)"
    }

    /// Of version 4 and the usual variant (RFC 9562 section 5.4).
    static func uuid(_ source: inout StableBytes) -> String {
        var bytes = source.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(0x2D) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return Self.text(text)
    }

    /// Looks like a key but is not valid.
    static func privateKey(_ source: inout StableBytes) -> String {
        let lines = (0..<8).map { _ in Self.text(Base64.encode(source.bytes(48))) }
        return "-----BEGIN PRIVATE KEY-----\n\(lines.joined(separator: "\n"))\n-----END PRIVATE KEY-----"
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
