import ArgumentParser
import TapedeckCassettes
import TapedeckDeck
import TapedeckSessions

/// The limits of a deck and of each of its sessions; 0 means no limit.
struct LimitOptions: ParsableArguments {
    @Option(DeckOption.maxConnections) var maxConnections: Int
    @Option(DeckOption.maxSessionConnections) var maxSessionConnections: Int
    @Option(DeckOption.maxRequests) var maxRequests: Int
    @Option(DeckOption.maxSessionRequests) var maxSessionRequests: Int
    @Option(DeckOption.maxStreams) var maxStreams: Int
    @Option(DeckOption.maxResets) var maxResets: Int
    @Option(DeckOption.maxSessions) var maxSessions: Int
    @Option(DeckOption.maxFiles) var maxFiles: String
    @Option(DeckOption.maxMatchedBody) var maxMatchedBody: String
    @Option(DeckOption.journalSize) var journalSize: String
    @Option(DeckOption.sessionJournalSize) var sessionJournalSize: String
    @Option(DeckOption.maxDisk) var maxDisk: String
    @Option(DeckOption.maxSessionDisk) var maxSessionDisk: String
    @Option(DeckOption.minFreeDisk) var minFreeDisk: String
    @Option(DeckOption.maxArchive) var maxArchive: String

    func validate() throws {
        do {
            _ = try self.limits
        } catch {
            throw ValidationError(error.description)
        }
    }

    private var limits: UsageLimits {
        get throws(DeckError) {
            var limits = UsageLimits()
            limits.connections = try OptionNumber.count(self.maxConnections, DeckOption.maxConnections.flag)
            limits.sessionConnections =
                try OptionNumber.count(self.maxSessionConnections, DeckOption.maxSessionConnections.flag)
            limits.requests = try OptionNumber.count(self.maxRequests, DeckOption.maxRequests.flag)
            limits.sessionRequests = try OptionNumber.count(self.maxSessionRequests, DeckOption.maxSessionRequests.flag)
            limits.streams = try OptionNumber.count(self.maxStreams, DeckOption.maxStreams.flag)
            limits.resets = try OptionNumber.count(self.maxResets, DeckOption.maxResets.flag)
            limits.disk = try OptionNumber.size(self.maxDisk, DeckOption.maxDisk.flag)
            limits.sessionDisk = try OptionNumber.size(self.maxSessionDisk, DeckOption.maxSessionDisk.flag)
            limits.freeDisk = try OptionNumber.room(self.minFreeDisk, DeckOption.minFreeDisk.flag)
            limits.archive = try OptionNumber.size(self.maxArchive, DeckOption.maxArchive.flag)
            limits.files = try OptionNumber.size(self.maxFiles, DeckOption.maxFiles.flag)
            limits.sessions = try OptionNumber.count(self.maxSessions, DeckOption.maxSessions.flag)
            limits.journal = try OptionNumber.size(self.journalSize, DeckOption.journalSize.flag)
            limits.sessionJournal = try OptionNumber.size(self.sessionJournalSize, DeckOption.sessionJournalSize.flag)
            limits.matchedBody = try OptionNumber.size(self.maxMatchedBody, DeckOption.maxMatchedBody.flag)
            return limits
        }
    }

    /// - Throws: `DeckError` for an invalid limit.
    func apply(to configuration: inout DeckConfiguration) throws {
        configuration.limits = try self.limits
    }
}

extension DeckOption {
    private static let defaults = UsageLimits()

    static let maxConnections = DeckOption("max-connections", value: "count", in: .running)
        .with(help: "Maximum client connections; 0 means no limit, here and below.")
        .with(default: defaults.connections)

    static let maxSessionConnections = DeckOption("max-session-connections", value: "count", in: .running)
        .with(help: "Maximum client connections per session.")
        .with(default: defaults.sessionConnections)

    static let maxRequests = DeckOption("max-requests", value: "count", in: .running)
        .with(help: "Maximum unanswered requests at a time, including held ones.")
        .with(default: defaults.requests)

    static let maxSessionRequests = DeckOption("max-session-requests", value: "count", in: .running)
        .with(help: "Maximum unanswered requests at a time per session.")
        .with(default: defaults.sessionRequests)

    static let maxStreams = DeckOption("max-streams", value: "count", in: .running)
        .with(help: "Maximum requests at a time on a client's HTTP/2 connection; more wait at the client.")
        .with(default: defaults.streams)

    static let maxResets = DeckOption("max-resets", value: "count", in: .running)
        .with(help: "Maximum requests a second that a client cancels on an HTTP/2 connection, on average.")
        .with(default: defaults.resets)

    static let maxSessions = DeckOption("max-sessions", value: "count", in: .running)
        .with(help: "Maximum sessions at a time.")
        .with(default: defaults.sessions)

    static let maxFiles = DeckOption("max-files", value: "size", in: .running)
        .with(help: "Maximum memory for files sent with sessions, all together.")
        .with(default: OptionNumber.text(ofSize: defaults.files))

    static let maxMatchedBody = DeckOption("max-matched-body", value: "size", in: .running)
        .with(help: "Maximum part of a request body that is kept in memory for matching.")
        .with(default: OptionNumber.text(ofSize: defaults.matchedBody))

    static let journalSize = DeckOption("journal-size", value: "size", in: .running)
        .with(help: "Maximum memory for all journals together.")
        .with(default: OptionNumber.text(ofSize: defaults.journal))

    static let sessionJournalSize = DeckOption("session-journal-size", value: "size", in: .running)
        .with(help: "Maximum memory for one session's journal.")
        .with(default: OptionNumber.text(ofSize: defaults.sessionJournal))

    static let maxDisk = DeckOption("max-disk", value: "size", in: .running)
        .with(help: "Maximum disk space for all recordings until they are saved.")
        .with(default: OptionNumber.text(ofSize: defaults.disk))

    static let maxSessionDisk = DeckOption("max-session-disk", value: "size", in: .running)
        .with(help: "Maximum disk space for one session's recording.")
        .with(default: OptionNumber.text(ofSize: defaults.sessionDisk))

    static let minFreeDisk = DeckOption("min-free-disk", value: "size", in: .running)
        .with(help: "Stop recordings when the disk of the cassettes has less free space than this.")
        .with(default: OptionNumber.text(ofSize: defaults.freeDisk))

    static let maxArchive = DeckOption("max-archive", value: "size", in: .running)
        .with(help: "Maximum size of an archive of cassettes that is pushed to the deck.")
        .with(default: OptionNumber.text(ofSize: defaults.archive))
}

extension LimitOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [
        DeckOption.maxConnections.option, DeckOption.maxSessionConnections.option, DeckOption.maxRequests.option,
        DeckOption.maxSessionRequests.option, DeckOption.maxStreams.option, DeckOption.maxResets.option,
        DeckOption.maxSessions.option, DeckOption.maxFiles.option, DeckOption.maxMatchedBody.option,
        DeckOption.journalSize.option, DeckOption.sessionJournalSize.option, DeckOption.maxDisk.option,
        DeckOption.maxSessionDisk.option, DeckOption.minFreeDisk.option, DeckOption.maxArchive.option,
    ]
}
