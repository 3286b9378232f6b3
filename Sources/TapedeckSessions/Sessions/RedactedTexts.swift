package import TapedeckCore
package import TapedeckRedaction

/// Removes secrets from texts about a session's requests in logs, summaries and Tapedeck's own answers: those that its
/// rules find, those that play for the tape's placeholders, and those that its recording has found.
package struct TextRedactor: Sendable {
    private let redactors: [Redactor]

    fileprivate init(_ redactors: [Redactor]) {
        self.redactors = redactors
    }

    /// A text as it may be shown.
    func text(_ text: String) -> String {
        self.redactors.reduce(text) { $1.text($0) }
    }

    /// Method and URL as they may be shown.
    package func line(_ line: RequestLine) -> RequestLine {
        let url = self.redactors.reduce(line.url.description) { $1.text(url: $0) }
        guard let shown = AbsoluteURL(url) else { return line }
        return RequestLine(method: self.text(line.method), url: shown)
    }

    /// An exchange as it may be shown.
    ///
    /// - Throws: when a part of it cannot be searched in full.
    func exchange(_ exchange: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        var exchange = exchange
        for redactor in self.redactors { exchange = try redactor.shown(exchange) }
        return exchange
    }

    /// A failure as it may be shown.
    package func failure(_ failure: UpstreamFailure) -> UpstreamFailure {
        var failure = failure
        failure.detail = failure.detail.map(self.text)
        return failure
    }
}

extension Session {
    /// The redactor of texts.
    package var texts: TextRedactor {
        TextRedactor([self.secrets.redactor(of: self.tape), self.recorder?.redactor].compactMap { $0 })
    }

    /// Returns a text about requests of this session with placeholders in place of their secrets.
    package func shown(_ text: String) -> String {
        self.texts.text(text)
    }

    /// Returns an exchange with placeholders in place of its secrets, to be shown to people. Not for an event loop.
    ///
    /// - Throws: when a part of it cannot be searched in full.
    package func shown(_ exchange: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        try self.texts.exchange(exchange)
    }
}
