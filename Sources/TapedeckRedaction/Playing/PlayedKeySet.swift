import TapedeckCore

/// Puts the keys that made-up tokens are signed with into played JSON Web Key Sets (RFC 7517 section 5).
package enum PlayedKeySet {
    /// Returns true if a body may be a key set: cheaper than to parse it.
    package static func mayBe(_ body: [UInt8]) -> Bool {
        body.count <= self.limit
            && body.withUnsafeBytes { text in
                text.range(of: Array(#""keys""#.utf8), from: 0) != nil
                    && text.range(of: Array(#""kty""#.utf8), from: 0) != nil
            }
    }

    /// No provider has that many keys. 256 KiB.
    package static let limit = 256 << 10

    /// Returns the key set with the public parts of the tokens' keys replaced and everything else unchanged, or `nil`
    /// for a body that is not a key set or has no such key.
    ///
    /// - Parameter algorithms: those of the tokens, by the `kid` of their headers, which is empty if missing.
    static func played(_ body: [UInt8], algorithms: [String: String], _ signer: TokenSigner) -> [UInt8]? {
        guard self.mayBe(body), case .object(var members)? = try? JSONValue(parsing: body),
            let place = members.lastIndex(where: { $0.name == "keys" }), case .array(var keys) = members[place].value
        else { return nil }
        var isChanged = false
        for index in keys.indices {
            guard case .object(let key) = keys[index],
                let algorithm = algorithms[keys[index]["kid"]?.stringValue ?? ""],
                self.signs(keys[index], algorithm)
            else { continue }
            let played = signer.publicMembers(algorithm)
            guard !played.isEmpty else { continue }
            keys[index] = .object(self.key(key, played))
            isChanged = true
        }
        guard isChanged else { return nil }
        members[place].value = .array(keys)
        return JSONValue.object(members).compactText
    }

    /// Returns true if a body is a key set with a key that a token names.
    package static func has(_ keyID: String?, algorithm: String, in body: [UInt8]) -> Bool {
        guard self.mayBe(body), case .array(let keys)? = (try? JSONValue(parsing: body))?["keys"] else { return false }
        return keys.contains { ($0["kid"]?.stringValue ?? "") == (keyID ?? "") && self.signs($0, algorithm) }
    }

    private static func signs(_ key: JSONValue, _ algorithm: String) -> Bool {
        key["use"]?.stringValue != "enc" && key["kty"]?.stringValue == self.type(algorithm)
    }

    /// A certificate must be one of the same key (RFC 7517 section 4.7), so the recorded ones go.
    private static func key(_ key: [JSONMember], _ played: [(name: String, value: [UInt8])]) -> [JSONMember] {
        let certificates: Set<String> = ["x5c", "x5u", "x5t", "x5t#S256"]
        return key.compactMap { member in
            if certificates.contains(member.name) { return nil }
            guard let value = played.first(where: { $0.name == member.name })?.value else { return member }
            return JSONMember(
                name: member.name,
                value: .string(String(decoding: Base64.encodeURL(value), as: UTF8.self))
            )
        }
    }

    /// The `kty` of an algorithm's keys (RFC 7518 section 6.1, RFC 8037 section 2).
    private static func type(_ algorithm: String) -> String {
        if algorithm.hasPrefix("ES") { return "EC" }
        return algorithm.hasPrefix("Ed") ? "OKP" : "RSA"
    }
}
