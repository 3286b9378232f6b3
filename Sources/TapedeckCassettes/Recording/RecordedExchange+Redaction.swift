package import TapedeckCore
package import TapedeckRedaction

extension RecordedExchange {
    /// The exchange with placeholders in place of its secrets. What told of the body's bytes as they were goes with them.
    ///
    /// - Throws: when it could not be searched in full, and must not be written.
    package func redacted(by redactor: Redactor) throws(RedactionFailure) -> RecordedExchange {
        try redactor.redact(self, isLive: true).withoutDigests(of: self.response.body)
    }

    /// The same for secrets that other exchanges taught since this one was searched.
    package func searchedAgain(by redactor: Redactor) -> RecordedExchange {
        redactor.redactLiterals(self).withoutDigests(of: self.response.body)
    }

    /// Header fields that another length or digest of the body would change from one recording to the next.
    private static let digests = ["content-length", "content-md5", "content-digest", "repr-digest", "digest"]

    /// The length is worked out when the body is played. That of a body that was cut short stays: it is what a client
    /// tells by that something is missing.
    private func withoutDigests(of body: RecordedBody) -> RecordedExchange {
        guard self.response.body != body, self.response.fault != .truncatedBody else { return self }
        var exchange = self
        exchange.response.headers.removeAll { field in Self.digests.contains { field.isNamed($0) } }
        return exchange
    }
}
