import DequeModule
package import Logging
import Synchronization
package import TapedeckCassettes
package import TapedeckCore
import TapedeckLocking
import TapedeckPlatform

/// All sessions of a deck.
package final class SessionDirectory: Sendable {
    private struct State {
        /// Each with a number that counts all that were made.
        var live: [String: (session: Session, number: Int)] = [:]
        var made = 0
        var ended: [String: Ended] = [:]
        /// In the order in which they ended.
        var endedIDs: Deque<String> = []
        var tally = SessionTally()
        var usage = UsageTally()
    }

    private let settings: Locked<Configuration>
    package let library: CassetteLibrary
    /// The session of requests that name none; `nil` where every request must name one. It does not end.
    package let `default`: Session?
    /// Tells of every session that begins or ends.
    package let changes = ChangeSignal()
    private let state = Locked(State())
    /// The number of sessions besides the default one; separate from the state, because requests read it.
    private let others = Atomic<Int>(0)
    private let budget: SessionJournal.Budget
    /// True if all sessions are ending, so that nothing plays any more.
    private let isEnding = Atomic<Bool>(false)
    /// The use of all sessions together.
    package let meter: DeckMeter
    private let log: Logger

    /// - Parameter default: the session of requests that name none; `nil` where every request must name one.
    package init(
        _ configuration: Configuration,
        library: CassetteLibrary,
        default session: Session?,
        log: Logger
    ) {
        self.settings = Locked(configuration)
        self.library = library
        self.default = session
        self.log = log
        self.meter = session?.meter.deck ?? DeckMeter(configuration.limits)
        self.budget = session?.journal.budget ?? SessionJournal.Budget(SessionJournal.Limits(configuration.limits))
        if let session { self.insert(session) }
    }

    /// The configuration of new sessions and recordings.
    package var configuration: Configuration { self.settings.withLock { $0 } }

    /// Uses another configuration for new sessions and connections; existing ones keep theirs. Shared counters and
    /// objects stay.
    package func replace(_ configuration: Configuration) {
        self.settings.withLock { settings in
            let old = settings
            settings = configuration
            settings.recordings = old.recordings
            settings.runs = old.runs
            settings.secrets = old.secrets
        }
    }

    // MARK: Finding

    /// Looks up an id.
    package func find(_ id: String) -> Found {
        self.state.withLock { state in
            if let live = state.live[id] { return .live(live.session) }
            return state.ended[id].map(Found.ended) ?? .unknown
        }
    }

    /// The live sessions, oldest first.
    package var sessions: [Session] {
        let live = self.state.withLock { Array($0.live.values) }
        return live.sorted { $0.number < $1.number }.map(\.session)
    }

    /// The totals of ended sessions.
    package var tally: SessionTally { self.state.withLock { $0.tally } }

    /// The number of requests for each response set, by all sessions: ended ones, if ``Configuration/talliesUsage``,
    /// and current ones.
    package var usage: [CassetteUsage] {
        var (usage, live) = self.state.withLock { ($0.usage, $0.live.values.sorted { $0.number < $1.number }) }
        for session in live { usage.add(session.session.usage) }
        return usage.cassettes
    }

    package var count: Int { self.state.withLock { $0.live.count } }

    /// True if there are sessions other than the default one.
    var hasOthers: Bool { self.others.load(ordering: .relaxed) > 0 }

    /// The number of sessions created so far, including the default one.
    package var createdCount: Int { self.state.withLock { $0.made } }

    /// Memory of all journals together, in bytes.
    package var journalBytes: Int { self.budget.bytes }

    // MARK: Making

    /// Creates a session. Reads cassettes that were not played before; in the recording modes, starts to record.
    ///
    /// - Throws: ``SessionError``, with advice.
    package func create(_ request: Request) throws -> Session {
        try self.check(request)
        let recorded = request.mode.records ? request.cassettes.first : nil
        var settings = Session.Settings(mode: request.mode)
        settings.id = self.freeID(for: request.name)
        settings.token = SessionName.token()
        settings.name = request.name ?? settings.id
        settings.policy = request.policy
        // Short enough to be typed.
        settings.seed = request.seed ?? UInt64.random(in: 1...999_999)
        settings.allowsPassthrough = self.configuration.allowsPassthrough && request.mode == .replay
        settings.rules = self.configuration.rules
        settings.streams = request.streams ?? self.configuration.streams
        settings.match = request.match
        settings.paths = request.paths
        settings.hosts = self.configuration.hosts
        settings.secrets = self.configuration.secrets
        settings.recordings = self.configuration.recordings
        settings.runs = self.configuration.runs
        settings.meter = self.meter
        do throws(SentFiles.Full) {
            settings.files = try self.meter.files.hold(request.cassettes)
        } catch {
            throw SessionError(.limit, error.description)
        }
        let tape: Tape
        do {
            if self.library.takesPaths {
                self.cassettesChanged(try self.library.renew(request.cassettes, mayBeMissing: recorded))
            }
            tape = try self.library.tape(of: request.cassettes, mayBeMissing: recorded, match: request.match)
        } catch let error as CassetteError {
            throw SessionError(error, of: self.library)
        }
        settings.cassettes = request.cassettes.map(self.library.shared)
        let session = Session(settings, tape: tape, journal: self.makeJournal())
        do {
            for (set, variant) in request.selections { try session.select(variant, of: set) }
            if request.ownProfile, let own = session.variantName { try? session.apply(profile: own.text) }
            for (name, targets) in request.profiles { try session.apply(profile: name, limitedTo: targets) }
        } catch {
            throw SessionError(.badSelection, error.description)
        }
        for entry in request.state { session.set(entry.key, to: entry.value) }
        if let recorded {
            try self.record(session, into: recorded, mode: request.mode, variant: request.recordingVariant)
        }
        self.insert(session)
        // A cassette that changed before this was in the list.
        self.refresh(session, mayBeMissing: recorded)
        return session
    }

    /// Keeps a file for the sets that are added to a session, and counts it.
    ///
    /// - Throws: ``SessionError`` when there is no room for it.
    package func keep(
        _ file: SessionFiles,
        name: String,
        _ bytes: [UInt8],
        for session: Session
    ) throws(SessionError) {
        let held: SentFiles.Held?
        do throws(SentFiles.Full) {
            held = try self.meter.files.hold([file])
        } catch {
            throw SessionError(.limit, error.description)
        }
        try session.keep(Session.SentFile(bytes: bytes, held: held), name: name)
    }

    /// A journal that shares its memory with those of the other sessions.
    private func makeJournal() -> SessionJournal {
        SessionJournal(limits: SessionJournal.Limits(self.configuration.limits), budget: self.budget)
    }

    private func check(_ request: Request) throws {
        if request.mode.dialsOut, !self.configuration.allowsDialling {
            throw SessionError(
                .notAllowed,
                "this deck only replays, so no session of it can have the mode \(request.mode.rawValue); start it with "
                    + "`tapedeck serve` for sessions that ask live servers"
            )
        }
        if request.mode.records, request.cassettes.isEmpty {
            throw SessionError(.badRequest, "the mode \(request.mode.rawValue) needs a cassette to record into")
        }
        if request.mode.records, request.cassettes.first?.isInMemory == true {
            throw SessionError(
                .badRequest,
                "in the mode \(request.mode.rawValue) the first cassette is recorded into, and this one came with the "
                    + "session, so it is on no disk; name one of the deck's first, or use the mode replay"
            )
        }
        if request.recordingVariant != nil, request.mode != .record {
            throw SessionError(
                .badRequest,
                "a recording is saved as a variant in the mode record only, and this session has the mode "
                    + request.mode.rawValue
            )
        }
        if let policy = request.policy, !policy.suits(request.mode) {
            throw SessionError(
                .badRequest,
                "in the mode \(request.mode.rawValue) an unmatched request cannot be passed on or recorded; use append"
            )
        }
        guard self.count < self.configuration.limits.sessions else {
            throw SessionError(
                .limit,
                "there are \(self.configuration.limits.sessions) sessions already (--max-sessions); end some first"
            )
        }
    }

    /// Begins a recording of a session.
    ///
    /// - Parameter variant: saves the recording as this variant of the response sets, in the mode `record`.
    /// - Throws: ``SessionError``.
    package func record(
        _ session: Session,
        into cassette: CassetteLocation,
        mode: Mode,
        variant: ScenarioName? = nil
    ) throws {
        guard self.configuration.allowsDialling else {
            throw SessionError(
                .notAllowed,
                "this deck only replays; start it with `tapedeck serve`, `append` or `record` to record"
            )
        }
        do {
            // An interrupted recording is saved first, or it would be lost.
            _ = try self.library.store.recover(cassette)
            try session.startRecording(
                into: cassette,
                mode: mode,
                failuresReplaceAnswers: self.configuration.failuresReplaceAnswers,
                variant: variant,
                redaction: self.configuration.redaction,
                descriptors: self.configuration.descriptors,
                library: self.library,
                bodyMemory: self.configuration.recordedBodyMemory,
                log: self.log
            )
        } catch let error as RecordingError {
            throw SessionError(.conflict, error.description)
        } catch let error as CassetteError {
            throw SessionError(error, of: self.library)
        } catch let error as DiskProblem {
            throw SessionError(.disk, "cannot record into \(cassette.name): \(error)")
        } catch let error as FileError {
            throw SessionError(error.isFull ? .disk : .badCassette, "cannot record into \(cassette.name): \(error)")
        }
        self.refresh(session, mayBeMissing: cassette)
    }

    /// Ends the recording of a session, writes the cassette, and has all who play it play what was recorded; `nil`
    /// where none runs.
    ///
    /// - Throws: when the cassette cannot be written. The journal stays, and the next recording takes it up.
    package func stopRecording(of session: Session) async throws -> CassetteStore.Saved? {
        let cassette = session.recordingStatus?.cassette
        let saved = try await session.stopRecording(store: self.library.store)
        if let cassette, !self.isEnding.load(ordering: .relaxed) {
            // Replaces any loaded version by the one on disk.
            _ = self.library.reload([cassette])
            // Nothing was recorded, so there is no file.
            if !FileContents.exists(cassette.path) { session.exclude(cassette) }
            self.cassettesChanged([cassette.path])
        }
        return saved
    }

    private func freeID(for name: String?) -> String {
        while true {
            let id = SessionName.id(for: name, deck: self.configuration.deckName)
            guard case .unknown = self.find(id) else { continue }
            return id
        }
    }

    private func insert(_ session: Session) {
        self.state.withLock { state in
            state.made += 1
            state.live[session.id] = (session, state.made)
        }
        if session !== self.default { self.others.wrappingAdd(1, ordering: .relaxed) }
        self.changes.notify()
    }

    // MARK: Ending

    /// Ends a session: its recording is saved, its final report kept for a while. `nil` if the session does not exist.
    package func end(_ id: String, wasIdle: Bool = false) async -> Ended? {
        let session = self.state.withLock { state -> Session? in
            guard let session = state.live[id]?.session, session !== self.default, session.end() else { return nil }
            return session
        }
        guard let session else { return nil }
        return await self.bury(session, wasIdle: wasIdle)
    }

    private func bury(_ session: Session, wasIdle: Bool) async -> Ended {
        var ended = Ended(report: session.report(), time: .now, wasIdle: wasIdle)
        await session.settle()
        ended.cassette = session.recordingStatus?.cassette
        do {
            ended.saved = try await self.stopRecording(of: session)
        } catch {
            ended.saveFailure = "\(error)"
            self.log.error(
                "a recording could not be saved",
                metadata: ["session": "\(session.id)", "error": "\(error)"]
            )
        }
        ended.learned = await session.saveLessons(self.library.store)
        for line in ended.learned.lines {
            self.log.notice("learned what varies", metadata: ["session": "\(session.id)", "place": "\(line)"])
        }
        for failure in ended.learned.failures {
            self.log.error("\(failure)", metadata: ["session": "\(session.id)"])
        }
        ended.report = session.report()
        let kept = self.configuration.keptReports
        let usage = self.configuration.talliesUsage ? session.usage : []
        self.state.withLock { [ended] state in
            state.usage.add(usage)
            state.live[session.id] = nil
            state.ended[session.id] = ended
            state.tally.add(ended)
            state.endedIDs.append(session.id)
            while state.endedIDs.count > kept { state.ended[state.endedIDs.removeFirst()] = nil }
        }
        self.others.wrappingSubtract(1, ordering: .relaxed)
        self.changes.notify()
        return ended
    }

    /// Ends sessions without requests for too long; call it periodically.
    package func endIdle() async {
        guard let limit = self.configuration.idleLimit else { return }
        for session in self.sessions where session !== self.default && session.idleSeconds >= limit {
            _ = await self.end(session.id, wasIdle: true)
        }
    }

    /// Recordings that are saved at a time when all sessions end: they wait for the disk more than for a processor. 8.
    private static let savedAtOnce = 8

    /// Ends all sessions but the default one, which the deck itself ends. Their recordings are not played any more.
    package func endAll() async {
        await self.end(self.sessions)
        // Some may be ending already, at a client's request.
        while true {
            let version = self.changes.version
            guard self.count > (self.default == nil ? 0 : 1) else { break }
            await self.changes.wait(after: version)
        }
        self.changes.close()
    }

    /// Ends the sessions without a request in progress, except the default one: for a deck that accepts no more
    /// requests, so that these are saved while others are waited for. A further request gets the error of an ended
    /// session.
    package func endQuiet() async {
        await self.end(self.sessions.filter { $0.inUse.requests == 0 })
    }

    /// Ends some of the last sessions there are.
    private func end(_ sessions: [Session]) async {
        self.isEnding.store(true, ordering: .relaxed)
        await withTaskGroup(of: Void.self) { group in
            var waiting = sessions.map(\.id)[...]
            func startNext() {
                guard let id = waiting.popFirst() else { return }
                group.addTask { _ = await self.end(id) }
            }
            for _ in 0..<Self.savedAtOnce { startNext() }
            while await group.next() != nil { startNext() }
        }
    }

    // MARK: Changed cassettes

    /// The number of takes from which on a replaced tape's memory is given back. 10,000: threads that need memory wait
    /// meanwhile.
    private static let largeTape = 10_000

    /// Has every session that plays one of these cassettes play it as it is now.
    package func cassettesChanged(_ changed: Set<String>) {
        guard !changed.isEmpty else { return }
        var wasLarge = false
        for session in self.sessions where session.cassettes.contains(where: { changed.contains($0.path) }) {
            wasLarge = wasLarge || session.tape.takes.count >= Self.largeTape
            self.refresh(session, mayBeMissing: session.recordingStatus?.cassette)
        }
        if wasLarge { SystemMemory.giveBack() }
    }

    private func refresh(_ session: Session, mayBeMissing: CassetteLocation?) {
        do {
            while true {
                let tape = try self.library.tape(
                    of: session.cassettes,
                    mayBeMissing: mayBeMissing,
                    match: session.match
                )
                guard tape !== session.tape else { return }
                for problem in session.replaceTape(tape) {
                    self.log.warning(
                        "what was selected is gone: \(problem)",
                        metadata: session === self.default ? nil : ["session": "\(session.id)"]
                    )
                }
                // Another that does the same may have come with a newer tape and been first.
            }
        } catch {
            self.log.warning("cannot play changed cassettes: \(error)", metadata: ["session": "\(session.id)"])
        }
    }
}
