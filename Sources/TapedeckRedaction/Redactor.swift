package import TapedeckCore

/// Puts placeholders in the place of secrets.
///
/// Immutable, but for the vault behind it, which knows the secrets that were found so far.
package struct Redactor: Sendable {
    package let rules: RedactionRules
    package let vault: SecretVault
    /// Textual bodies up to this size are searched, without their content coding. In bytes, 4 MiB.
    package var bodyLimit = Self.defaultBodyLimit
    /// Larger ones are let through unsearched.
    package var allowsUnscanned = false
    /// Hashes bodies, for the header fields with digests of a body that is redacted.
    package var hash: BodyDigest.Hash = { _, _ in nil }

    /// The default of ``bodyLimit``, in bytes. 4 MiB.
    package static let defaultBodyLimit = 4 << 20

    package init(_ rules: RedactionRules, vault: SecretVault) {
        self.rules = rules
        self.vault = vault
        for (value, own) in rules.literals { _ = vault.placeholder(for: value, called: own.name, .named) }
    }

    /// The exchange with placeholders in place of its secrets, wherever they stand; bodies in a content coding keep it.
    /// Bodies must be in memory, but for those that need no search.
    ///
    /// A secret that shows only at the end of an exchange is redacted at its beginning too.
    ///
    /// - Parameter isLive: true for an exchange as it came over the wire: text in it that looks like a placeholder is
    ///   escaped. False for texts of a cassette, in which it is one.
    /// - Throws: when it could not be searched in full, and must not be written.
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
            // Where a secret is gone, what was grown together with it may be one now.
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

    /// The exchange with placeholders for what the vault knows, by now, and did not when the exchange was redacted. What
    /// cannot be searched stays as it is.
    package func redactLiterals(_ exchange: RecordedExchange) -> RecordedExchange {
        var redactor = self
        redactor.allowsUnscanned = true
        return (try? redactor.known(in: exchange)) ?? exchange
    }

    private func known(in exchange: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        var exchange = exchange
        // A run of base64 that holds a known secret is a new one.
        try untilStable(rounds: 3) { _ throws(RedactionFailure) in
            let known = self.vault.count
            let pass = RedactionPass(self, onlyKnown: true)
            exchange = try pass.exchange(exchange)
            if let failure = pass.failure { throw failure }
            return self.vault.count != known
        }
        return exchange
    }

    /// Whether all rules are off and no secret is known by name.
    private var findsNothing: Bool { self.rules.isEmpty && self.vault.count == 0 }

    /// Whether a body is text that must be searched, as far as its header and its beginning tell: such a body must be
    /// in memory to be redacted, up to the limit.
    ///
    /// What it begins with counts more than what its type says: a text that is sent as bytes is searched, and a picture
    /// that is sent as text is not. Of a body with a content coding only the type is known.
    ///
    /// - Parameter start: what is known of the body so far.
    package func searches(headers: [HeaderField], start: some Collection<UInt8>) -> Bool {
        if self.findsNothing { return false }
        let type = headers.first(named: "content-type")
        if BodyInspection.isMultipart(type) || BodyInspection.isGzip(start) { return true }
        let codings = headers.tokens(named: "content-encoding").filter { $0 != "identity" }
        if start.isEmpty || !codings.isEmpty { return BodyInspection.isText(type: type) ?? true }
        return BodyInspection.isText(start)
    }

    /// A request as matching sees it, with placeholders in place of its secrets: those that the vault knows by name as
    /// `{{secret.NAME}}`, others as `{{secret.NAME#7}}`. Text of the request that looks like a placeholder is escaped. Where
    /// a rule fails, what it was to search stays as it is.
    ///
    /// - Parameters:
    ///   - url: the canonical URL, `scheme://host[:port]/path?query`.
    ///   - body: without its content coding; `nil` when it is not known.
    ///   - isLive: false for a request in which placeholders stand already.
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
            result.url = pass.url(result.url)
            result.fields = pass.fields(result.fields)
            if let body = result.body {
                let start = body.prefix(1024)
                if body.count <= self.bodyLimit, !self.findsNothing {
                    result.body =
                        self.searches(headers: fields.without("content-encoding"), start: start)
                        ? pass.requestText(body, contentType: fields.first(named: "content-type")) : pass.binary(body)
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

    /// The same for a URL.
    package func text(url: String) -> String {
        self.text(RedactionPass(self, onlyKnown: false, isNumbered: false).url(url))
    }

    /// The secrets in a text or a body without its content coding, in order, without those that are redacted already.
    /// The vault learns nothing of them.
    ///
    /// - Parameter isRequest: they belong to a request, whose fields hold secrets whatever they look like.
    package func findings(in bytes: [UInt8], contentType: String? = nil, isRequest: Bool = false) -> [SecretFinding] {
        let finder = SecretFinder(self.rules, self.vault, onlyKnown: false)
        return bytes.withUnsafeBytes { text in
            finder.edits(inBody: text, contentType: contentType, isRequest: isRequest).map(SecretFinding.init)
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
    /// What it would be called.
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
