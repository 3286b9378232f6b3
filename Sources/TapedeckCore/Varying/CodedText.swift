import TapedeckJSON

/// Texts within texts.
enum CodedText {
    /// Shorter ones may be words.
    private static let shortest = 24

    /// The text that a text in base64 codes; `nil` for any other text.
    static func text(inBase64 text: String) -> String? {
        guard text.utf8.count >= Self.shortest, text.utf8.count <= 64 << 10, text.utf8.allSatisfy(Self.isInBase64),
            let bytes = text.utf8.filter({ $0 > ASCII.space }).withUnsafeBytes({ Base64.decode($0) }), !bytes.isEmpty,
            bytes.allSatisfy({ $0 >= ASCII.space && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    static func isInBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x2D, 0x5F, 0x3D, 0x0A, 0x0D: true
        default: false
        }
    }
}
