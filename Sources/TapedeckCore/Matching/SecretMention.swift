/// The secrets that a text names with placeholders (``SecretPlaceholder``), for matching.
enum SecretMention {
    /// Returns the names in the order of the text. A pattern may hold anything behind a name, so a placeholder need not be
    /// complete.
    static func names(in bytes: some Collection<UInt8>) -> [String] {
        guard bytes.contains(ASCII.openBrace) else { return [] }
        let bytes = Array(bytes)
        let start = SecretPlaceholder.startBytes
        var names: [String] = []
        var index = 0
        while index + start.count < bytes.count {
            guard bytes[index] == ASCII.openBrace, bytes[index...].starts(with: start) else {
                index += 1
                continue
            }
            let name = bytes[(index + start.count)...].prefix(while: SecretPlaceholder.isNameByte)
            if !name.isEmpty { names.append(String(decoding: name, as: UTF8.self)) }
            index = name.endIndex
        }
        return names
    }

    static func names(in text: String) -> [String] {
        self.names(in: text.utf8)
    }

    /// Returns the names in a regular expression, which may escape the characters of a placeholder.
    static func names(inPattern source: String) -> [String] {
        self.names(in: source.utf8.filter { $0 != ASCII.backslash })
    }

    /// Returns true for a text with a placeholder in it, which has been searched for secrets.
    static func isIn(_ text: String) -> Bool {
        text.containsText(SecretPlaceholder.start)
    }

    /// The name without the number that tells it from others of the same kind: `password` of `password-2`.
    static func base(_ name: String) -> String {
        self.split(name).base
    }

    /// `password-2` comes behind `password`, and before `password-10`.
    static func precedes(_ left: String, _ right: String) -> Bool {
        let (left, right) = (self.split(left), self.split(right))
        return (left.base, left.number) < (right.base, right.number)
    }

    private static func split(_ name: String) -> (base: String, number: Int) {
        guard let hyphen = name.lastIndex(of: "-"), hyphen != name.startIndex,
            let number = Int(name[name.index(after: hyphen)...]), number > 1
        else { return (name, 1) }
        return (String(name[..<hyphen]), number)
    }
}

// MARK: What matchers name

extension ValueMatcher {
    package var secretNames: [String] {
        switch self {
        case .equals(let text), .contains(let text), .prefix(let text), .suffix(let text):
            SecretMention.names(in: text)
        case .values(let texts), .valuesInAnyOrder(let texts), .oneOf(let texts):
            texts.flatMap { SecretMention.names(in: $0) }
        case .pattern(let pattern): SecretMention.names(inPattern: pattern.source)
        case .greaterThan, .lessThan, .present, .absent: []
        case .not(let matcher): matcher.secretNames
        case .all(let matchers): matchers.flatMap(\.secretNames)
        }
    }
}

extension RequestMatcher {
    /// The secrets that its conditions name.
    package var secretNames: Set<String> { CompiledMatcher(self).secretNames }
}

extension JSONTest {
    fileprivate var secretNames: [String] {
        switch self {
        case .value(let matcher): matcher.secretNames
        case .count, .type: []
        case .all(let tests): tests.flatMap(\.secretNames)
        }
    }
}

extension BodyMatcher.Part {
    fileprivate var secretNames: [String] {
        self.content.secretNames + (self.filename?.secretNames ?? []) + (self.contentType?.secretNames ?? [])
    }
}

extension Condition {
    /// The secrets that it names by placeholders.
    var secretNames: [String] {
        switch self {
        case .query(let field), .header(let field), .cookie(let field): field.value.secretNames
        case .onlyQuery, .host, .state, .never: []
        // Beside a digest, which tells nothing.
        case .body(let identity, _): identity.kind == .sha256 ? [] : SecretMention.names(in: identity.content)
        case .canonical(let text, _): SecretMention.names(in: text)
        case .xml(let expected): expected.root.map { SecretMention.names(in: $0.canonical) } ?? []
        case .json(let expected): SecretMention.names(in: expected.value.compactText)
        case .jsonPath(_, let test): test.secretNames
        case .text(let matcher): matcher.secretNames
        case .form(let fields, _): fields.flatMap(\.value.secretNames)
        case .multipart(let parts): parts.flatMap(\.secretNames)
        case .graphQL(let operation, let variables):
            (operation?.secretNames ?? []) + (variables.map { SecretMention.names(in: $0.value.compactText) } ?? [])
        case .call: []
        case .messages(let condition): condition.items.flatMap { $0.flatMap(\.secretNames) }
        case .proto(let condition): SecretMention.names(in: condition.text)
        }
    }

    /// True if it requires a digest of the body, which may be that of a body with placeholders.
    var isDigest: Bool {
        if case .body(let identity, _) = self { identity.kind == .sha256 } else { false }
    }
}
