package import TapedeckCore
package import TapedeckRedaction

extension RecordedExchange {
    /// The exchange as it came over the wire, with placeholders in place of its secrets, and of digests of a body that had
    /// some.
    ///
    /// - Throws: when it could not be searched in full, and must not be written.
    package func redacted(by redactor: Redactor) throws(RedactionFailure) -> RecordedExchange {
        var exchange = try redactor.redact(self, isLive: true)
        exchange.response.headers = BodyDigest.escaped(exchange.response.headers)
        exchange.response.trailers = BodyDigest.escaped(exchange.response.trailers)
        return exchange.withDigests(of: self.response.body, redactor.hash)
    }

    /// An exchange of a journal, in which placeholders and escapes stand already, with placeholders in place of what the
    /// rules of the redactor find in it.
    ///
    /// - Throws: when it could not be searched in full.
    func redactedAgain(by redactor: Redactor) throws(RedactionFailure) -> RecordedExchange {
        try redactor.redact(self).withDigests(of: self.response.body, redactor.hash)
    }

    /// Returns the exchange without the secrets that other exchanges revealed since it was searched.
    package func searchedAgain(by redactor: Redactor) -> RecordedExchange {
        redactor.redactLiterals(self).withDigests(of: self.response.body, redactor.hash)
    }

    /// The length and digests of a body that is another one now are worked out when it is played. The length of a body
    /// that was cut short stays: by it a client notices that something is missing.
    ///
    /// - Parameter body: as it came.
    private func withDigests(of body: RecordedBody, _ hash: BodyDigest.Hash) -> RecordedExchange {
        guard self.response.body != body, self.response.fault != .truncatedBody, case .bytes(let bytes) = body else {
            return self
        }
        var exchange = self
        exchange.response.headers.removeAll { $0.isNamed("content-length") }
        exchange.response.headers = BodyDigest.taped(exchange.response.headers, body: bytes, hash)
        exchange.response.trailers = BodyDigest.taped(exchange.response.trailers, body: bytes, hash)
        return exchange
    }
}
