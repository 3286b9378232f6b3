import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions

extension Deck {
    /// The sessions, with the default one as the command line wants it.
    static func sessions(
        _ configuration: DeckConfiguration,
        _ proxy: ProxyConfiguration,
        _ project: ProjectSettings,
        library: CassetteLibrary,
        log: Logger
    ) throws -> SessionDirectory {
        let settings = try self.sessionSettings(configuration, proxy, project)
        let session = try self.defaultSession(
            configuration,
            proxy,
            settings,
            library: library,
            log: log
        )
        return SessionDirectory(settings, library: library, default: session, log: log)
    }

    /// Returns the settings of all sessions.
    static func sessionSettings(
        _ configuration: DeckConfiguration,
        _ proxy: ProxyConfiguration,
        _ project: ProjectSettings
    ) throws -> SessionDirectory.Configuration {
        var settings = SessionDirectory.Configuration(allowsDialling: configuration.allowsDialling)
        // Set by test helpers, whose runs have a deck for each process.
        let began = ProcessEnvironment.value("TAPEDECK_RUN_BEGAN").flatMap { Instant(rfc3339: $0) }
        settings.runs = RecordingRuns(began: began)
        settings.cassettes = configuration.cassettes
        settings.allowsPassthrough = configuration.allowsPassthrough
        settings.rules = configuration.rules
        settings.idleLimit = try configuration.sessionTTLSeconds
        settings.hosts = proxy.recording.hosts
        settings.failuresReplaceAnswers = proxy.recording.failuresReplaceAnswers
        settings.recordedBodyMemory = proxy.recordedBodyMemory
        settings.streams = try configuration.streamPace
        settings.talliesUsage = configuration.talliesUsage
        settings.deckName = configuration.deckName
        settings.secrets = proxy.secrets
        settings.limits = configuration.limits
        settings.redaction = configuration.redaction(project)
        settings.descriptors = try project.descriptors.merged()
        return settings
    }

    /// The session of requests that name none.
    private static func defaultSession(
        _ configuration: DeckConfiguration,
        _ proxy: ProxyConfiguration,
        _ settings: SessionDirectory.Configuration,
        library: CassetteLibrary,
        log: Logger
    ) throws -> Session? {
        let target = configuration.mode.records ? configuration.cassettes.first : nil
        // A cassette to record need not exist yet; an existing one must be without errors, so that it is not lost.
        let tape = try library.tape(of: configuration.cassettes, mayBeMissing: target)
        // Cassettes are checked and loaded before the first session needs them.
        guard !configuration.requiresSession else { return nil }
        var own = Session.Settings(mode: configuration.mode)
        own.policy = try configuration.policy
        // For clients that are to use the session and steer nothing.
        if configuration.requiresToken { own.token = DeckToken.make().value }
        own.cassettes = configuration.cassettes
        // Short enough to be typed.
        own.seed = configuration.seed ?? UInt64.random(in: 1...999_999)
        own.hosts = proxy.recording.hosts
        own.rules = configuration.rules
        own.allowsPassthrough = configuration.mode == .replay && configuration.allowsPassthrough
        own.streams = try configuration.streamPace
        own.secrets = proxy.secrets
        own.recordings = settings.recordings
        own.runs = settings.runs
        own.meter = DeckMeter(configuration.limits)
        let session = Session(
            own,
            tape: tape,
            journal: SessionJournal(limits: SessionJournal.Limits(configuration.limits))
        )
        let selection = try DeckSelection(configuration, tape: tape)
        try selection.apply(to: session)
        for line in selection.idleProfiles(tape) { log.warning("\(line)") }
        guard let target else { return session }
        do {
            try session.startRecording(
                into: target,
                mode: configuration.mode,
                failuresReplaceAnswers: proxy.recording.failuresReplaceAnswers,
                variant: configuration.recordingVariant,
                redaction: settings.redaction,
                descriptors: settings.descriptors,
                library: library,
                bodyMemory: proxy.recordedBodyMemory,
                log: log
            )
        } catch let error as FileError {
            throw DeckError("cannot record into \(target.path): \(error); choose another folder with --cassettes")
        } catch let error as DiskProblem {
            throw DeckError("cannot record into \(target.path): \(error)")
        }
        return session
    }
}
