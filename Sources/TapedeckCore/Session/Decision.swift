/// What is to be done about a request: the one answer of the core to the proxy.
package enum Decision: Sendable, Equatable {
    /// Play the take of this number on the session's tape.
    case play(Int)
    /// Ask the origin.
    case forward(record: Bool)
    /// Say that nothing on tape answers.
    case reject(UnmatchedReport)
}

/// Method and URL of a request, for reports.
package struct RequestLine: Sendable, Hashable, CustomStringConvertible {
    package var method: String
    package var url: AbsoluteURL

    package init(method: String, url: AbsoluteURL) {
        self.method = method
        self.url = url
    }

    package var description: String { "\(self.method) \(self.url)" }
}
