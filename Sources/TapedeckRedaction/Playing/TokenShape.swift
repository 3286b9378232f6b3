import TapedeckCore

/// The parts of the recorded JSON Web Token (RFC 7519) that a made-up one keeps: the header, and the claims that are
/// neither secret nor personal. Personal claims and times have made-up values.
package struct TokenShape: Sendable {
    /// JSON objects, in compact form.
    package let header: String
    package let claims: String

    /// The shape's text: `jwt`, then header and claims in a JSON array.
    package var text: String { "\(Self.start)[\(self.header),\(self.claims)]" }

    static let start = "jwt "

    /// Returns `nil` unless both are JSON objects.
    package init?(header: String, claims: String) {
        guard let header = Self.object(header), let claims = Self.object(claims) else { return nil }
        self.header = header
        self.claims = claims
    }

    /// Returns `nil` for the text of another shape, `jwt` alone among them.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.start),
            case .array(let parts)? = try? JSONValue(parsing: Array(text.utf8.dropFirst(Self.start.utf8.count))),
            parts.count == 2, case .object = parts[0], case .object = parts[1]
        else { return nil }
        self.header = String(decoding: parts[0].compactText, as: UTF8.self)
        self.claims = String(decoding: parts[1].compactText, as: UTF8.self)
    }

    private static func object(_ text: String) -> String? {
        guard let value = try? JSONValue(parsing: Array(text.utf8)), case .object = value else { return nil }
        return String(decoding: value.compactText, as: UTF8.self)
    }

    // MARK: Looking at a token

    /// Claims whose values stay: what a client reads to decide whether and for what the token holds. RFC 7519 section 4.1,
    /// RFC 8693 section 4, RFC 9068 section 2.2, OpenID Connect Core section 2, and those of well-known providers.
    private static let kept: Set<String> = [
        "iss", "aud", "azp", "client_id", "appid", "scope", "scp", "typ", "token_use", "acr", "amr", "nonce", "tid",
        "ver",
        "roles", "permissions",
    ]
    /// When a made-up token was issued, and when it expires: in 2023 and 2100, so that it is valid whenever it is played.
    private static let issued = "1700000000"
    private static let expiry = "4102444800"

    /// - Parameters:
    ///   - subject: returns a number for a subject, equal for equal subjects.
    ///   - placeholder: returns the placeholder of a value that is a secret elsewhere.
    ///   - hashed: returns the placeholder of the secret whose hash the claim `at_hash` or `c_hash` is.
    /// - Returns: `nil` if it is not a signed token with JSON.
    init?(
        of token: [UInt8],
        subject: ([UInt8]) -> Int,
        placeholder: ([UInt8]) -> String?,
        hashed: (_ claim: String) -> String?
    ) {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, case .object(let header)? = Self.json(parts[0]),
            case .object(let claims)? = Self.json(parts[1])
        else { return nil }
        let number = claims.last { $0.name == "sub" }?.value.stringValue.map { subject(Array($0.utf8)) } ?? 1
        // Keys and certificates in a header, and links to them, are for the recorded signature.
        let keys: Set<String> = ["jwk", "jku", "x5c", "x5u", "x5t", "x5t#S256"]
        let kept = claims.compactMap { claim -> JSONMember? in
            var claim = claim
            if let secret = claim.value.stringValue.flatMap({ placeholder(Array($0.utf8)) }) {
                claim.value = .string(secret)
            } else if claim.name == "at_hash" || claim.name == "c_hash" {
                guard let secret = hashed(claim.name) else { return nil }
                claim.value = .string(secret)
            } else if let value = Self.madeUp(claim, number) {
                claim.value = value
            } else if !Self.kept.contains(claim.name) {
                return nil
            }
            return claim
        }
        self.header = String(
            decoding: JSONValue.object(header.filter { !keys.contains($0.name) }).compactText,
            as: UTF8.self
        )
        self.claims = String(decoding: JSONValue.object(kept).compactText, as: UTF8.self)
    }

    /// The made-up value of a time or a personal claim (OpenID Connect Core section 5.1); `nil` for any other claim.
    private static func madeUp(_ claim: JSONMember, _ number: Int) -> JSONValue? {
        let user = "user-\(number)"
        switch claim.name {
        case "exp": return JSONNumber(self.expiry).map(JSONValue.number)
        case "iat", "nbf", "auth_time": return JSONNumber(self.issued).map(JSONValue.number)
        case "sub", "preferred_username", "nickname", "username", "cognito:username": return .string(user)
        case "email", "upn", "unique_name": return .string("\(user)@example.com")
        case "name": return .string("User \(number)")
        case "given_name": return .string("User")
        case "family_name": return .string("\(number)")
        default:
            // A boolean such as `email_verified` identifies no person.
            if case .bool = claim.value { return claim.value }
            return nil
        }
    }

    /// The number of the token's user, which its generated claims contain; `nil` for a token without one.
    package var user: Int? {
        guard case .object(let claims)? = try? JSONValue(parsing: Array(self.claims.utf8)),
            claims.contains(where: { $0.name == "sub" })
        else { return nil }
        for claim in claims {
            guard Self.madeUp(claim, 1)?.stringValue != nil, let text = Self.madeUpText(claim) else { continue }
            if let number = Int(text.filter { ("0"..."9").contains($0) }) { return number }
        }
        return nil
    }

    /// The token of the user of another number.
    package func renumbered(_ user: Int) -> TokenShape {
        guard case .object(var claims)? = try? JSONValue(parsing: Array(self.claims.utf8)) else { return self }
        for index in claims.indices where Self.madeUpText(claims[index]) != nil {
            if let value = Self.madeUp(claims[index], user) { claims[index].value = value }
        }
        let text = String(decoding: JSONValue.object(claims).compactText, as: UTF8.self)
        return TokenShape(header: self.header, claims: text) ?? self
    }

    /// The text of a claim, unless it is the placeholder of a secret.
    private static func madeUpText(_ claim: JSONMember) -> String? {
        claim.value.stringValue.flatMap { SecretPlaceholder.all(in: $0).isEmpty ? $0 : nil }
    }

    private static func json(_ part: ArraySlice<UInt8>) -> JSONValue? {
        part.withUnsafeBytes { Base64.decodeEither($0) }.flatMap { try? JSONValue(parsing: $0) }
    }

    // MARK: Playing

    /// The algorithm that the header names; empty if it names none.
    package var algorithm: String { self.member("alg") ?? "" }

    /// True if a public key verifies the token (RFC 7518 section 3.1, RFC 8037 section 3.1).
    package var hasPublicKey: Bool {
        ["RS", "PS", "ES", "Ed"].contains { self.algorithm.hasPrefix($0) }
    }

    /// The id of the key that the token says it is signed with.
    package var keyID: String? { self.member("kid") }

    private func member(_ name: String) -> String? {
        (try? JSONValue(parsing: Array(self.header.utf8)))?[name]?.stringValue
    }

    /// The names of the secrets that its claims are made of.
    var secretNames: Set<String> {
        Set(SecretPlaceholder.all(in: self.claims).map(\.placeholder.name))
    }

    /// The made-up token of a name.
    ///
    /// - Parameter value: returns the value that is played for a secret.
    func token(_ name: String, _ signer: TokenSigner, value: (String) -> String) -> String {
        let algorithm = self.algorithm
        var claims = (try? JSONValue(parsing: Array(self.claims.utf8))) ?? .object([])
        if case .object(var members) = claims {
            for index in members.indices {
                guard let text = members[index].value.stringValue, text.utf8.contains(ASCII.openBrace) else { continue }
                let played = SecretPlaceholder.replacing(in: text) { value($0.name) }
                let isHash = members[index].name == "at_hash" || members[index].name == "c_hash"
                let hash = isHash && played != text ? signer.leftHalf(algorithm, Array(played.utf8)) : nil
                members[index].value = .string(
                    hash.map { String(decoding: Base64.encodeURL($0), as: UTF8.self) } ?? played
                )
            }
            claims = .object(members)
        }
        let input =
            Base64.encodeURL(Array(self.header.utf8)) + [UInt8(ascii: ".")] + Base64.encodeURL(claims.compactText)
        var source = StableBytes(name, self.text)
        // Without a key that anybody could check it with, a signature need only look like one.
        let signature = signer.signature(algorithm, input) ?? source.bytes(32)
        return String(decoding: input + [UInt8(ascii: ".")] + Base64.encodeURL(signature), as: UTF8.self)
    }
}
