import TapedeckCore
import TapedeckSessions

/// What a deck, and each of its sessions, may use at most. Sizes are in bytes.
package struct DeckLimits: Sendable, Equatable {
    /// Client connections at a time. 10,000.
    package var connections = 10_000
    /// The same of one session. 2,500.
    package var sessionConnections = 2_500
    /// Requests at a time that are not answered yet. 10,000.
    package var requests = 10_000
    /// The same of one session. 2,500.
    package var sessionRequests = 2_500
    /// Sessions at a time. 20,000.
    package var sessions = 20_000
    /// Files that come with sessions, all together. 512 MiB.
    package var files = 512 << 20
    /// How much of a request's body is kept in memory to be matched. 1 MiB.
    package var matchedBody = 1 << 20
    /// The memory of all journals together. 256 MiB.
    package var journal = 256 << 20
    /// The same of one session's journal. 16 MiB.
    package var sessionJournal = 16 << 20
    /// What all recordings hold on the disk until they are saved. 16 GiB.
    package var disk = 16 << 30
    /// The same of one session's recording. 4 GiB.
    package var sessionDisk = 4 << 30
    /// Recordings stop when the disk of the cassettes has less left; 0 is never. 64 MiB.
    package var freeDisk = 64 << 20
    /// An archive of cassettes that is pushed to the deck. 1 GiB.
    package var archive = 1 << 30

    package init() {}

    /// What connections, requests and recordings are held against.
    var usage: UsageLimits {
        var usage = UsageLimits()
        usage.connections = self.connections
        usage.sessionConnections = self.sessionConnections
        usage.requests = self.requests
        usage.sessionRequests = self.sessionRequests
        usage.files = self.files
        usage.disk = self.disk
        usage.sessionDisk = self.sessionDisk
        usage.freeDisk = self.freeDisk
        return usage
    }

    /// What journals keep.
    var journals: SessionJournal.Limits {
        var limits = SessionJournal.Limits()
        limits.allBytes = self.journal
        limits.bytes = self.sessionJournal
        return limits
    }

    /// Whether those are the same that hold for as long as a deck runs; the others can be read again.
    func isAsFixed(as other: DeckLimits) -> Bool {
        var limits = self
        (limits.sessions, limits.matchedBody) = (other.sessions, other.matchedBody)
        limits.sessionJournal = other.sessionJournal
        return limits == other
    }

    // MARK: As people write them

    /// No limit, for sizes that are reckoned with.
    private static let endless = 1 << 50

    /// A limit as people write it: a size such as `64M`; 0 is none.
    ///
    /// - Throws: ``DeckError`` that names the option.
    package static func size(_ text: String, _ option: String) throws(DeckError) -> Int {
        do throws(ByteSize.Problem) {
            let bytes = try ByteSize(text).bytes
            return bytes == 0 ? self.endless : bytes
        } catch {
            throw DeckError("\(option): \(error)", kind: .badOption)
        }
    }

    /// What is to be left free, as people write it; 0 is nothing.
    ///
    /// - Throws: ``DeckError`` that names the option.
    package static func room(_ text: String, _ option: String) throws(DeckError) -> Int {
        try self.size(text, option) % self.endless
    }

    /// The same for a number of things.
    package static func count(_ number: Int, _ option: String) throws(DeckError) -> Int {
        guard number >= 0 else { throw DeckError("\(option) takes a number, and 0 for no limit", kind: .badOption) }
        return number == 0 ? .max : number
    }
}
