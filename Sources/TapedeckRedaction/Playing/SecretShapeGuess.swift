import TapedeckCore

/// Works out the shape of a value.
enum SecretShapeGuess {
    static func text(of value: [UInt8], named name: String) -> String {
        if let key = PrivateKeyShape(of: value) { return key.rawValue }
        let special = value.withUnsafeBytes { text -> String? in
            if let encrypted = Self.encryptedToken(text) { return encrypted }
            if JWTLook.end(in: text, at: 0) == text.count { return "jwt" }
            return ServiceTokenTable.shape(of: text, named: name) { Self.rounded($0) }
        }
        if let special { return special }
        if let personal = PersonalShape(of: value) { return personal.text }
        if ValueLook.isUUID(value) { return "uuid" }
        let count = value.count
        if value.allSatisfy({ (0x30...0x39).contains($0) }), count > 0 {
            // Without a zero in front, as a JSON number must be.
            return value[0] == 0x30 || count == 1
                ? "[0-9]{\(min(count, 64))}" : "[1-9][0-9]{\(min(count - 1, 64))}"
        }
        if value.first == 0x2D || value.contains(0x2E), case .number? = try? JSONValue(parsing: value) {
            return "number"
        }
        return Self.plainText(of: value)
    }

    /// The shape of an encrypted token (RFC 7516 section 7.1), whose header stays; `nil` for any other value.
    private static func encryptedToken(_ text: UnsafeRawBufferPointer) -> String? {
        let parts = text.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.count == 5, JWTLook.end(in: text, at: 0) == text.count,
            let header = Base64.decodeEither(text.slice(0..<parts[0].count)),
            case .object(let members)? = try? JSONValue(parsing: header), members.contains(where: { $0.name == "enc" }),
            !members.contains(where: { ["jwk", "x5c", "epk"].contains($0.name) })
        else { return nil }
        let rest = parts.dropFirst().map { $0.isEmpty ? "" : "[A-Za-z0-9_-]{\(Self.rounded($0.count))}" }
        return ([ByteText.string(from: Array(parts[0]))] + rest).joined(separator: ".")
    }

    /// Words that services begin their keys and tokens with, `tok_…`, `sk_test_…`, which tell nothing of the rest.
    private static let starts: Set<String> = [
        "access", "acct", "api", "app", "at", "auth", "bot", "client", "code", "cs", "dev", "id", "key", "live",
        "oauth", "pat", "pi", "pk", "prod", "refresh", "rk", "rt", "sandbox", "sec", "secret", "ses", "sess", "session",
        "seti", "sk", "src", "test", "tok", "token", "user", "usr", "v1", "v2",
    ]

    /// The number of bytes of such words in front of at least 14 letters and digits.
    private static func start(of value: [UInt8]) -> Int {
        var start = 0
        while let end = value[start...].firstIndex(of: 0x5F),
            Self.starts.contains(String(decoding: value[start..<end], as: UTF8.self))
        {
            start = end + 1
        }
        let rest = value[start...]
        return rest.count >= 14 && rest.allSatisfy(ByteClass.alphanumeric.contains) ? start : 0
    }

    /// The shape of a value that has no form of its own.
    static func plainText(of value: [UInt8]) -> String {
        let count = value.count
        guard count >= 16 else { return "[A-Za-z0-9]{16}" }
        let start = Self.start(of: value)
        if start > 0 {
            let rest = Array(value[start...])
            let shape = rest.count < 16 ? "[A-Za-z0-9]{\(rest.count)}" : Self.plainText(of: rest)
            return String(decoding: value[..<start], as: UTF8.self) + shape
        }
        let length = Self.rounded(count)
        // Base64 with its padding decodes to as many bytes (RFC 4648 section 4), and base32 to any (section 6).
        let padding = value.reversed().prefix { $0 == ASCII.equals }.count
        if padding > 0, padding < 3, count.isMultiple(of: 4), count <= 4096,
            value.dropLast(padding).allSatisfy({
                ByteClass.alphanumeric.contains($0) || $0 == 0x2B || $0 == 0x2F
            })
        {
            return "[A-Za-z0-9+/]{\(count - padding)}" + String(repeating: "=", count: padding)
        }
        if value.allSatisfy({ (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }) {
            return "[A-Z2-7]{\(length)}"
        }
        if value.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) {
            // Digests and keys have one length each.
            return "[0-9a-f]{\(min(count, 4096))}"
        }
        return "[A-Za-z0-9]{\(length)}"
    }

    /// Exact up to 64, then in steps: to 256 by 32, then by half, to 4096 at most.
    private static func rounded(_ count: Int) -> Int {
        if count <= 64 { return count }
        if count <= 256 { return (count + 31) / 32 * 32 }
        var size = 256
        while size < count, size < 4096 { size *= 2 }
        return size
    }
}
