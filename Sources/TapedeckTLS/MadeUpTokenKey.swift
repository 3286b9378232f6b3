import COpenSSL

/// The key pairs that sign generated JSON Web Tokens. They are part of the program, so they are not secret and prove
/// nothing: a client that verifies tokens must get the public parts from a played JWKS.
///
/// `@unchecked Sendable`: OpenSSL keys may be used from many threads as long as no thread changes them, and nothing
/// changes them after the initializer.
package final class MadeUpTokenKey: @unchecked Sendable {
    /// A kind of key, as JSON Web Key documents name it (RFC 7518 section 6, RFC 8037 section 2).
    package enum Kind: String, Sendable, CaseIterable {
        case rsa
        case p256
        case p384
        case p521
        case ed25519

        /// The kind that signs with an algorithm (RFC 7518 section 3.1, RFC 8037 section 3.1); `nil` for one without public
        /// key or that is not supported.
        package init?(algorithm: String) {
            switch algorithm {
            case "RS256", "RS384", "RS512", "PS256", "PS384", "PS512": self = .rsa
            case "ES256": self = .p256
            case "ES384": self = .p384
            case "ES512": self = .p521
            case "EdDSA", "Ed25519": self = .ed25519
            default: return nil
            }
        }

        fileprivate var coordinateSize: Int {
            switch self {
            case .rsa, .ed25519: 0
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    private let kind: Kind
    private let key: OpaquePointer

    private static let all: [Kind: MadeUpTokenKey] = Dictionary(
        uniqueKeysWithValues: Kind.allCases.compactMap { kind in MadeUpTokenKey(kind).map { (kind, $0) } }
    )

    /// The key pair of a kind; `nil` if this OpenSSL does not know the kind.
    package static func of(_ kind: Kind) -> MadeUpTokenKey? { self.all[kind] }

    private init?(_ kind: Kind) {
        var der = [UInt8](repeating: 0, count: 2048)
        let text = Array(Self.text(kind).utf8)
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let length = Int(EVP_DecodeBlock(&der, text, Int32(text.count))) - padding
        guard length > 0 else { return nil }
        let key = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &start, length)
        }
        guard let key else { return nil }
        self.kind = kind
        self.key = key
    }

    deinit {
        EVP_PKEY_free(self.key)
    }

    // MARK: Signing

    /// Returns the signature of a token's signing input (RFC 7515 section 5.1); `nil` if the key is of another kind than
    /// the algorithm.
    ///
    /// Signatures of RS and EdDSA are the same every time, those of PS and ES are not.
    package func signature(of input: [UInt8], algorithm: String) -> [UInt8]? {
        guard Kind(algorithm: algorithm) == self.kind, let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        let hash = self.kind == .ed25519 ? nil : Self.hash(algorithm)
        guard EVP_DigestSignInit(context, &keyContext, hash, nil, self.key) == 1 else { return nil }
        if algorithm.hasPrefix("PS") {
            // RFC 7518 section 3.5: a salt as long as the hash, which is -1 here.
            guard EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, -1) == 1
            else { return nil }
        }
        var size = 0
        guard EVP_DigestSign(context, nil, &size, input, input.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: size)
        guard EVP_DigestSign(context, &signature, &size, input, input.count) == 1 else { return nil }
        let signed = Array(signature.prefix(size))
        return self.kind.coordinateSize > 0 ? Self.joined(signed, size: self.kind.coordinateSize) : signed
    }

    /// Returns the left half of a signature algorithm's hash (OpenID Connect Core section 3.1.3.6).
    package static func leftHalf(of bytes: [UInt8], algorithm: String) -> [UInt8]? {
        guard let hash = self.hash(algorithm) else { return nil }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var size: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &size, hash, nil) == 1 else { return nil }
        return Array(digest.prefix(Int(size) / 2))
    }

    private static func hash(_ algorithm: String) -> OpaquePointer? {
        switch algorithm.suffix(3) {
        case "256": EVP_sha256()
        case "384": EVP_sha384()
        default: EVP_sha512()
        }
    }

    /// R and S of an ECDSA signature in DER, one after the other (RFC 7518 section 3.4).
    private static func joined(_ der: [UInt8], size: Int) -> [UInt8]? {
        let parsed = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let parsed else { return nil }
        defer { ECDSA_SIG_free(parsed) }
        return Self.bytes(of: ECDSA_SIG_get0_r(parsed), size: size)
            + Self.bytes(of: ECDSA_SIG_get0_s(parsed), size: size)
    }

    private static func bytes(of number: OpaquePointer?, size: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        BN_bn2binpad(number, &bytes, Int32(size))
        return bytes
    }

    // MARK: Public parts

    /// The members of a JSON Web Key that are the public key, as numbers: `n` and `e`, `x` and `y`, or `x`.
    package var publicParts: [(name: String, value: [UInt8])] {
        switch self.kind {
        case .rsa: [("n", self.number("n")), ("e", self.number("e"))]
        case .p256, .p384, .p521:
            [
                ("x", self.number("qx", size: self.kind.coordinateSize)),
                ("y", self.number("qy", size: self.kind.coordinateSize)),
            ]
        case .ed25519: [("x", self.rawPublicKey)]
        }
    }

    private func number(_ name: String, size: Int? = nil) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(self.key, name, &number) == 1 else { return [] }
        defer { BN_free(number) }
        return Self.bytes(of: number, size: size ?? Int(BN_num_bits(number) + 7) / 8)
    }

    private var rawPublicKey: [UInt8] {
        var size = 32
        var bytes = [UInt8](repeating: 0, count: size)
        return EVP_PKEY_get_raw_public_key(self.key, &bytes, &size) == 1 ? Array(bytes.prefix(size)) : []
    }

    // MARK: Keys

    /// Returns the private key in PEM, without a line end behind it: in PKCS #8 (RFC 5958), or in the traditional form of its
    /// kind, PKCS #1 (RFC 8017 appendix A.1.2) or SEC 1 (RFC 5915).
    package func pem(isTraditional: Bool) -> String? {
        let text = try? MemoryBIO.text { output in
            isTraditional
                ? PEM_write_bio_PrivateKey_traditional(output, self.key, nil, nil, 0, nil, nil) == 1
                : PEM_write_bio_PKCS8PrivateKey(output, self.key, nil, nil, 0, nil, nil) == 1
        }
        return text.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    }

    private static func text(_ kind: Kind) -> String {
        switch kind {
        case .rsa: self.rsa
        case .p256: self.p256
        case .p384: self.p384
        case .p521: self.p521
        case .ed25519: self.ed25519
        }
    }

    /// PKCS #8 (RFC 5958) in base64. Generated for this purpose only.
    private static let rsa = """
        MIIEowIBAAKCAQEA2udBKORzjli8SYrGfc7BeFcypW8R2ggJL7p9/osVdEFF3qvIUYM2iFAmcAAcpJVcRuNB1zLDr4grRLTFLZ/hRPBH\
        CkrussQvFgUMlZpq0oWsz9xjPm71Pox1y3v0szLsp8wIV1PLRtN2pMmcAaAkg8WdhO0bw5Ku5AB+qjE4QK/sGVWdrxHVCA3e4mK/yM2n\
        VXnBefCC4UFwo7CJ36GqJJ0U6oe+uddBcczm9P8Pv0zYl+9qtsvvJM4jXSBCDEE5Sly4Ze6dDun1EmQj+oCRD6RbWN/etI3ZKlcBi9zq\
        8Zw0ViGL793x4hBWllW36DXP+yr41kIOrqIR9RpswGn+vQIDAQABAoIBAEE5HEIZ55BnQhrLfZ7opt67ZHzEXlZPhKUy9O2N9WOBO1dA\
        adxXszzkXL+MWPx1AFyiw/Bh0MqRUQsUrZeNhqpqyU/4yax8Jedys7AzpVZ6u+XnLa7hkrMDWOm7Ukq+hqLseSPD9NJymWw6IgCd/aNB\
        k1CS8W3RW8jVmOgO6ErlUq259fttKb1xDNnYH4O7Iw3Tb8i38cOjsPIAUxIqIYA/xm5kpIAMyWkK6TnDBj7nof3nul+weqTA66opBT0o\
        o6XHJYfgiALjR/MInT572NcL9OrIu6ZBctTMQa9gH1MVuUyozb5QJQC1oIT6lR8XF9jB5Tryxub2IHgHAsTTe6UCgYEA+uxs3MIpTgnz\
        owpuRmmbrkb9v1D986E7oXpme4n5YDyGtszXAtlW5q3ZrXlVr7+HJQrwBHBjHoQXQYFeSdr3Or+5bw96e5D/2qZEPyB8+V6tSu3H+Tny\
        HsspTMds/ZB9H7/K8LepX/MOp8Kxl1Re+ak0Orlk4uJxiddWIZ/NBE8CgYEA31T9yTS1zWYUv/sumXDintwip8pSnFArFigAPtXboc30\
        llRlzFjjIfzvbqYLC3dnMT4vBlEsuirO661CrcOwyvKx7SXDGBl81UNAz0VsapFfXkGQtoTVNuakwI7fP6fFVkoxmr79xBGBBJJWr1L0\
        ag8vQp473fDAzVyOwTLb7TMCgYA0pCcOhTlPIu1XFhgec4dyn3gai+5LD1dIQDqBzmdf1jLY5M5yzY/aozxYlWzxivfaQJosBDv3KfUL\
        DA3w5pwZWiGX+CJVDA1xHJKSv8kYM9GdN5dNZOezqCGI9wmZhJeLcpwrtgw1kfNQJJtHSS8Hp4TKkRxmMOVq6p8qPLExJwKBgC03kw6q\
        2mhU07yvCZdNkMSjQ2z/fMxjOuYIgUw3lnljLrNFMTs3f/1AreWUPsY6ja0drv2zb7/drPlwogB2j5P3oWinbaGyf2DadgPBRZsqBcoa\
        skcSC+1Ks269Ppwvxrea3AI9yzloZdvcGSr0O8JBgssVKH/eH9s0cz7QolCbAoGBAM32z5fZvAEiHnwdTidbitYHF5X9PbAsSWcuRvyY\
        7DyWwzLE1TO3otHlANjTUwGoO3vz3TY4fzpMR8yDoaZHY8n0MmcfQgz45IjcKDKeLpRtPUzWjybJvbyva3AvkoZp1JWLWSwtghDQAZvr\
        VtonhcexIjqXRJwIUUJ6wvqgRJYR
        """
    private static let p256 = """
        MHcCAQEEIFnkYvXi9gRIHU7PRTK5M/IvEBsY4am93FqqcQcUmmAloAoGCCqGSM49AwEHoUQDQgAEp2uPaJDmDTCpJMQmhsgxkzN0UD5h\
        hzi05gIk35AFhJtaNrFoW0pJi6lPI+AdlzBSWcHS2fEIvYoxWnx5yBIXnQ==
        """
    private static let p384 = """
        MIGkAgEBBDAay4lhxK4EQxQDf+o1gBbGyUPhQo6lNNpqwkA5kzvrhsAX9S1JKybOh1eqZBWBq6agBwYFK4EEACKhZANiAATkR7B8YNAB\
        cGPpAcHqu+dnRZYLB/ABfgsNGDDRWCqU/sua4JrCS8DQ5+DO3wJy63VXIRqaUMEmPfL6OGsb0OAC36CuFAaLSfDl4zz1nFaQpNYXt9Ks\
        gTTyUo+dXHOO1GY=
        """
    private static let p521 = """
        MIHcAgEBBEIAs4j6oRtR4NK6sxsomGsp+APltJ3SNhDcY/mE2VQzC2FzPgAQpZt1pE+b0DN6zeGuTFpCWVG3m79HBgEQnogmOwSgBwYF\
        K4EEACOhgYkDgYYABAC/KCHT5gz+cxZR2oKWlSHQqJYm67PC6XXcq0x1qr3YkqBd/7WZHSLTWR8g7/7GhA+BZYtvzBypDqwCOCG4UxyF\
        mgGIsebQrlE4/md13bkShYhTBc4IH1FGwXn4tMjO94kgenipKpBXyNURacXrvM3DVWjoHFTLkGP47rku0GwbuxfE9g==
        """
    private static let ed25519 = """
        MC4CAQAwBQYDK2VwBCIEIAdeTdiKDgtYqruIZIZiw7bkfrvi8Kg8TozgG9WKYDSp
        """
}
