import TapedeckSessions

/// How the control API is served.
package struct ControlConfiguration: Sendable {
    /// The address to listen on. Any but a loopback address needs a ``token``.
    package var host = "127.0.0.1"
    /// 4748; 0 takes a free one.
    package var port = 4748
    /// What clients must show as `Authorization: Bearer`; `nil` is nothing, which goes on loopback only.
    package var token: String?
    /// Host names, in lower case, that the API answers to beside those of loopback. None.
    package var serverNames: Set<String> = []
    /// The largest body of a request, in bytes. 4 MiB.
    package var bodyLimit = 4 << 20
    /// The largest response set that is added to a session, as JSON with the bodies of its answers, in bytes. 16 MiB.
    package var setBodyLimit = 16 << 20
    /// The same where a session is made, which may bring its cassettes. 64 MiB.
    package var sessionBodyLimit = 64 << 20
    /// The largest archive of cassettes that is taken, in bytes. 1 GiB.
    package var archiveLimit = UsageLimits().archive
    /// The largest file of another tool that is taken, in bytes. 64 MiB.
    package var importLimit = 64 << 20
    /// Requests that wait, and streams, at a time. 1,000.
    package var longRequestLimit = 1_000
    /// A stream that has nothing to tell for so long gets a comment, so that both sides notice when it breaks. 15 s.
    package var heartbeat = Duration.seconds(15)
    /// A connection without a byte for so long is closed, whatever is asked on it. 120 s.
    package var idleTimeout = Duration.seconds(120)
    /// Whether requests are answered on a thread of their own, as the process has other tasks, which may block all threads
    /// that tasks share while they wait for an answer. Not unless told otherwise.
    package var usesOwnThread = false

    package init() {}
}

/// Why the control API cannot be served as asked.
package struct ControlServerError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}
