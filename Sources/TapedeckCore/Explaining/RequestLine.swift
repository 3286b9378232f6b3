/// Method and URL of a request. Its description is for reports, and leaves secrets out.
package struct RequestLine: Sendable, Hashable, CustomStringConvertible {
    package var method: String
    package var url: AbsoluteURL

    package init(method: String, url: AbsoluteURL) {
        self.method = method
        self.url = url
    }

    package var description: String { "\(SecretMasking.short(self.method)) \(SecretMasking.shown(self.url))" }
}

extension RequestFacts {
    /// The request for reports.
    package var line: RequestLine {
        let url = AbsoluteURL(ByteText.string(from: self.url))
        return RequestLine(
            method: self.method,
            url: url ?? AbsoluteURL(origin: Origin(scheme: .http, host: "-"), target: "/")
        )
    }
}
