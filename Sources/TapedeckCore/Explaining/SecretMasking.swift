/// Masks values in reports: secrets by their names, and control characters.
package enum SecretMasking {
    /// Endings of secret names, without hyphens and underscores.
    private static let endings = SecretWord.words(in: .reportedName).map(\.description)
    private static let words = SecretWord.words(in: .reportedText).map(\.description)

    /// The value, or how long it is where the name tells that it is a secret.
    package static func shown(_ value: String, name: String) -> String {
        self.hides(name) && !SecretMention.isIn(value)
            ? "(\(value.count) characters, not shown)" : Self.short(value)
    }

    /// All values of a name; `empty` for a single one without characters.
    static func shown(_ values: [String], name: String) -> String {
        values == [""] ? "empty" : self.shown(values.joined(separator: ", "), name: name)
    }

    /// Returns true if a value of this name is hidden. Of a JSONPath the last name counts.
    package static func hides(_ name: String) -> Bool {
        let last = name.split(whereSeparator: { ".[]'\"".contains($0) }).last.map(String.init) ?? name
        let plain = ASCII.lowercased(last).filter { $0 != "-" && $0 != "_" }
        return self.endings.contains { plain.hasSuffix($0) }
    }

    /// Returns true if a text is hidden because of its name, or of a word in it that suggests a secret. A text with a
    /// placeholder has been redacted, and is shown.
    static func conceals(_ text: String, _ nameHides: Bool) -> Bool {
        (nameHides || self.mentionsSecret(text)) && !SecretMention.isIn(text)
    }

    /// Returns true if a text that is shown as a whole has a word that suggests a secret.
    private static func mentionsSecret(_ text: String) -> Bool {
        let lower = ASCII.lowercased(text)
        return self.words.contains { lower.containsText($0) }
    }

    /// Shortens a text for reports; a URL may have 64 thousand characters.
    static func short(_ text: String, limit: Int = 80) -> String {
        self.visible(text.count > limit ? "\(text.prefix(limit - 1))…" : text)
    }

    /// The maximum length of a URL or a path in a report, in characters.
    static let urlLimit = 300

    /// Returns the text with control characters as `\u{1B}`. It goes to terminals and logs, where control characters
    /// could forge output.
    static func visible(_ text: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        }.joined()
    }

    /// The URL with the values of secret query parameters left out, at most 300 characters of it.
    package static func shown(_ url: AbsoluteURL) -> String {
        self.short(self.withoutSecrets(url), limit: self.urlLimit)
    }

    private static func withoutSecrets(_ url: AbsoluteURL) -> String {
        guard let query = url.query else { return url.description }
        let parameters = query.split(separator: "&", omittingEmptySubsequences: false).map { parameter in
            let name = parameter.prefix { $0 != "=" }
            guard name.count < parameter.count, self.hides(QueryText.decoded(name.utf8)),
                !SecretMention.isIn(String(parameter))
            else { return parameter }
            return parameter[..<parameter.index(after: name.endIndex)] + "..."
        }
        return "\(url.origin)\(url.path)?" + parameters.joined(separator: "&")
    }

    static func hidden(_ matcher: ValueMatcher) -> String {
        switch matcher {
        case .present, .absent: matcher.summary
        default: "another value, not shown"
        }
    }
}
