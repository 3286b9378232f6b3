package import TapedeckCore
package import TapedeckRedaction

/// The rules for secrets and the limits of the search, for all recordings of a deck.
package struct RedactionOptions: Sendable {
    /// Of the project; a cassette's own apply beside them.
    package var project = RedactionSettings()
    /// The variables of the deck's environment, which rules and secrets name.
    package var environment: [String: String] = [:]
    /// Textual bodies up to this size are searched, without their content coding. In bytes, 4 MiB. An exchange under way
    /// holds as much of each such body in memory.
    package var bodyLimit = Redactor.defaultBodyLimit
    /// True if larger bodies are recorded without a search; otherwise their exchanges are not recorded.
    package var allowsUnscanned = false

    package init() {}

    /// Redacts what is recorded.
    ///
    /// - Parameters:
    ///   - cassette: what is recorded into; `nil` where that is new.
    ///   - secrets: those that have names already. Their values get the same placeholders again.
    ///   - firstNumber: of the secrets that come.
    /// - Throws: for rules that cannot be used.
    package func redactor(
        for cassette: Cassette?,
        knowing secrets: [SecretDescription],
        firstNumber: Int = 1
    ) throws(RedactionError) -> Redactor {
        let settings = [self.project] + (cassette.map { [$0.redaction] } ?? [])
        let rules = try RedactionRules(settings, environment: self.environment)
        let vault = SecretVault(
            known: SecretValues(secrets, environment: self.environment, signer: .madeUp),
            firstNumber: firstNumber
        )
        var redactor = Redactor(rules, vault: vault)
        redactor.hash = BodyDigest.openSSL
        redactor.bodyLimit = self.bodyLimit
        redactor.allowsUnscanned = self.allowsUnscanned
        return redactor
    }
}
