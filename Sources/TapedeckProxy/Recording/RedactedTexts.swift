import TapedeckCore
package import TapedeckRedaction

extension Session {
    /// Takes secrets out of the texts that logs, summaries and answers of Tapedeck's own are made of.
    package var textRedactor: Redactor {
        self.recorder?.redactor ?? self.secrets.redactor(of: self.tape)
    }
}

extension RequestLine {
    /// The line as it may be shown.
    func redacted(by redactor: Redactor) -> RequestLine {
        let url = redactor.text(self.url.description)
        guard let shown = AbsoluteURL(url) else { return self }
        return RequestLine(method: redactor.text(self.method), url: shown)
    }
}

extension UpstreamFailure {
    /// The failure as it may be shown.
    func redacted(by redactor: Redactor) -> UpstreamFailure {
        var failure = self
        failure.detail = self.detail.map { redactor.text($0) }
        return failure
    }
}
