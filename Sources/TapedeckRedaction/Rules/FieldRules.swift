import TapedeckCore

/// Decides by the name of a field whether its value is a secret.
struct FieldRule: Sendable {
    /// The evidence that a value needs besides the name of its field.
    enum Condition: Sendable {
        /// None in a standard place for credentials; elsewhere the value must look like one.
        case any
        /// A token, or base64 of a name and a password, in a place that may as well hold a word: see
        /// ``ValueLook/isTokenLike(_:atLeast:)``.
        case tokenLike
        /// Like a token, but not a UUID: fields whose names only end in `token` often hold ids.
        case tokenButNoID
        case keyLike
        /// A key that is one random word of letters and digits, in a field of JSON that mostly has the name of something.
        case drawnKey
        /// A key, or a signature that is no longer than one: models sign their thoughts with longer ones, which stay.
        case signature
        /// A word that a person chose as a password, in a field whose name means other things as well.
        case chosen
        /// A message of SAML, unless it is XML in base64 (SAML 2.0 Bindings section 3.5.4): programs read that, and of it only the
        /// signature is a secret.
        case assertion
        /// Like a token, without its line ends: XML breaks base64 into lines.
        case inLines
        /// A short number, in a request.
        case pin
        /// A password in a field whose name only ends so: one word.
        case word
        /// A token, in a form, query or object that is part of an OAuth exchange.
        case exchange
        /// The signature of a shared access signature, together with `se`, `sp` or `sv`.
        case sharedAccess
    }

    /// The trust in the names of a place.
    enum Trust: Sendable, Comparable {
        /// Prose and source code: only a value that a machine drew is a secret.
        case text
        /// Data that may describe fields, such as translations and schemas: the value must look like a secret.
        case data
        /// Fields of a request and of protocols: any value is the secret.
        case certain
    }

    /// The kinds of places where fields are.
    enum Place: Int, Sendable, CaseIterable {
        /// `?name=value`, `&name=value`, `#name=value`.
        case query
        /// `name=value` in a body of form fields, and parts of a multipart body.
        case form
        /// `"name": "value"` and `<name>value</name>`.
        case json
        /// `name=value` and `name: value` elsewhere.
        case assignment
        case header
    }

    var id: String
    var condition: Condition
    /// `nil` takes it from the field.
    var name: String?

    func holds(_ value: some Collection<UInt8>, _ trust: Trust) -> Bool {
        guard !ValueLook.isNothing(value), trust == .certain || !ValueLook.isAddress(value) else { return false }
        switch self.condition {
        case .tokenLike, .exchange: return ValueLook.isTokenLike(value) || ValueLook.isBasicCredentials(value)
        case .tokenButNoID: return ValueLook.isTokenLike(value) && !ValueLook.isUUID(value)
        case .keyLike: return ValueLook.isKeyLike(value)
        case .drawnKey:
            return value.allSatisfy { ByteClass.alphanumeric.contains($0) } && ValueLook.isKeyLike(value)
                && Randomness.bits(value) >= ValueLook.unmistakableBits
                && (trust == .certain || !ValueLook.isDigest(value))
        case .assertion where ValueLook.isXMLInBase64(value): return false
        case .inLines: return ValueLook.isTokenLike(value.filter { $0 > ASCII.space })
        case .signature: return value.count <= 64 && ValueLook.isKeyLike(value)
        case .pin:
            return trust == .certain && (4...12).contains(value.count)
                && value.allSatisfy { (0x30...0x39).contains($0) }
        case .chosen where trust == .certain:
            return value.count >= 6 && !value.contains { $0 <= 0x20 } && !ValueLook.isStandIn(value)
        case .chosen:
            return ValueLook.isTokenLike(value) && value.contains { (0x61...0x7A).contains($0) }
                && value.contains { (0x41...0x5A).contains($0) }
        case .any, .assertion, .word, .sharedAccess: break
        }
        switch trust {
        case .certain: return self.condition != .word || value.count >= 4 && !value.contains { $0 <= 0x20 }
        case .data: return ValueLook.isSecretLike(value, isPassword: self.id == "passwords")
        case .text: return ValueLook.isTokenLike(value)
        }
    }
}

/// The rules that know fields by their names, for one kind of place.
struct FieldRules: Sendable {
    private var rules: [UInt64: FieldRule] = [:]
    /// A bit for each name that there is a rule for, as most names have none.
    private var filter = [UInt64](repeating: 0, count: 64)
    /// By the last letter.
    private var endings = [[Ending]](repeating: [], count: 26)

    struct Ending: Sendable {
        var word: StaticString
        var rule: FieldRule
        /// True if it is one of the words of the name, as in `db_pass`, not in `compass`.
        var isWord = false
    }

    init(_ place: FieldRule.Place, isOn: (String) -> Bool) {
        for row in BuiltInFields.rows where row.places.contains(place) && isOn(row.id) {
            for name in row.names.split(separator: " ") {
                let hash = FieldName.hash(name.utf8)
                self.rules[hash] = FieldRule(id: row.id, condition: row.condition)
                self.filter[Int(hash >> 6 & 63)] |= 1 << (hash & 63)
            }
        }
        for ending in BuiltInFields.endings where ending.places.contains(place) && isOn(ending.id) {
            let rule = FieldRule(id: ending.id, condition: ending.condition)
            for word in ending.words {
                guard let letter = Self.letter(word.utf8Start[word.utf8CodeUnitCount - 1]) else { continue }
                self.endings[letter].append(Ending(word: word, rule: rule, isWord: ending.condition == .chosen))
            }
        }
    }

    /// The rule for a field of this name.
    func rule(_ name: UnsafeRawBufferPointer) -> (rule: FieldRule, part: Range<Int>)? {
        guard let (hash, part) = FieldName.key(name) else { return nil }
        if self.filter[Int(hash >> 6 & 63)] >> (hash & 63) & 1 != 0, let rule = self.rules[hash] {
            return (rule, part)
        }
        guard let letter = Self.letter(ASCII.lowercased(name[part.upperBound - 1])) else { return nil }
        let ending = self.endings[letter].first { FieldName.ends(name, part, in: $0.word, asWord: $0.isWord) }
        guard let ending else { return nil }
        let isPosition = BuiltInFields.positions.contains { FieldName.ends(name, part, in: $0, asWord: true) }
        return isPosition ? nil : (ending.rule, part)
    }

    /// The number of a letter in lower case; `nil` for any other byte.
    private static func letter(_ byte: UInt8) -> Int? {
        (0x61...0x7A).contains(byte) ? Int(byte - 0x61) : nil
    }
}
