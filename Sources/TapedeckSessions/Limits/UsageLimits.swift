/// What the deck, and each of its sessions, may use at most. `Int.max` is no limit.
package struct UsageLimits: Sendable, Equatable {
    /// Client connections at a time. 10,000.
    package var connections = 10_000
    /// The same of one session: those whose latest request, or CONNECT, was that session's. 2,500.
    package var sessionConnections = 2_500
    /// Requests at a time that are not answered yet; those that are held, and those that hang, among them. 10,000.
    package var requests = 10_000
    /// The same of one session. 2,500.
    package var sessionRequests = 2_500
    /// What all recordings together hold on the disk until they are saved, in bytes. 16 GiB.
    package var disk = 16 << 30
    /// The same of one session's recording. 4 GiB.
    package var sessionDisk = 4 << 30
    /// Recordings stop when the file system of their cassette has less room than this, in bytes; 0 is never. 64 MiB.
    package var freeDisk = 64 << 20
    /// Files that came with sessions, all together, in bytes. 512 MiB.
    package var files = 512 << 20

    package init() {}

    /// A number of bytes as people write it.
    static func text(_ bytes: Int) -> String {
        let units = [
            ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10),
            ("kB", 1_000),
        ]
        guard let unit = units.first(where: { bytes >= $0.1 && bytes % $0.1 == 0 }) else { return "\(bytes) bytes" }
        return "\(bytes / unit.1) \(unit.0)"
    }
}
