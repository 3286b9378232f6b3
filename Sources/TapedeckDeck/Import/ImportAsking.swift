package import Logging
import NIOPosix
package import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckImport
import TapedeckMaintenance

extension CassetteImport {
    /// Sends the requests that have no answer to their origins, one after the other, and records the answers.
    ///
    /// - Parameters:
    ///   - progress: counts the requests.
    ///   - configure: sets how the deck reaches origins.
    /// - Throws: ``DeckError`` when the deck cannot start, or an answer cannot be saved.
    package mutating func ask(
        log: Logger,
        progress: WorkProgress? = nil,
        configure: @Sendable (inout DeckConfiguration) -> Void
    ) async throws(DeckError) {
        progress?.begin(self.unanswered.reduce(0) { $0 + $1.requests.count })
        let unanswered = self.unanswered
        self.unanswered = []
        for (path, requests) in unanswered {
            do {
                try await self.ask(requests, into: path, log, progress, configure)
            } catch {
                throw DeckError(error)
            }
        }
        self.hideSecrets()
    }

    private mutating func ask(
        _ requests: [(request: ForeignRequest, at: Place)],
        into path: String,
        _ log: Logger,
        _ progress: WorkProgress?,
        _ configure: @Sendable (inout DeckConfiguration) -> Void
    ) async throws {
        // Answers that were imported play; all others are asked for.
        var configuration = DeckConfiguration.append(to: [path])
        configure(&configuration)
        configuration.port = 0
        configuration.authority = .ephemeral
        configuration.watchesCassettes = false
        configuration.eventLoops = 1
        configuration.record.recordsLoopback = true
        let deck = try await Deck.start(configuration, log: log)
        // The places of the requests whose exchanges are in the journal, in its order.
        var places: [Place] = []
        for (request, place) in requests {
            defer { progress?.step() }
            let (before, known) = (deck.recordingProgress.exchanges, deck.notRecorded.count)
            var failure: (any Error)?
            do {
                _ = try await ProxyClient.send(
                    try LiveRequest(request),
                    throughProxyOn: deck.port,
                    group: MultiThreadedEventLoopGroup.singleton
                )
            } catch {
                failure = error
            }
            let progress = deck.recordingProgress
            if let failure = progress.failure { throw DeckError("the answers could not be kept: \(failure)") }
            if progress.exchanges > before {
                places.append(place)
            } else {
                let reason =
                    deck.notRecorded.dropFirst(known).last ?? failure.map { "\($0)" }
                    ?? "the tape has an answer to it already"
                self.leaveOut("no answer was recorded: \(reason)", place)
            }
        }
        let location = CassetteFolder.location(path, folder: nil)
        let exchanges = try RecordingJournal.read(folder: location.journalFolder)?.exchanges ?? []
        _ = try await deck.stop()
        var recorded = 0
        for (exchange, place) in zip(exchanges, places) {
            // A failure is not saved.
            if let fault = exchange.response.fault {
                self.leaveOut("no answer was recorded: \(exchange.response.detail ?? fault.words)", place)
            } else {
                recorded += 1
            }
        }
        try self.report(recorded, of: requests, in: location)
    }

    private mutating func report(
        _ recorded: Int,
        of requests: [(request: ForeignRequest, at: Place)],
        in location: CassetteLocation
    ) throws {
        guard recorded > 0 else { return }
        self.report.played += recorded
        let index = self.report.cassettes.firstIndex { $0.path == location.path } ?? self.report.cassettes.endIndex
        if index == self.report.cassettes.endIndex {
            var written = self.asked[location.path] ?? ImportReport.Written(path: location.path)
            written.entries = max(written.entries, requests.count)
            self.report.cassettes.append(written)
        }
        self.report.cassettes[index].played += recorded
        self.report.cassettes[index].secrets = try Deck.store.load(location).secrets.map(\.name)
    }
}

extension LiveRequest {
    /// A request of another tool's file, without the fields that follow from the request itself.
    ///
    /// - Throws: ``DeckError`` for a URL that is none.
    fileprivate init(_ request: ForeignRequest) throws(DeckError) {
        guard let url = AbsoluteURL(request.url) else {
            throw DeckError("'\(request.url.prefix(200))' is no http or https URL", kind: .badOption)
        }
        self.init(method: request.method, url: url, headers: request.headers, body: request.body)
    }
}

extension Fault {
    /// Words for a failure that came without a detail.
    fileprivate var words: String {
        switch self {
        case .emptyResponse: "the connection was closed before an answer"
        case .truncatedBody: "the connection was closed in the middle of the answer"
        default: self.rawValue
        }
    }
}
