import TapedeckCore

/// Tells values that look like secrets from words, numbers, placeholders and code.
enum ValueLook {
    /// Fewer bits than this can be a word or an identifier of a program.
    static let randomBits = 36.0
    /// As many as 15 random letters and digits have.
    static let unmistakableBits = 60.0

    /// Returns true if a value looks as if a machine had drawn it: no white space, letters and digits mixed, or a long
    /// run of digits or of letters in both cases. Words, identifiers, dates and placeholders do not.
    static func isTokenLike(_ value: some Collection<UInt8>, atLeast count: Int = 8) -> Bool {
        guard value.count >= count, !value.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else { return false }
        var digits = 0
        var lower = 0
        var upper = 0
        for byte in value {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x61...0x7A: lower += 1
            case 0x41...0x5A: upper += 1
            default: break
            }
        }
        guard digits + lower + upper >= count * 3 / 4 else { return false }
        if digits > 0, lower + upper > 0 {
            let bits = Randomness.bits(value)
            guard bits >= Self.randomBits, !Self.isStandIn(value) else { return false }
            // base64 has a hyphen or a slash here and there; so have dates and paths, which are easier to guess.
            return Self.hasMixedRun(value, of: min(8, count))
                || bits >= max(Self.unmistakableBits, 2.5 * Double(value.count))
        }
        if lower + upper == 0 { return digits >= 16 }
        return upper > 3 && lower > 3 && Self.isDrawn(value, letters: lower + upper) && !Self.isStandIn(value)
    }

    /// Returns true for 20 letters and more that no name is made of: `NextMarkerOfPage` has two bits for each letter and
    /// capitals where words begin, random letters in both cases have four and capitals anywhere.
    private static func isDrawn(_ value: some Collection<UInt8>, letters: Int) -> Bool {
        letters >= 20
            && Randomness.bits(value) + 3 * Double(Self.strayCapitals(value)) >= 2.8 * Double(letters)
    }

    /// The number of capitals that follow another, or follow one with a single letter in between.
    private static func strayCapitals(_ value: some Collection<UInt8>) -> Int {
        var (before, last) = (false, false)
        var count = 0
        for byte in value {
            let isCapital = (0x41...0x5A).contains(byte)
            if isCapital, last || before { count += 1 }
            (before, last) = (last, isCapital)
        }
        return count
    }

    /// Returns true for base64 of a text that begins with `<`, by its first bytes: 18 and more in ASCII, as chance does not make
    /// them. The rest may be percent-encoded, and in lines.
    static func isXMLInBase64(_ value: some Collection<UInt8>) -> Bool {
        guard value.first == UInt8(ascii: "P") else { return false }
        let start = Array(
            value.prefix(64).prefix { ByteClass.alphanumeric.contains($0) || $0 == 0x2B || $0 == ASCII.slash }
        )
        guard start.count >= 24,
            let text = start.withUnsafeBytes({ Base64.decodeEither($0.slice(0..<(start.count / 4 * 4))) })
        else { return false }
        return text.first == 0x3C && text.allSatisfy { ($0 >= ASCII.space || $0 == 0x0A || $0 == 0x0D) && $0 < 0x7F }
    }

    /// Returns true for base64 of `user:password`, which has no more digits than its letters happen to make.
    static func isBasicCredentials(_ value: some Collection<UInt8>) -> Bool {
        guard value.count >= 12, value.count <= 1024 else { return false }
        guard let pair = Array(value).withUnsafeBytes({ Base64.decodeEither($0) }) else { return false }
        return pair.contains(ASCII.colon) && pair.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Returns true if a value looks like the key to an interface: 16 letters and digits in a row, both kinds among them,
    /// or random letters alone: one in 300 random keys of 32 characters has no digit.
    static func isKeyLike(_ value: some Collection<UInt8>) -> Bool {
        Self.isTokenLike(value, atLeast: 16)
            && (Self.hasMixedRun(value, of: 16) || !value.contains { (0x30...0x39).contains($0) })
    }

    /// Returns true if the value of a field for passwords or tokens looks like one in a place that may as well hold its
    /// description: a label, a message, a type, a placeholder or a path.
    ///
    /// - Parameter isPassword: people choose passwords, so that a word with a digit is one.
    static func isSecretLike(_ value: some Collection<UInt8>, isPassword: Bool) -> Bool {
        guard value.count >= 6, !value.contains(where: { $0 <= 0x20 || $0 == 0x7F }), !Self.isStandIn(value),
            !Self.isCode(value)
        else { return false }
        var digits = 0
        var letters = 0
        var others = 0
        for byte in value {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x41...0x5A, 0x61...0x7A: letters += 1
            case 0x80...: others += 1
            default: break
            }
        }
        if letters + others == 0 { return digits >= (isPassword ? 6 : 16) }
        // `hunter2`, but not the name of an algorithm.
        if isPassword, digits > 0 { return !Self.isAlgorithm(value) }
        guard others == 0 else { return false }
        return digits > 0
            ? value.count >= 8 && Randomness.bits(value) >= 28 : Self.isDrawn(value, letters: letters)
    }

    /// Returns true if there are that many letters and digits in a row, both kinds among them.
    static func hasMixedRun(_ value: some Collection<UInt8>, of length: Int) -> Bool {
        var run = 0
        var letters = 0
        for byte in value {
            switch byte {
            case 0x30...0x39: run += 1
            case 0x41...0x5A, 0x61...0x7A:
                run += 1
                letters += 1
            default:
                run = 0
                letters = 0
            }
            if run >= length, letters > 0, letters < run { return true }
        }
        return false
    }

    /// Returns true for words in place of a secret that say that it is missing.
    static func isNothing(_ value: some Collection<UInt8>) -> Bool {
        guard value.count <= 9 else { return value.allSatisfy { $0 == 0x2A } }
        let word = ASCII.lowercased(String(decoding: value, as: UTF8.self))
        return ["", "true", "false", "null", "none", "nil", "undefined", "deleted", "string"].contains(word)
            || value.allSatisfy { $0 == 0x2A }
    }

    /// Returns true for an id of 32 hexadecimal digits with hyphens (RFC 9562 section 4).
    static func isUUID(_ value: some Collection<UInt8>) -> Bool {
        value.count == 36
            && value.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == 0x2D : ASCII.hexValue(byte) != nil
            }
    }

    /// Returns true for the address or the hash of a ledger, `0x` and hexadecimal digits, which is public.
    static func isAddress(_ value: some Collection<UInt8>) -> Bool {
        value.count >= 42 && value.starts(with: [0x30, 0x78])
            && value.dropFirst(2).allSatisfy { ASCII.hexValue($0) != nil }
    }

    /// Returns true for as many hexadecimal digits as MD5, SHA-1, SHA-256 and SHA-512 have.
    static func isDigest(_ value: some Collection<UInt8>) -> Bool {
        [32, 40, 64, 128].contains(value.count) && value.allSatisfy { ASCII.hexValue($0) != nil }
    }

    // MARK: Placeholders and code

    private static let standIns = [
        "example", "placeholder", "changeme", "change_me", "change-me", "your-", "your_", "redacted", "dummy", "sample",
    ].map { Array($0.utf8) }

    /// Fillers that people write for omitted characters.
    private static let fills = ["xxxx", "XXXX", "****", "..."].map { Array($0.utf8) }

    /// Returns true for text that people write in place of a secret: `<token>`, `${TOKEN}`, `{{ token }}`, `%s`,
    /// `your-api-key`, `xxxx`.
    static func isStandIn(_ value: some Collection<UInt8>) -> Bool {
        guard let first = value.first else { return true }
        switch first {
        case ASCII.openBrace, 0x3C, ASCII.openBracket, ASCII.at: return true
        // `${NAME}`, `$NAME`, `$(command)`; but `$2y$10$…` is a digest of a password.
        case 0x24: return value.dropFirst().first.map { !(0x30...0x39).contains($0) } ?? true
        case ASCII.percent: return value.dropFirst().first.map { ASCII.hexValue($0) == nil } ?? true
        default: break
        }
        var previous: UInt8 = 0
        for byte in value {
            if byte == ASCII.openBrace, previous == 0x24 || previous == ASCII.openBrace || previous == ASCII.hash {
                return true
            }
            if byte == ASCII.percent, previous == 0x3C { return true }
            previous = byte
        }
        guard value.count < 128 else { return false }
        let word = value.map { ASCII.lowercased($0) }
        let isNamed = word.withUnsafeBytes { word in
            Self.standIns.contains { word.range(of: $0, from: 0) != nil }
        }
        return isNamed || Self.isFilled(value)
    }

    /// A fill is at an end, or is most of the value: random letters have four alike now and then.
    private static func isFilled(_ value: some Collection<UInt8>) -> Bool {
        let bytes = Array(value)
        return bytes.withUnsafeBytes { bytes in
            Self.fills.contains { fill in
                guard let place = bytes.range(of: fill, from: 0) else { return false }
                return bytes.suffix(fill.count).elementsEqual(fill)
                    || place.lowerBound == 0 || Randomness.bits(value) < Self.unmistakableBits
            }
        }
    }

    /// Returns true for calls, addresses and paths.
    private static func isCode(_ value: some Collection<UInt8>) -> Bool {
        var before: (UInt8, UInt8) = (0, 0)
        var slashes = 0
        var open = false
        for byte in value {
            if byte == 0x28 { open = true }
            if byte == 0x29, open { return true }
            // An address: base64 has two slashes in a row, too, but neither a colon nor a full stop.
            if byte == ASCII.slash, before.1 == ASCII.slash {
                if before.0 == ASCII.colon || slashes == 1 && before.0 == 0 && value.contains(0x2E) { return true }
            }
            if byte == ASCII.slash { slashes += 1 }
            before = (before.1, byte)
        }
        guard let first = value.first else { return false }
        let isPath = slashes > 0 && (first == ASCII.slash || first == 0x2E || first == 0x7E)
        return isPath && Randomness.bits(value) < 60
    }

    /// `sha256`, `base64url`, `oauth2`, `utf8`.
    private static func isAlgorithm(_ value: some Collection<UInt8>) -> Bool {
        let word = String(decoding: value.prefix(12).map { ASCII.lowercased($0) }, as: UTF8.self)
        return ["sha", "md5", "base64", "base32", "oauth", "utf", "argon2", "pbkdf2", "rsa", "aes", "hmac"]
            .contains { word.hasPrefix($0) } && Randomness.bits(value) < Self.randomBits
    }
}
