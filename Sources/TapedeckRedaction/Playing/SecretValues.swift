package import TapedeckCore

/// Maps the placeholders of a tape to the values that are played, and values back to names.
package struct SecretValues: Sendable {
    private var values: [String: String]
    /// The tokens among them, by name.
    private let tokens: [String: TokenShape]
    private let signer: TokenSigner
    /// The algorithms of tokens that a client can verify, by the ids of their keys.
    private let algorithms: [String: String]
    /// The names whose values are those of environment variables.
    package let fixed: Set<String>
    /// The kinds of values that tell which machine it is, by name.
    let machine: [String: MachineIdentity]
    /// The names that a request's texts are never taken for: they have their values, or are of a machine.
    package let unbound: Set<String>

    /// Knows nothing: every placeholder plays as a token.
    package static let none = SecretValues([], environment: [:])

    /// Values of different names differ, whatever their shapes, so that a value identifies its name; two environment
    /// variables with equal values are the exception.
    ///
    /// - Parameters:
    ///   - secrets: the descriptions in the cassettes; for a repeated name the first counts.
    ///   - environment: the deck's, for secrets that name a variable.
    ///   - signer: signs tokens.
    package init(
        _ secrets: [SecretDescription],
        environment: [String: String],
        signer: TokenSigner = .none
    ) {
        var values: [String: String] = [:]
        var taken: Set<String> = []
        for secret in secrets where values[secret.name] == nil {
            guard let own = secret.environment.flatMap({ environment[$0] }), !own.isEmpty else { continue }
            values[secret.name] = own
            taken.insert(own)
        }
        let fixed = Set(values.keys)
        var tokens: [String: TokenShape] = [:]
        for secret in secrets.sorted(by: { $0.name < $1.name }) where values[secret.name] == nil {
            let shape = secrets.first { $0.name == secret.name }?.shape.flatMap { try? SecretShape($0) } ?? .token
            if let token = TokenShape(shape.text) {
                if tokens[secret.name] == nil { tokens[secret.name] = token }
                continue
            }
            var value = shape.value(for: secret.name)
            if let key = PrivateKeyShape(rawValue: shape.text).flatMap(signer.privateKey) {
                // Of one kind there is one key. Line ends behind it tell it from others.
                value = key
                while taken.contains(value) { value += "\n" }
            }
            // A shape of few values: the next that is free.
            for attempt in 1..<64 where taken.contains(value) {
                value = shape.value(for: "\(secret.name)/\(attempt)")
            }
            values[secret.name] = value
            taken.insert(value)
        }
        self.fixed = fixed
        self.machine = secrets.reduce(into: [:]) { $0[$1.name] = $1.machine }
        self.unbound = fixed.union(self.machine.keys)
        self.values = values
        self.tokens = tokens
        self.signer = signer
        self.algorithms = tokens.values.reduce(into: [:]) { algorithms, token in
            guard !signer.publicMembers(token.algorithm).isEmpty else { return }
            algorithms[token.keyID ?? ""] = token.algorithm
        }
        self.makeTokens(Set(tokens.keys))
    }

    /// Generates tokens again; last those whose claims contain other tokens.
    private mutating func makeTokens(_ names: Set<String>) {
        var left = names
        while !left.isEmpty {
            let free = left.filter { name in self.tokens[name]?.secretNames.isDisjoint(with: left) ?? true }
            // Tokens in a circle are made in any order.
            for name in free.isEmpty ? left : free {
                let token = self.tokens[name]?.token(name, self.signer) { self.value($0) }
                self.values[name] = token
                left.remove(name)
            }
        }
    }

    /// Without values of the machine that other machines have, too, such as `/root`: a recording leaves them.
    package var withoutCommon: SecretValues {
        var values = self
        for (name, kind) in self.machine where !kind.isTelling(self.value(name)) { values.values[name] = nil }
        return values
    }

    // MARK: Values of a session

    /// Returns true for the name of a value that a client makes for one login, and that must come back to it: `state` (RFC
    /// 6749 section 4.1.1) and `nonce` (OpenID Connect Core section 3.1.2.1).
    package static func isOwn(_ name: String) -> Bool {
        let base = name.prefix { $0 != "-" }
        return (base == "state" || base == "nonce") && name.dropFirst(base.count + 1).allSatisfy(\.isNumber)
    }

    /// Returns true for a name whose value depends on such a value: itself, or a token with it in a claim.
    package func dependsOnSession(_ name: String) -> Bool {
        Self.isOwn(name) || self.tokens[name]?.secretNames.contains(where: Self.isOwn) ?? false
    }

    /// The values where a session's requests had values of their own for some names.
    package func with(own: [String: String]) -> SecretValues {
        guard !own.isEmpty else { return self }
        var values = self
        values.values.merge(own) { $1 }
        values.makeTokens(Set(self.tokens.filter { !$0.value.secretNames.isDisjoint(with: own.keys) }.keys))
        return values
    }

    // MARK: Keys

    /// A JSON Web Key Set with the keys that the tokens are signed with; `nil` for any other body.
    package func keySet(_ body: [UInt8]) -> [UInt8]? {
        self.algorithms.isEmpty ? nil : PlayedKeySet.played(body, algorithms: self.algorithms, self.signer)
    }

    /// The values by name.
    package var all: [String: String] { self.values }

    /// The value played for a placeholder.
    package func value(_ name: String) -> String {
        self.values[name] ?? SecretShape.token.value(for: name)
    }

    /// The bytes with the values in place of the placeholders, each in its form. A JSON number loses the quotation marks
    /// around its placeholder, if its value is a number. Escaped text that looks like a placeholder is what it was live.
    ///
    /// - Parameter marks: offsets into the bytes, in order, which move along; one inside a placeholder goes to its end.
    package func restored(_ bytes: [UInt8], marks: inout [Int]) -> [UInt8] {
        SecretPlaceholder.replacing(in: bytes, marks: &marks, unescapes: true) { placeholder, place in
            let value = ByteText.bytes(of: self.value(placeholder.name))
            guard placeholder.form == .number else { return (place, placeholder.form.encode(value)) }
            let isQuoted =
                place.lowerBound > 0 && place.upperBound < bytes.count
                && bytes[place.lowerBound - 1] == ASCII.quote && bytes[place.upperBound] == ASCII.quote
            guard isQuoted, Self.isNumber(value) else {
                return (place, SecretPlaceholder.Form.json.encode(value))
            }
            return ((place.lowerBound - 1)..<(place.upperBound + 1), value)
        }
    }

    package func restored(_ bytes: [UInt8]) -> [UInt8] {
        var marks: [Int] = []
        return self.restored(bytes, marks: &marks)
    }

    package func restored(_ text: String) -> String {
        guard text.utf8.contains(ASCII.openBrace) else { return text }
        return ByteText.string(from: self.restored(ByteText.bytes(of: text)))
    }

    private static func isNumber(_ value: [UInt8]) -> Bool {
        guard let first = value.first, first == 0x2D || (0x30...0x39).contains(first),
            case .number? = try? JSONValue(parsing: value)
        else { return false }
        return true
    }
}
