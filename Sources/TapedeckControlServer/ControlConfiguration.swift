import TapedeckSessions

/// The settings of the control API.
package struct ControlConfiguration: Sendable {
    /// The address to listen on. Any but a loopback address needs a ``token``.
    package var host = "127.0.0.1"
    /// 4748; 0 takes a free one.
    package var port = 4748
    /// The token that clients must send as `Authorization: Bearer`; `nil` requires none, which is allowed on loopback
    /// only.
    package var token: String?
    /// Host names, in lower case, that the API accepts in addition to those of loopback. None by default.
    package var serverNames: Set<String> = []
    /// The largest body of a request, in bytes. 4 MiB.
    package var bodyLimit = 4 << 20
    /// The largest response set that is added to a session, as JSON with the bodies of its answers, in bytes. 16 MiB.
    package var setBodyLimit = 16 << 20
    /// The maximum body of a request that creates a session, which may contain cassettes. 64 MiB.
    package var sessionBodyLimit = 64 << 20
    /// The largest file that is sent to a session by itself, in bytes. 512 MiB; `--max-files` counts all of them.
    package var fileLimit = UsageLimits().files
    /// The largest archive of cassettes that is taken, in bytes. 1 GiB.
    package var archiveLimit = UsageLimits().archive
    /// The largest file of another tool that is taken, in bytes. 64 MiB.
    package var importLimit = 64 << 20
    /// Requests that wait, and streams, at a time. 1,000.
    package var longRequestLimit = 1_000
    /// A stream that has nothing to tell for so long gets a comment, so that both sides notice when it breaks. 15 s.
    package var heartbeat = Duration.seconds(15)
    /// A connection without a byte for this long is closed. 120 s.
    package var idleTimeout = Duration.seconds(120)
    /// True to answer requests on a separate thread, because the process has other tasks, which may block all threads
    /// that tasks share while they wait for an answer. False by default.
    package var usesOwnThread = false

    package init() {}
}

/// The reason why the control API cannot be served.
package struct ControlServerError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}
