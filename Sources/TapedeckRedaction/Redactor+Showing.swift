package import TapedeckCore

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
