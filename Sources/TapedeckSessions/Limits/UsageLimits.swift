/// The limits of a deck and of each of its sessions. Sizes are in bytes. `Int.max` connections, requests or sessions
/// mean no limit.
///
/// The defaults of the options for limits are the values here.
package struct UsageLimits: Sendable, Equatable {
    /// Client connections at a time. 10,000.
    package var connections = 10_000
    /// Client connections of one session at a time: those whose latest request, or CONNECT, was that session's. 2,500.
    package var sessionConnections = 2_500
    /// Unanswered requests at a time, including those that are held and those that hang. 10,000.
    package var requests = 10_000
    /// Unanswered requests of one session at a time. 2,500.
    package var sessionRequests = 2_500
    /// Requests at a time on one client's connection over HTTP/2. 128.
    package var streams = 128
    /// Requests a second, on average, that a client may break off on one connection over HTTP/2. 100.
    package var resets = 100
    /// Sessions at a time. 20,000.
    package var sessions = 20_000
    /// The disk space of all recordings until they are saved. 16 GiB.
    package var disk = 16 << 30
    /// The disk space of one session's recording. 4 GiB.
    package var sessionDisk = 4 << 30
    /// Recordings stop when the file system of their cassette has less free space than this; 0 is never. 64 MiB.
    package var freeDisk = 64 << 20
    /// Files that came with sessions, all together, in memory. 512 MiB.
    package var files = 512 << 20
    /// The part of a request's body that is kept in memory for matching. 1 MiB.
    package var matchedBody = 1 << 20
    /// The part of a request's body that is kept in memory while the request is held, in sessions that hold requests.
    /// 32 MiB: a client of the control API takes no answer of twice that.
    package static let heldBody = 32 << 20
    /// The memory of all journals together. 256 MiB.
    package var journal = 256 << 20
    /// The memory of one session's journal. 16 MiB.
    package var sessionJournal = 16 << 20
    /// The largest archive of cassettes that a client may push. 1 GiB.
    package var archive = 1 << 30

    package init() {}

    /// True if the limits that a running deck cannot change are the same in both; it reads the others again.
    package func isAsFixed(as other: UsageLimits) -> Bool {
        var limits = self
        (limits.sessions, limits.matchedBody) = (other.sessions, other.matchedBody)
        limits.sessionJournal = other.sessionJournal
        return limits == other
    }

    /// A number of bytes for a message, such as `512 MiB`.
    static func text(_ bytes: Int) -> String {
        let units = [
            ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10),
            ("kB", 1_000),
        ]
        guard let unit = units.first(where: { bytes >= $0.1 && bytes % $0.1 == 0 }) else { return "\(bytes) bytes" }
        return "\(bytes / unit.1) \(unit.0)"
    }
}
