package import TapedeckCore
package import TapedeckRedaction

extension RecordedExchange {
    /// Returns the exchange as received, with placeholders for its secrets, and for digests of a body with secrets.
    ///
    /// - Throws: an error if it could not be searched in full, and must not be written.
    package func redacted(by redactor: Redactor) throws(RedactionFailure) -> RecordedExchange {
        var exchange = try redactor.redact(self, isLive: true)
        exchange.response.headers = BodyDigest.escaped(exchange.response.headers)
        exchange.response.trailers = BodyDigest.escaped(exchange.response.trailers)
        return exchange.withDigests(of: self.response.body, redactor.hash)
    }

    /// Returns an exchange of a journal, which already has placeholders and escapes, with placeholders for further
    /// findings of the redactor.
    ///
    /// - Throws: an error if it could not be searched in full.
    package func redactedAgain(by redactor: Redactor) throws(RedactionFailure) -> RecordedExchange {
        try redactor.redact(self).withDigests(of: self.response.body, redactor.hash)
    }

    /// Returns the exchange without the secrets that other exchanges have revealed since it was searched.
    package func searchedAgain(by redactor: Redactor) -> RecordedExchange {
        redactor.redactLiterals(self).withDigests(of: self.response.body, redactor.hash)
    }

    /// Returns the exchange as it is saved: without the secrets that others have revealed, and with the names of those in files.
    package func searchedLast(by redactor: Redactor) -> RecordedExchange {
        var exchange = self.searchedAgain(by: redactor)
        exchange.secretsInFiles = redactor.secretsInFiles(of: exchange)
        return exchange
    }

    /// The length and digests of a changed body are computed when it is played. The length of a truncated body stays:
    /// it shows the client that something is missing.
    ///
    /// - Parameter body: as received.
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
