package import TapedeckCore
package import TapedeckRedaction

/// The rules for secrets and the limits of the search, for all recordings of a deck.
package struct RedactionOptions: Sendable {
    /// The settings of the project; a cassette's own apply in addition.
    package var project = RedactionSettings()
    /// The variables of the deck's environment, which rules and secrets name.
    package var environment: [String: String] = [:]
    /// The surroundings of the programs whose traffic is recorded.
    package var surroundings = Surroundings()
    /// Larger bodies of requests are compared by their digest, in bytes: ``UsageLimits/matchedBody``.
    package var matchedBodyLimit = UsageLimits().matchedBody
    /// The maximum size in bytes of text bodies that are searched, without their content coding. 4 MiB. An unfinished
    /// exchange keeps this much of each such body in memory.
    package var bodyLimit = Redactor.defaultBodyLimit
    /// True if larger bodies are recorded without a search; otherwise their exchanges are not recorded.
    package var allowsUnscanned = false

    package init() {}

    /// Returns the redactor of a recording.
    ///
    /// - Parameters:
    ///   - cassette: the cassette to record into; `nil` if it is new.
    ///   - secrets: secrets with existing names. Their values get the same placeholders again.
    ///   - firstNumber: the number of the first new secret.
    ///   - digest: computes SHA-256 where values are to be recognised in replay; `nil` keeps no digests.
    /// - Throws: an error for rules that cannot be used.
    package func redactor(
        for cassette: Cassette?,
        knowing secrets: [SecretDescription],
        firstNumber: Int = 1,
        digest: Digest? = nil
    ) throws(RedactionError) -> Redactor {
        let settings = [self.project] + (cassette.map { [$0.redaction] } ?? [])
        let rules = try RedactionRules(
            settings,
            environment: self.environment,
            surroundings: self.surroundings,
            matchedBodyLimit: self.matchedBodyLimit
        )
        let vault = SecretVault(
            known: SecretValues(secrets, environment: self.environment, signer: .madeUp).withoutCommon,
            firstNumber: firstNumber,
            environment: self.environment,
            digest: digest
        )
        var redactor = Redactor(rules, vault: vault)
        redactor.hash = BodyDigest.openSSL
        redactor.bodyLimit = self.bodyLimit
        redactor.descriptors = cassette?.descriptorSet
        redactor.allowsUnscanned = self.allowsUnscanned
        return redactor
    }
}
