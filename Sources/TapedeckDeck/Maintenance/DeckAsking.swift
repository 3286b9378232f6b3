package import Logging
import NIOPosix
package import TapedeckCassettes
package import TapedeckCore
package import TapedeckMaintenance

/// Asks live APIs through a deck of its own that records.
package struct DeckAsking: LiveAsking {
    private let environment: [String: String]
    private let configure: @Sendable (inout DeckConfiguration) -> Void
    private let log: Logger
    private let progress: WorkProgress?

    /// - Parameters:
    ///   - environment: the variables that hold the values of secrets.
    ///   - progress: counts the requests.
    ///   - configure: sets how the deck reaches origins. Its mode, cassette and ports are set here.
    package init(
        environment: [String: String],
        log: Logger,
        progress: WorkProgress? = nil,
        configure: @escaping @Sendable (inout DeckConfiguration) -> Void = { _ in }
    ) {
        self.environment = environment
        self.configure = configure
        self.log = log
        self.progress = progress
    }

    package func ask(
        _ requests: [LiveRequest],
        for cassette: Cassette,
        in path: String,
        use: @Sendable (_ answers: [LiveAnswer], _ journal: String) async throws -> MaintenanceReport
    ) async throws -> MaintenanceReport {
        let folder = FilePath.folder(of: path)
        let location = CassetteFolder.location(path, folder: nil)
        guard !RecordingJournal.isInUse(folder: location.journalFolder) else {
            throw DeckError("another refresh of \(cassette.name) is running; wait for it to end")
        }
        var configuration = DeckConfiguration.record(into: path)
        configuration.environment = self.environment
        configuration.playsOwnVariables = true
        self.configure(&configuration)
        let project = try configuration.project.load()
        // Leftovers of an interrupted one.
        Self.remove(folder, location)
        defer { Self.remove(folder, location) }
        var rules = cassette
        rules.responseSets = []
        rules.profiles = []
        rules.maxAge = nil
        rules.redaction.off += project.redaction.off.filter { !cassette.redaction.off.contains($0) }
        rules.redaction.on += project.redaction.on.filter { !cassette.redaction.on.contains($0) }
        rules.redaction.rules += project.redaction.rules
        try FileContents.makeFolder(folder, mode: 0o700)
        try FileContents.replace(path, with: CassetteWriter.text(of: rules), waitsForDisk: false)
        configuration.port = 0
        configuration.authority = .ephemeral
        configuration.watchesCassettes = false
        // One loop, so that connections to origins are reused.
        configuration.eventLoops = 1
        // Requests go to every recorded origin, except blocked hosts.
        configuration.upstream = configuration.upstream.over(project.upstream)
        configuration.record = RecordSettings()
        configuration.record.block = project.record.block
        configuration.record.recordsLoopback = true
        configuration.project = .none
        let deck = try await Deck.start(configuration, log: self.log)
        let journal = location.journalFolder
        let result: Result<MaintenanceReport, any Error>
        do {
            result = .success(
                try await use(try await self.answers(to: requests, through: deck, journal: journal), journal)
            )
        } catch {
            result = .failure(error)
        }
        // The answers have been used; no cassette of them is needed.
        try? await deck.discardRecording()
        _ = try? await deck.stop()
        return try result.get()
    }

    private static func remove(_ folder: String, _ location: CassetteLocation) {
        FileContents.removeFolder(location.journalFolder)
        FileContents.removeFolder(folder)
    }

    /// One after the other: takes of a set are in order, and the API gets one request at a time.
    private func answers(
        to requests: [LiveRequest],
        through deck: Deck,
        journal: String
    ) async throws -> [LiveAnswer] {
        // The number of exchanges in the journal behind each request; one that was not recorded adds none.
        var counts: [(recorded: Int, notRecorded: String?)] = []
        self.progress?.begin(requests.count)
        for request in requests {
            defer { self.progress?.step() }
            // The client's result does not matter: the journal has the answer.
            _ = try? await ProxyClient.send(
                request,
                throughProxyOn: deck.port,
                group: MultiThreadedEventLoopGroup.singleton
            )
            let progress = deck.recordingProgress
            if let failure = progress.failure { throw DeckError("the answers could not be kept: \(failure)") }
            let isRecorded = progress.exchanges > counts.last?.recorded ?? 0
            counts.append((progress.exchanges, isRecorded ? nil : deck.notRecorded.last))
        }
        let exchanges = deck.searchedAgain(try RecordingJournal.read(folder: journal)?.exchanges ?? [])
        var answers: [LiveAnswer] = []
        var before = 0
        for (request, count) in zip(requests, counts) {
            // In the order of their requests, which came one after the other.
            let isThere = count.recorded > before && count.recorded <= exchanges.count
            let exchange = isThere ? exchanges[count.recorded - 1] : nil
            answers.append(LiveAnswer(request: request, exchange: exchange, notRecorded: count.notRecorded))
            before = count.recorded
        }
        return answers
    }
}
