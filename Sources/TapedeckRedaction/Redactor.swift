package import TapedeckCore
package import TapedeckProtobuf

/// Puts placeholders in the place of secrets.
///
/// Immutable, but for the vault behind it, which knows the secrets that were found so far.
package struct Redactor: Sendable {
    package let rules: RedactionRules
    package let vault: SecretVault
    /// Header fields of live exchanges without a secret in them: most come with each exchange.
    let cleanFields = CleanFields()
    /// Textual bodies up to this size are searched, without their content coding. In bytes, 4 MiB.
    package var bodyLimit = Self.defaultBodyLimit
    /// The types of the messages of calls, where they are known: secrets are found by the names of fields then.
    package var descriptors: DescriptorSet?
    /// Larger ones are let through unsearched.
    package var allowsUnscanned = false
    /// Hashes bodies, for the header fields with digests of a body that is redacted.
    package var hash: BodyDigest.Hash = { _, _ in nil }

    /// The default of ``bodyLimit``, in bytes. 4 MiB.
    package static let defaultBodyLimit = 4 << 20

    package init(_ rules: RedactionRules, vault: SecretVault) {
        self.rules = rules
        self.vault = vault
        for (kind, value) in rules.machine { vault.add(value, of: kind) }
        for (value, own) in rules.literals { _ = vault.placeholder(for: value, called: own.name, .named) }
    }

    /// Returns the exchange with placeholders in place of its secrets; bodies keep their content codings. Bodies must
    /// be in memory, except those that need no search.
    ///
    /// A secret that is found only at the end of an exchange is redacted at its beginning too.
    ///
    /// - Parameter isLive: true for an exchange from the wire: text that looks like a placeholder is escaped. False for
    ///   texts of a cassette, in which it is a placeholder.
    /// - Throws: an error if the exchange could not be searched in full. Do not write it then.
    package func redact(
        _ exchange: RecordedExchange,
        isLive: Bool = false
    ) throws(RedactionFailure) -> RecordedExchange {
        if self.findsNothing, !isLive { return exchange }
        let known = self.vault.count
        var redacted = try self.ruled(exchange, isLive: isLive)
        guard self.vault.count != known else { return redacted }
        try untilStable(rounds: 3) { _ throws(RedactionFailure) in
            let searched = try self.known(in: redacted)
            if searched == redacted { return false }
            // Removing a secret can turn the text beside it into another one.
            redacted = try self.ruled(searched)
            return true
        }
        return redacted
    }

    private func ruled(
        _ exchange: RecordedExchange,
        isLive: Bool = false
    ) throws(RedactionFailure) -> RecordedExchange {
        let pass = RedactionPass(self, onlyKnown: false, isLive: isLive)
        let redacted = try pass.exchange(exchange)
        if let failure = pass.failure { throw failure }
        return redacted
    }

    /// Returns the exchange with placeholders for secrets that became known since the exchange was redacted. Parts that
    /// cannot be searched stay unchanged.
    package func redactLiterals(_ exchange: RecordedExchange) -> RecordedExchange {
        var redactor = self
        redactor.allowsUnscanned = true
        return (try? redactor.known(in: exchange)) ?? exchange
    }

    private func known(in exchange: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        var exchange = exchange
        // A run of base64 with a known secret is a new secret.
        try untilStable(rounds: 3) { _ throws(RedactionFailure) in
            let known = self.vault.count
            let pass = RedactionPass(self, onlyKnown: true)
            exchange = try pass.exchange(exchange)
            if let failure = pass.failure { throw failure }
            return self.vault.count != known
        }
        return exchange
    }

    /// True if all rules are off and no secret is known by name.
    private var findsNothing: Bool { self.rules.isEmpty && self.vault.count == 0 }

    /// Returns true if a body is text that must be searched, judging by its header and its beginning: such a body must
    /// be in memory to be redacted, up to the limit.
    ///
    /// Its first bytes count more than its type: a text sent as bytes is searched, and a picture sent as text is not.
    /// For a body with a content coding only the type is known.
    ///
    /// - Parameter start: the body so far.
    package func searches(headers: [HeaderField], start: some Collection<UInt8>) -> Bool {
        if self.findsNothing { return false }
        let type = headers.first(named: "content-type")
        if BodyInspection.isMultipart(type) { return true }
        let codings = headers.tokens(named: "content-encoding").filter { $0 != "identity" }
        if start.isEmpty || !codings.isEmpty { return BodyInspection.isText(type: type) ?? true }
        return BodyInspection.isText(start)
    }

    /// Returns a request for matching, with placeholders in place of its secrets: those that the vault knows by name as
    /// `{{secret.NAME}}`, others as `{{secret.NAME#7}}`. Text of the request that looks like a placeholder is escaped.
    /// If a rule fails, its text is left unchanged.
    ///
    /// - Parameters:
    ///   - url: the canonical URL, `scheme://host[:port]/path?query`.
    ///   - body: without its content coding; `nil` if unknown.
    ///   - isLive: false for a request that already has placeholders.
    package func redact(
        url: String,
        fields: [HeaderField],
        body: [UInt8]?,
        isLive: Bool = true
    ) -> (url: String, fields: [HeaderField], body: [UInt8]?) {
        var result = (url: url, fields: fields, body: body)
        untilStable(rounds: 3) { round in
            let known = self.vault.count
            let pass = RedactionPass(self, onlyKnown: round > 0, isLive: isLive && round == 0)
            pass.begin(url: result.url)
            result.url = pass.url(result.url)
            result.fields = pass.fields(result.fields)
            if let body = result.body {
                let start = body.prefix(1024)
                if body.count <= self.bodyLimit, !self.findsNothing {
                    let messages = pass.messages(body, fields, isRequest: true)
                    result.body =
                        messages
                        ?? (self.searches(headers: fields.without("content-encoding"), start: start)
                            ? pass.requestText(body, contentType: fields.first(named: "content-type"))
                            : pass.binary(body))
                } else if isLive, round == 0 {
                    result.body = PlaceholderEscape.escaped(body)
                }
            }
            return self.vault.count != known
        }
        return result
    }

    /// A text for a log, a report or an error with placeholders in it. Names in them have no numbers, and the vault
    /// learns nothing of it.
    package func text(_ text: String) -> String {
        let pass = RedactionPass(self, onlyKnown: false, isNumbered: false)
        return ByteText.string(from: pass.report(ByteText.bytes(of: text)))
    }

    /// Returns a URL with placeholders in place of its secrets.
    package func text(url: String) -> String {
        self.text(RedactionPass(self, onlyKnown: false, isNumbered: false).url(url))
    }

    /// Returns the secrets in a text or a body without its content coding, in order, except those already redacted. The
    /// vault does not learn them.
    ///
    /// - Parameter isRequest: true for text of a request, whose fields hold secrets whatever they look like.
    package func findings(in bytes: [UInt8], contentType: String? = nil, isRequest: Bool = false) -> [SecretFinding] {
        let finder = SecretFinder(self.rules, self.vault, onlyKnown: false)
        return bytes.withUnsafeBytes { text in
            finder.edits(inBody: text, contentType: contentType, isRequest: isRequest).filter { !$0.isRest }
                .map(SecretFinding.init)
        }
    }

    /// The secrets in the value of a header field: see ``findings(in:contentType:isRequest:)``.
    package func findings(in field: HeaderField) -> [SecretFinding] {
        let finder = SecretFinder(self.rules, self.vault, onlyKnown: false)
        return ByteText.bytes(of: field.value).withUnsafeBytes { value in
            finder.edits(inHeader: field.name, value).map(SecretFinding.init)
        }
    }
}

/// A secret in a text, and the rule that found it.
package struct SecretFinding: Sendable, Equatable {
    /// In bytes of the text.
    package let range: Range<Int>
    /// The id of the rule; `known` for one that the vault knew.
    package let rule: String
    /// The name it would get.
    package let name: String
    package let form: SecretPlaceholder.Form
    /// The secret itself, which must not be shown.
    package let value: [UInt8]

    init(_ edit: SecretEdit) {
        self.range = edit.range
        self.rule = edit.rule
        self.name = edit.name
        self.form = edit.form
        self.value = edit.value
    }
}

extension [HeaderField] {
    func without(_ name: String) -> [HeaderField] {
        self.filter { !$0.isNamed(name) }
    }
}

extension Redactor {
    /// Returns an exchange as people are shown it: with placeholders as in ``text(_:)``, in all of its parts. A secret
    /// that a rule finds in one part is replaced in the others too. The vault learns nothing of it.
    ///
    /// - Throws: when a part cannot be searched in full, and so must not be shown.
    package func shown(_ exchange: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        let known = try RedactionPass(self, onlyKnown: true, isNumbered: false).exchange(exchange)
        let own = Redactor(self.rules, vault: SecretVault())
        // The vault of this exchange alone learns what the rules find; the pass behind it finds that everywhere.
        _ = try own.redact(known)
        let pass = RedactionPass(own, onlyKnown: false, isNumbered: false)
        let shown = try pass.exchange(known)
        if let failure = pass.failure { throw failure }
        return shown
    }
}
