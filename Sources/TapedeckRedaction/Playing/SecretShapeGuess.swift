import TapedeckCore

/// Works out the shape of a value.
enum SecretShapeGuess {
    static func text(of value: [UInt8], named name: String) -> String {
        if value.starts(with: Array("-----BEGIN ".utf8)) { return "pem" }
        let special = value.withUnsafeBytes { text -> String? in
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

    /// The shape of a value that has no form of its own.
    static func plainText(of value: [UInt8]) -> String {
        let count = value.count
        guard count >= 16 else { return "[A-Za-z0-9]{16}" }
        let length = Self.rounded(count)
        if value.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) {
            return "[0-9a-f]{\(length)}"
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
