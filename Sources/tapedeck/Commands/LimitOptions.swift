import ArgumentParser
import TapedeckServer

/// What a deck, and each of its sessions, may use at most; 0 is no limit.
struct LimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Client connections at a time; 0 is no limit, here and below.", valueName: "count"))
    var maxConnections = 10_000

    @Option(help: ArgumentHelp("Client connections of one session at a time.", valueName: "count"))
    var maxSessionConnections = 2_500

    @Option(help: ArgumentHelp("Requests at a time that are not answered yet, held ones too.", valueName: "count"))
    var maxRequests = 10_000

    @Option(help: ArgumentHelp("The same of one session.", valueName: "count"))
    var maxSessionRequests = 2_500

    @Option(help: ArgumentHelp("Sessions at a time.", valueName: "count"))
    var maxSessions = 20_000

    @Option(help: ArgumentHelp("Files that come with sessions, in memory, all together.", valueName: "size"))
    var maxFiles = "512M"

    @Option(help: ArgumentHelp("How much of a request's body is kept in memory to be matched.", valueName: "size"))
    var maxMatchedBody = "1M"

    @Option(help: ArgumentHelp("The memory of all journals together.", valueName: "size"))
    var journalSize = "256M"

    @Option(help: ArgumentHelp("The memory of one session's journal.", valueName: "size"))
    var sessionJournalSize = "16M"

    @Option(help: ArgumentHelp("What all recordings hold on the disk until they are saved.", valueName: "size"))
    var maxDisk = "16G"

    @Option(help: ArgumentHelp("The same of one session's recording.", valueName: "size"))
    var maxSessionDisk = "4G"

    @Option(help: ArgumentHelp("Recordings stop when the disk of the cassettes has less left.", valueName: "size"))
    var minFreeDisk = "64M"

    @Option(help: ArgumentHelp("An archive of cassettes that is pushed to the deck.", valueName: "size"))
    var maxArchive = "1G"

    func validate() throws {
        do {
            _ = try self.limits
        } catch {
            throw ValidationError(error.description)
        }
    }

    private var limits: DeckLimits {
        get throws(DeckError) {
            var limits = DeckLimits()
            limits.connections = try DeckLimits.count(self.maxConnections, "--max-connections")
            limits.sessionConnections =
                try DeckLimits.count(self.maxSessionConnections, "--max-session-connections")
            limits.requests = try DeckLimits.count(self.maxRequests, "--max-requests")
            limits.sessionRequests = try DeckLimits.count(self.maxSessionRequests, "--max-session-requests")
            limits.disk = try DeckLimits.size(self.maxDisk, "--max-disk")
            limits.sessionDisk = try DeckLimits.size(self.maxSessionDisk, "--max-session-disk")
            limits.freeDisk = try DeckLimits.room(self.minFreeDisk, "--min-free-disk")
            limits.archive = try DeckLimits.size(self.maxArchive, "--max-archive")
            limits.files = try DeckLimits.size(self.maxFiles, "--max-files")
            limits.sessions = try DeckLimits.count(self.maxSessions, "--max-sessions")
            limits.journal = try DeckLimits.size(self.journalSize, "--journal-size")
            limits.sessionJournal = try DeckLimits.size(self.sessionJournalSize, "--session-journal-size")
            limits.matchedBody = try DeckLimits.size(self.maxMatchedBody, "--max-matched-body")
            return limits
        }
    }

    /// - Throws: `DeckError` for what `validate` did not see.
    func apply(to configuration: inout DeckConfiguration) throws {
        configuration.limits = try self.limits
    }
}
