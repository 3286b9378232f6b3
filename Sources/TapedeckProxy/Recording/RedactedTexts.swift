import TapedeckCore
import TapedeckRedaction

/// Takes secrets out of what logs, summaries and answers of Tapedeck's own say of a session's requests: those that its
/// rules find, those that are played for the tape's placeholders, and those that its recording has found.
struct TextRedactor: Sendable {
    private let redactors: [Redactor]

    fileprivate init(_ redactors: [Redactor]) {
        self.redactors = redactors
    }

    /// A text as it may be shown.
    func text(_ text: String) -> String {
        self.redactors.reduce(text) { $1.text($0) }
    }

    /// Method and URL as they may be shown.
    func line(_ line: RequestLine) -> RequestLine {
        let url = self.redactors.reduce(line.url.description) { $1.text(url: $0) }
        guard let shown = AbsoluteURL(url) else { return line }
        return RequestLine(method: self.text(line.method), url: shown)
    }

    /// A failure as it may be shown.
    func failure(_ failure: UpstreamFailure) -> UpstreamFailure {
        var failure = failure
        failure.detail = failure.detail.map(self.text)
        return failure
    }
}

extension Session {
    /// What takes secrets out of texts.
    var texts: TextRedactor {
        TextRedactor([self.secrets.redactor(of: self.tape), self.recorder?.redactor].compactMap { $0 })
    }
}
