import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// A rule for secrets as a cassette has it.
struct RuleEntry: Sendable {
    var id: String?
    var name: String?
    var place: RedactionRule.Place?
    var ignoresCase = false
}

/// The description of a secret as a cassette has it.
struct SecretEntry: Sendable {
    var shape: String?
    var header: String?
    var claims: String?
    var environment: String?
    var sha256: String?
    var refusesOtherValues = false
    var ignoresCase = false
}

extension CassetteGrammar {
    static let redaction = Mapping<RedactionSettings>("redact", "`redact`") {
        Key("off", \.off, .ruleIDs(among: RedactionRules.allIDs), usually: [])
            .means("built-in rules to disable; `redact: off` disables all")
        Key("on", \.on, .ruleIDs(among: RedactionRules.optionalIDs), usually: [])
            .means("rules to enable: [`pii`](redaction.md#personal-data); `off` wins")
        Key("rules", \.rules, .rules, usually: [])
            .means("your rules")
    }

    /// The keys of which a rule has one.
    fileprivate static let places = ["header", "query", "form", "json", "pattern", "environment"]

    static let rule = Mapping<RuleEntry>(
        "redactionRule",
        "a redaction rule",
        rules: [.one(Self.places), .with("ignoreCase", ["pattern"])]
    ) {
        Self.place("header", .text, { .header($0) }, { if case .header(let name) = $0 { name } else { nil } })
            .means("the name of a field or parameter")
        Self.place("query", .text, { .query($0) }, { if case .query(let name) = $0 { name } else { nil } })
            .means("the name of a field or parameter")
        Self.place("form", .text, { .form($0) }, { if case .form(let name) = $0 { name } else { nil } })
            .means("the name of a field or parameter")
        Self.place("json", .jsonPath, { .json($0) }, { if case .json(let path) = $0 { path } else { nil } })
            .means("a JSON path")
        Key("pattern", .text, late: true) { reader, entry, rule in
            rule.place = reader.pattern(entry.value, "pattern", scope: .anywhere, ignoresCase: rule.ignoresCase)
                .map { .pattern($0) }
        } write: { writer, rule in
            if case .pattern(let pattern) = rule.place { writer.pair("pattern") { $0.yaml.scalar(pattern.source) } }
        }
        .means("a [pattern](#patterns); the secret is its first capture, if any")
        Self.place(
            "environment",
            .variable,
            { .environment($0) },
            { if case .environment(let name) = $0 { name } else { nil } }
        )
        .means("a variable whose value is a secret everywhere")
        Key("ignoreCase", \.ignoresCase, .bool, usually: false)
            .means("with `pattern`; default `false`")
        Key("name", \.name, .secretName)
            .means("name of its secrets; default by place")
        Key("id", \.id, .ruleID)
            .means("the built-in rule that it replaces")
    }

    private static func place<Value>(
        _ name: StaticString,
        _ codec: Codec<Value>,
        _ make: @escaping @Sendable (Value) -> RedactionRule.Place,
        _ value: @escaping @Sendable (RedactionRule.Place) -> Value?
    ) -> Key<RuleEntry> {
        Key(name, codec, get: { $0.place.flatMap(value) }, set: { $1.place = make($0) })
    }

    static let secret = Mapping<SecretEntry>(
        "secret",
        "a secret",
        rules: [.with("otherValues", ["sha256"]), .with("ignoreCase", ["sha256"])]
    ) {
        Key("shape", \.shape, .shape)
            .means(
                "form of the value that plays: `jwt`, `uuid`, `number`, private keys in PEM (`pem`, which is RSA in PKCS #8, `pem-rsa`, "
                    + "`pem-ec`, `pem-p256`, `pem-ed25519`), `email`, `card-4{16}`, `iban-DE`, or characters, others than letters, "
                    + "digits and `_ - . ~ : / + =` percent-encoded, and classes; default `[A-Za-z0-9]{32}`"
            )
        Key("header", \.header, .text)
            .means("with `shape: jwt`, [its JSON objects](redaction.md#json-web-tokens)")
        Key("claims", \.claims, .text)
            .means("with `shape: jwt`, [its JSON objects](redaction.md#json-web-tokens)")
        Key("environment", \.environment, .variable)
            .means("a variable whose value plays instead, if set")
        Key("sha256", \.sha256, .digest)
            .means(
                "first digits of the value's digest, at least 4: [tells it from others](redaction.md#which-secret-a-request-has)"
            )
        Key("otherValues", \.refusesOtherValues, .refusal, usually: false)
            .means("with `sha256`, `refused`: no other value is this secret; default `allowed`")
        Key("ignoreCase", \.ignoresCase, .bool, usually: false)
            .means("with `sha256`, `true`: that of the value in small letters; default `false`")
    }
}

extension Codec where Value == RedactionSettings {
    static var redaction: Self {
        Codec(
            .either([.words(["off"]), .mapping("redact")]),
            read: { reader, node, _ in
                var settings = RedactionSettings()
                if node.kind == .scalar, node.string == "off" {
                    settings.off = RedactionRules.builtInIDs
                } else {
                    _ = reader.read(node, by: CassetteGrammar.redaction, into: &settings)
                }
                return settings
            },
            write: { writer, settings in
                if settings.rules.isEmpty, settings.on.isEmpty, settings.off == RedactionRules.builtInIDs {
                    // In the unquoted form: readers of cassettes do not parse this word as a Boolean.
                    writer.inline { $0.yaml.raw("off") }
                } else {
                    writer.block { $0.write(settings, by: CassetteGrammar.redaction) }
                }
            }
        )
    }
}

extension Codec where Value == [String] {
    fileprivate static func ruleIDs(among known: [String]) -> Self {
        Codec(.oneOrList(.words(known)), read: { $0.readRuleIDs($1, $2, among: known) }, inline: { $0.flowList($1) })
    }
}

extension Codec where Value == [RedactionRule] {
    fileprivate static var rules: Self {
        Codec(
            .list(.mapping("redactionRule"), atLeast: 1),
            read: { reader, node, _ in reader.readRules(node) },
            write: { writer, rules in
                writer.items(rules) { $0.write(RuleEntry($1), by: CassetteGrammar.rule) }
            }
        )
    }
}

extension Codec where Value == String {
    fileprivate static var ruleID: Self {
        Codec(
            .words(RedactionRules.allIDs),
            read: { $0.readRuleID($1, $2, among: RedactionRules.allIDs) },
            text: { $0 }
        )
    }

    fileprivate static var secretName: Self {
        Codec(
            .matching("^[A-Za-z0-9_-]{1,64}$"),
            read: { reader, node, name in
                guard let text = reader.text(node, name) else { return nil }
                guard SecretPlaceholder.isName(text) else {
                    reader.error(node, CassetteReader.badName(text))
                    return nil
                }
                return text
            },
            text: { $0 }
        )
    }

    /// The name of an environment variable.
    fileprivate static var variable: Self {
        Codec(
            .matching("^[^$ =][^ =]*$"),
            read: { reader, node, name in
                guard let text = reader.text(node, name) else { return nil }
                guard text.utf8.allSatisfy({ $0 > ASCII.space && $0 != ASCII.equals && $0 != 0x7F }),
                    !text.hasPrefix("$")
                else {
                    reader.error(node, "`\(name)` is the name of an environment variable, such as GITHUB_TOKEN")
                    return nil
                }
                return text
            },
            text: { $0 }
        )
    }

    /// The first digits of a digest.
    fileprivate static var digest: Self {
        Codec(
            .matching("^[0-9a-fA-F]{4,64}$"),
            read: { reader, node, name in
                let text = node.string
                guard (SecretDescription.digestLength...64).contains(text.utf8.count),
                    text.utf8.allSatisfy({ ASCII.hexValue($0) != nil })
                else {
                    reader.error(
                        node,
                        "`\(name)` of a secret is 4 to 64 hexadecimal digits, the first of its SHA-256 digest"
                    )
                    return nil
                }
                return ASCII.lowercased(text)
            },
            text: { $0 }
        )
    }

    fileprivate static var shape: Self {
        Codec(
            read: { reader, node, name in
                guard let text = reader.text(node, name) else { return nil }
                do throws(RedactionError) {
                    return try SecretShape(text).text
                } catch {
                    reader.error(node, "`shape` is none: \(error)")
                    return nil
                }
            },
            text: { $0 }
        )
    }
}

extension RuleEntry {
    init(_ rule: RedactionRule) {
        self.init(id: rule.id, name: rule.name, place: rule.place)
        if case .pattern(let pattern) = rule.place { self.ignoresCase = pattern.ignoresCase }
    }
}

extension SecretEntry {
    init(_ secret: SecretDescription) {
        self.init(
            shape: secret.shape,
            environment: secret.environment,
            sha256: secret.sha256,
            refusesOtherValues: secret.refusesOtherValues,
            ignoresCase: secret.ignoresCase
        )
        guard let token = secret.shape.flatMap({ TokenShape($0) }) else { return }
        (self.shape, self.header, self.claims) = ("jwt", token.header, token.claims)
    }
}

/// The rules for secrets, and the descriptions of those that were found.
extension CassetteReader {
    fileprivate mutating func readRuleIDs(_ node: YAMLNode, _ key: String, among known: [String]) -> [String]? {
        guard let items = self.listItems(node, key) else { return nil }
        if items.isEmpty { self.error(node, "`\(key)` is an empty list") }
        var ids: [String] = []
        for item in items {
            guard let id = self.readRuleID(item, key, among: known) else { continue }
            if ids.contains(id) { self.error(item, "`\(key)` already has \(id)") } else { ids.append(id) }
        }
        return ids
    }

    fileprivate mutating func readRuleID(_ node: YAMLNode, _ what: String, among ids: [String]) -> String? {
        guard let id = self.text(node, what) else { return nil }
        guard ids.contains(id) else {
            if RedactionRules.builtInIDs.contains(id) {
                self.error(node, "\(id) is on unless `off` has it; `on` is for \(ids.joined(separator: ", "))")
                return nil
            }
            let hint = Self.hint(id, among: ids)
            let known = hint.isEmpty ? "; there are: \(ids.joined(separator: ", "))" : hint
            self.error(node, "no redaction rule \"\(id)\" is built in\(known)")
            return nil
        }
        return id
    }

    fileprivate mutating func readRules(_ node: YAMLNode) -> [RedactionRule]? {
        guard self.expectSequence(node, "rules") else { return nil }
        if node.count == 0 { self.error(node, "`rules` is an empty list") }
        return node.items.compactMap { self.readRule($0) }
    }

    private mutating func readRule(_ node: YAMLNode) -> RedactionRule? {
        var rule = RuleEntry()
        guard self.read(node, by: CassetteGrammar.rule, into: &rule) else { return nil }
        let places = node.pairs.map(\.key).filter { CassetteGrammar.places.contains($0.string) }
        guard let key = places.first else {
            let names = CassetteGrammar.places.joined(separator: ", ")
            self.error(node, "a redaction rule says where the secret is: it has one of \(names)")
            return nil
        }
        if places.count > 1 {
            self.error(
                places[1],
                "a redaction rule has one place; write a rule of its own for `\(places[1].string)`"
            )
        }
        if let ignoreCase = node["ignoreCase"], !key.scalarEquals("pattern") {
            self.error(ignoreCase, "`ignoreCase` goes with `pattern`")
        }
        return rule.place.map { RedactionRule(id: rule.id, name: rule.name, place: $0) }
    }

    fileprivate static func badName(_ name: String) -> String {
        "\"\(name)\" cannot be the name of a secret: it is made of letters, digits, `_` and `-`, and has at most 64 of them"
    }

    // MARK: Secrets

    mutating func readSecrets(_ node: YAMLNode) -> [SecretDescription] {
        guard !node.isNull, self.expectMapping(node, "`secrets`") else { return [] }
        return node.pairs.compactMap { self.readSecret($0, $1) }
    }

    private mutating func readSecret(_ key: YAMLNode, _ node: YAMLNode) -> SecretDescription? {
        let name = key.string
        guard SecretPlaceholder.isName(name) else {
            self.error(key, Self.badName(name))
            return nil
        }
        guard !node.isNull else { return SecretDescription(name: name) }
        guard node.kind == .mapping else {
            self.error(
                node,
                "`\(name)` is `{ shape: … }` or `{ environment: VARIABLE }`; the value of a secret does not belong here"
            )
            return nil
        }
        var secret = SecretEntry()
        _ = self.read(node, by: CassetteGrammar.secret, into: &secret)
        if let part = node["header"] ?? node["claims"] { secret.shape = self.token(secret, part) }
        for key in ["otherValues", "ignoreCase"] where node["sha256"] == nil {
            if let value = node[key] { self.error(value, "`\(key)` goes with `sha256`") }
        }
        return SecretDescription(
            name: name,
            shape: secret.shape,
            environment: secret.environment,
            sha256: secret.sha256,
            refusesOtherValues: secret.refusesOtherValues,
            ignoresCase: secret.ignoresCase
        )
    }

    /// The shape of a JSON Web Token that says its header and its claims.
    private mutating func token(_ secret: SecretEntry, _ part: YAMLNode) -> String? {
        guard secret.shape == "jwt" else {
            self.error(part, "`header` and `claims` go with `shape: jwt`")
            return secret.shape
        }
        let header = secret.header ?? #"{"alg":"HS256","typ":"JWT"}"#
        guard let token = TokenShape(header: header, claims: secret.claims ?? "{}") else {
            self.error(
                part,
                "`header` and `claims` are JSON objects in quotation marks, such as '{\"iss\":\"https://…\"}'"
            )
            return secret.shape
        }
        return token.text
    }
}

extension CassetteWriter {
    /// In the order of the list: a recording keeps it by name.
    mutating func write(_ secrets: [SecretDescription]) {
        guard !secrets.isEmpty else {
            self.inline { $0.flowMapping { _ in } }
            return
        }
        self.block { writer in
            for secret in secrets { writer.write(secret) }
        }
    }

    private mutating func write(_ secret: SecretDescription) {
        self.key(secret.name)
        self.inline { writer in
            writer.flowMapping { $0.write(SecretEntry(secret), by: CassetteGrammar.secret) }
        }
    }

    /// The line of a secret in `secrets:`.
    static func line(_ secret: SecretDescription, indent: Int) -> [UInt8] {
        self.text(column: indent) { $0.write(secret) }
    }
}
