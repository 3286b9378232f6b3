import TapedeckCore

/// The shape of a private key in PEM (RFC 7468): its label and its kind, so that what plays is a key that programs can read.
package enum PrivateKeyShape: String, Sendable, CaseIterable {
    /// RSA in PKCS #8 (`PRIVATE KEY`), and any key of another form.
    case rsa = "pem"
    /// RSA in PKCS #1 (`RSA PRIVATE KEY`).
    case traditionalRSA = "pem-rsa"
    /// P-256 in PKCS #8.
    case p256 = "pem-p256"
    /// P-256 in SEC 1 (`EC PRIVATE KEY`).
    case traditionalP256 = "pem-ec"
    /// Ed25519 in PKCS #8.
    case ed25519 = "pem-ed25519"

    private static let label = Array("-----BEGIN ".utf8)
    /// The object identifiers of the algorithms (RFC 5480 section 2.1.1, RFC 8410 section 3), in DER.
    private static let ellipticCurve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let edwardsCurve: [UInt8] = [0x2B, 0x65, 0x70]

    /// Returns the shape of a value, or `nil` if it is no private key.
    init?(of value: [UInt8]) {
        guard value.starts(with: Self.label) else { return nil }
        let label = value.dropFirst(Self.label.count).prefix { $0 != 0x2D }
        switch String(decoding: label, as: UTF8.self) {
        case "RSA PRIVATE KEY": self = .traditionalRSA
        case "EC PRIVATE KEY": self = .traditionalP256
        default:
            let body = value.dropFirst(Self.label.count + label.count).drop { $0 == 0x2D }.lazy
            let start = Array(body.filter { $0 > ASCII.space }.prefix(40))
            let der = start.withUnsafeBytes { Base64.decodeEither($0) } ?? []
            let isCurve = der.withUnsafeBytes { $0.range(of: Self.ellipticCurve, from: 0) != nil }
            let isEdwards = der.withUnsafeBytes { $0.range(of: Self.edwardsCurve, from: 0) != nil }
            self = isCurve ? .p256 : isEdwards ? .ed25519 : .rsa
        }
    }
}
