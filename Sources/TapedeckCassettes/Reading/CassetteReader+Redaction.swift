import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// The rules for secrets, and the descriptions of those that were found.
extension CassetteReader {
    /// Reads `off`, or the ids that are off and additional rules.
    mutating func readRedaction(_ node: YAMLNode) -> RedactionSettings {
        var settings = RedactionSettings()
        if node.kind == .scalar, node.string == "off" {
            settings.off = RedactionRules.builtInIDs
            return settings
        }
        guard self.expectMapping(node, "`redact`") else { return settings }
        for (key, value) in node.pairs {
            switch key.string {
            case "off": settings.off = self.readRuleIDs(value, "off", among: RedactionRules.allIDs)
            case "on": settings.on = self.readRuleIDs(value, "on", among: RedactionRules.optionalIDs)
            case "rules": settings.rules = self.readRules(value)
            default: self.unknown(key, CassetteKeys.redact, of: "`redact`")
            }
        }
        return settings
    }

    private mutating func readRuleIDs(_ node: YAMLNode, _ key: String, among known: [String]) -> [String] {
        guard let items = self.listItems(node, key) else { return [] }
        if items.isEmpty { self.error(node, "`\(key)` is an empty list") }
        var ids: [String] = []
        for item in items {
            guard let id = self.readRuleID(item, key, among: known) else { continue }
            if ids.contains(id) { self.error(item, "`\(key)` already has \(id)") } else { ids.append(id) }
        }
        return ids
    }

    private mutating func readRuleID(_ node: YAMLNode, _ what: String, among ids: [String]) -> String? {
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

    private mutating func readRules(_ node: YAMLNode) -> [RedactionRule] {
        guard self.expectSequence(node, "rules") else { return [] }
        if node.count == 0 { self.error(node, "`rules` is an empty list") }
        return node.items.compactMap { self.readRule($0) }
    }

    private mutating func readRule(_ node: YAMLNode) -> RedactionRule? {
        guard self.expectMapping(node, "a redaction rule") else { return nil }
        self.checkKeys(node, CassetteKeys.redactionRule, of: "a redaction rule")
        let places = node.pairs.filter { CassetteKeys.redactionPlace.contains($0.key.string) }
        guard let (key, value) = places.first else {
            self.error(node, "a redaction rule says where the secret is: it has one of \(Self.places)")
            return nil
        }
        if places.count > 1 {
            self.error(
                places[1].key,
                "a redaction rule has one place; write a rule of its own for `\(places[1].key.string)`"
            )
        }
        if let ignoreCase = node["ignoreCase"], !key.scalarEquals("pattern") {
            self.error(ignoreCase, "`ignoreCase` goes with `pattern`")
        }
        let place = self.readPlace(key.string, value, ignoresCase: node["ignoreCase"])
        let id = node["id"].flatMap { self.readRuleID($0, "id", among: RedactionRules.allIDs) }
        let name = node["name"].flatMap { self.readSecretName($0, "name") }
        return place.map { RedactionRule(id: id, name: name, place: $0) }
    }

    private static var places: String { CassetteKeys.redactionPlace.joined(separator: ", ") }

    private mutating func readPlace(
        _ key: String,
        _ value: YAMLNode,
        ignoresCase: YAMLNode?
    ) -> RedactionRule.Place? {
        switch key {
        case "header": return self.text(value, key).map(RedactionRule.Place.header)
        case "query": return self.text(value, key).map(RedactionRule.Place.query)
        case "json": return self.path(value, key).map(RedactionRule.Place.json)
        case "form": return self.text(value, key).map(RedactionRule.Place.form)
        case "environment": return self.variable(value, key).map(RedactionRule.Place.environment)
        default:
            let ignoresCase = ignoresCase.map { self.bool($0, "ignoreCase") } ?? false
            return self.pattern(value, key, scope: .anywhere, ignoresCase: ignoresCase)
                .map(RedactionRule.Place.pattern)
        }
    }

    private mutating func readSecretName(_ node: YAMLNode, _ what: String) -> String? {
        guard let name = self.text(node, what) else { return nil }
        guard SecretPlaceholder.isName(name) else {
            self.error(node, Self.badName(name))
            return nil
        }
        return name
    }

    private static func badName(_ name: String) -> String {
        "\"\(name)\" cannot be the name of a secret: it is made of letters, digits, `_` and `-`, and has at most 64 of them"
    }

    /// The name of an environment variable.
    private mutating func variable(_ node: YAMLNode, _ what: String) -> String? {
        guard let name = self.text(node, what) else { return nil }
        guard name.utf8.allSatisfy({ $0 > ASCII.space && $0 != ASCII.equals && $0 != 0x7F }), !name.hasPrefix("$")
        else {
            self.error(node, "`\(what)` is the name of an environment variable, such as GITHUB_TOKEN")
            return nil
        }
        return name
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
        var secret = SecretDescription(name: name)
        guard !node.isNull else { return secret }
        guard node.kind == .mapping else {
            self.error(
                node,
                "`\(name)` is `{ shape: … }` or `{ environment: VARIABLE }`; the value of a secret does not belong here"
            )
            return nil
        }
        for (key, value) in node.pairs {
            switch key.string {
            case "shape": secret.shape = self.readShape(value)
            case "environment": secret.environment = self.variable(value, "environment")
            case "header", "claims": continue
            default: self.unknown(key, CassetteKeys.secret, of: "a secret")
            }
        }
        if let part = node["header"] ?? node["claims"] { secret.shape = self.readToken(node, secret.shape, part) }
        return secret
    }

    /// The shape of a JSON Web Token that says its header and its claims.
    private mutating func readToken(_ node: YAMLNode, _ shape: String?, _ part: YAMLNode) -> String? {
        guard shape == "jwt" else {
            self.error(part, "`header` and `claims` go with `shape: jwt`")
            return shape
        }
        let header = node["header"].flatMap { self.text($0, "header") } ?? #"{"alg":"HS256","typ":"JWT"}"#
        let claims = node["claims"].flatMap { self.text($0, "claims") } ?? "{}"
        guard let token = TokenShape(header: header, claims: claims) else {
            self.error(
                part,
                "`header` and `claims` are JSON objects in quotation marks, such as '{\"iss\":\"https://…\"}'"
            )
            return shape
        }
        return token.text
    }

    private mutating func readShape(_ node: YAMLNode) -> String? {
        guard let text = self.text(node, "shape") else { return nil }
        do throws(RedactionError) {
            return try SecretShape(text).text
        } catch {
            self.error(node, "`shape` is none: \(error)")
            return nil
        }
    }
}
