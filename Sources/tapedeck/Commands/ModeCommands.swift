import ArgumentParser
import TapedeckDeck
import TapedeckSessions

struct Record: DeckCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Forward requests to the live API and write a cassette.",
        usage: "tapedeck record [<options>] <cassette> [-- <command> ...]",
        discussion: """
            The answers replace the recorded ones of the same requests; everything else on tape stays, unless --clean \
            removes what the command did not request. Secrets are replaced by placeholders before anything is written.

            With --variant, the API's answers become one variant of each response set that the command requests; \
            everything else on tape stays, and a profile of that name plays the run again.

            \(Self.layers)
            """
    )

    @Argument(cassette: "The cassette: a name, or a path.")
    var cassette: String
    @OptionGroup(section: "Most used") var usual: UsualOptions
    @OptionGroup(section: "Recording") var scenario: ScenarioOptions
    @OptionGroup(section: "Recording") var recording: RecordingOptions
    @OptionGroup(section: "Recording") var scan: ScanOptions
    @OptionGroup(section: "Recording") var verify: VerifyOptions
    @OptionGroup(section: "Listening and sessions") var listening: ListeningOptions
    @OptionGroup(section: "Listening and sessions") var transparent: TransparentOptions
    @OptionGroup(section: "Listening and sessions") var deckName: DeckNameOptions
    @OptionGroup(section: "Listening and sessions") var browser: BrowserOptions
    @OptionGroup(section: "Listening and sessions") var isolation: IsolationOptions
    @OptionGroup(section: "Project file") var project: ProjectOptions
    @OptionGroup(section: "Log and stop") var log: LogOptions
    @OptionGroup(section: "Log and stop") var stop: StopOptions
    @OptionGroup(section: "Limits") var limits: LimitOptions
    @OptionGroup(section: "Upstream") var upstream: UpstreamOptions

    func deck() throws -> RunDeck {
        var configuration = DeckConfiguration.record(into: self.cassette, folder: self.usual.folder)
        try self.scenario.apply(to: &configuration)
        try self.recording.apply(to: &configuration)
        self.scan.apply(to: &configuration)
        return RunDeck(configuration, usual: self.usual, options: self.options, upstream: self.upstream)
    }

    func run() throws {
        try self.verify.check()
        try self.deck().run()
        let cassette = CassetteFolder.location(self.cassette, folder: self.usual.folder)
        try self.verify.run([cassette], isReplayed: false)
    }
}

struct Append: DeckCommand {
    static let configuration = CommandConfiguration(
        commandName: "append",
        abstract: "Play recorded answers, and record missing ones into the first cassette.",
        usage: "tapedeck append [<options>] <cassette> ... [-- <command> ...]",
        discussion: """
            Requests that nothing on tape answers go to the live API and are recorded. Those of variants with \
            `passthrough: true` go there without being recorded.

            \(Self.layers)
            """
    )

    @Argument(cassettes: "The cassettes: names or paths.")
    var cassettes: [String]
    @OptionGroup(section: "Most used") var usual: UsualOptions
    @OptionGroup(section: "Playing") var play: PlayOptions
    @OptionGroup(section: "Recording") var recording: RecordingOptions
    @OptionGroup(section: "Recording") var scan: ScanOptions
    @OptionGroup(section: "Listening and sessions") var listening: ListeningOptions
    @OptionGroup(section: "Listening and sessions") var transparent: TransparentOptions
    @OptionGroup(section: "Listening and sessions") var deckName: DeckNameOptions
    @OptionGroup(section: "Listening and sessions") var browser: BrowserOptions
    @OptionGroup(section: "Listening and sessions") var isolation: IsolationOptions
    @OptionGroup(section: "Project file") var project: ProjectOptions
    @OptionGroup(section: "Log and stop") var log: LogOptions
    @OptionGroup(section: "Log and stop") var stop: StopOptions
    @OptionGroup(section: "Limits") var limits: LimitOptions
    @OptionGroup(section: "Upstream") var upstream: UpstreamOptions

    func deck() throws -> RunDeck {
        var configuration = DeckConfiguration.append(to: self.cassettes, folder: self.usual.folder)
        self.play.apply(to: &configuration)
        try self.recording.apply(to: &configuration)
        self.scan.apply(to: &configuration)
        return RunDeck(configuration, usual: self.usual, options: self.options, upstream: self.upstream)
    }
}

struct Replay: DeckCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play cassettes, without a network.",
        usage: "tapedeck replay [<options>] <cassette> ... [-- <command> ...]",
        discussion: """
            A request that nothing on tape answers gets a 501. Requests to this machine pass, unless --no-local is \
            given. Nothing beyond this machine is contacted, except for hosts named with --passthrough or --except \
            and, with --allow-passthrough, by variants with `passthrough: true`.

            \(Self.layers)
            """
    )

    @Argument(cassettes: "The cassettes: names or paths.")
    var cassettes: [String] = []

    @Flag(DeckOption.allowPassthrough) var allowPassthrough: Bool
    @Flag(DeckOption.exact) var exact: Bool
    @Flag(DeckOption.learn) var learn: Bool
    @Flag(DeckOption.fast) var fast: Bool
    @Option(DeckOption.clock) var clock: String?
    @Flag(DeckOption.noPreflights) var noPreflights: Bool

    @OptionGroup(section: "Most used") var usual: UsualOptions
    @OptionGroup(section: "Playing") var play: PlayOptions
    @OptionGroup(section: "Playing") var verify: VerifyOptions
    @OptionGroup(section: "Hosts") var hosts: ReplayHostOptions
    @OptionGroup(section: "Listening and sessions") var listening: ListeningOptions
    @OptionGroup(section: "Listening and sessions") var transparent: TransparentOptions
    @OptionGroup(section: "Listening and sessions") var deckName: DeckNameOptions
    @OptionGroup(section: "Listening and sessions") var browser: BrowserOptions
    @OptionGroup(section: "Listening and sessions") var isolation: IsolationOptions
    @OptionGroup(section: "Project file") var project: ProjectOptions
    @OptionGroup(section: "Log and stop") var log: LogOptions
    @OptionGroup(section: "Log and stop") var stop: StopOptions
    @OptionGroup(section: "Limits") var limits: LimitOptions
    @OptionGroup(section: "Upstream") var upstream: UpstreamOptions

    func validate() throws {
        guard !self.cassettes.isEmpty || self.listening.sessions == .required else {
            throw ValidationError("name one or more cassettes to play, or give --sessions required")
        }
        guard ["recorded", "now", nil].contains(self.clock) else {
            throw ValidationError("--clock takes `recorded` or `now`")
        }
        try Self.checkRules(isExact: self.exact, learns: self.learn)
    }

    func deck() throws -> RunDeck {
        var configuration = DeckConfiguration.replay(self.cassettes, folder: self.usual.folder)
        configuration.allowsPassthrough = self.allowPassthrough
        configuration.rules.isExact = self.exact
        configuration.rules.learns = self.learn
        configuration.rules.isFast = self.fast
        configuration.rules.answersPreflights = !self.noPreflights
        if self.clock == "recorded" { try ExitStatus.reporting { try configuration.startClockAtRecording() } }
        self.play.apply(to: &configuration)
        try self.hosts.apply(to: &configuration)
        return RunDeck(configuration, usual: self.usual, options: self.options, upstream: self.upstream)
    }

    func run() throws {
        try self.verify.check()
        try self.deck().run()
        let cassettes = self.cassettes.map { CassetteFolder.location($0, folder: self.usual.folder) }
        try self.verify.run(cassettes, isReplayed: true)
    }
}

struct Passthrough: DeckCommand {
    static let configuration = CommandConfiguration(
        commandName: "passthrough",
        abstract: "Forward everything to the live API; neither play nor record.",
        usage: "tapedeck passthrough [<options>] [-- <command> ...]",
        discussion: Self.layers
    )

    @OptionGroup(section: "Most used") var usual: UsualOptions
    @OptionGroup(section: "Hosts") var hosts: HostOptions
    @OptionGroup(section: "Listening and sessions") var listening: ListeningOptions
    @OptionGroup(section: "Listening and sessions") var transparent: TransparentOptions
    @OptionGroup(section: "Listening and sessions") var deckName: DeckNameOptions
    @OptionGroup(section: "Listening and sessions") var browser: BrowserOptions
    @OptionGroup(section: "Listening and sessions") var isolation: IsolationOptions
    @OptionGroup(section: "Project file") var project: ProjectOptions
    @OptionGroup(section: "Log and stop") var log: LogOptions
    @OptionGroup(section: "Log and stop") var stop: StopOptions
    @OptionGroup(section: "Limits") var limits: LimitOptions
    @OptionGroup(section: "Upstream") var upstream: UpstreamOptions

    func deck() throws -> RunDeck {
        var configuration = DeckConfiguration.passthrough(folder: self.usual.folder)
        try self.hosts.apply(to: &configuration)
        return RunDeck(configuration, usual: self.usual, options: self.options, upstream: self.upstream)
    }
}

struct Serve: DeckCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve sessions of any mode, created over the control API; requests without one play the cassettes.",
        usage: "tapedeck serve [<options>] [<cassette> ...] [-- <command> ...]",
        discussion: """
            Sessions are created with `tapedeck session create` or over the control API, and may replay, record, \
            append or pass through. Requests that name no session only play the cassettes given here; without \
            cassettes, every request must name a session.

            \(Self.layers)
            """
    )

    @Argument(cassettes: "The cassettes for requests that name no session: names or paths.")
    var cassettes: [String] = []

    @Flag(DeckOption.allowPassthrough) var allowPassthrough: Bool
    @Flag(DeckOption.exact) var exact: Bool
    @Flag(DeckOption.learn) var learn: Bool
    @Flag(DeckOption.fast) var fast: Bool
    @Flag(DeckOption.noPreflights) var noPreflights: Bool

    @OptionGroup(section: "Most used") var usual: UsualOptions
    @OptionGroup(section: "Playing") var play: PlayOptions
    @OptionGroup(section: "Recording") var recording: RecordingOptions
    @OptionGroup(section: "Recording") var scan: ScanOptions
    @OptionGroup(section: "Listening and sessions") var listening: ListeningOptions
    @OptionGroup(section: "Listening and sessions") var transparent: TransparentOptions
    @OptionGroup(section: "Listening and sessions") var deckName: DeckNameOptions
    @OptionGroup(section: "Listening and sessions") var browser: BrowserOptions
    @OptionGroup(section: "Listening and sessions") var isolation: IsolationOptions
    @OptionGroup(section: "Project file") var project: ProjectOptions
    @OptionGroup(section: "Log and stop") var log: LogOptions
    @OptionGroup(section: "Log and stop") var stop: StopOptions
    @OptionGroup(section: "Limits") var limits: LimitOptions
    @OptionGroup(section: "Upstream") var upstream: UpstreamOptions

    func validate() throws {
        guard !self.cassettes.isEmpty || self.listening.sessions != .optional else {
            throw ValidationError("without a cassette there is nothing for requests that name no session to play")
        }
        try Self.checkRules(isExact: self.exact, learns: self.learn)
    }

    func deck() throws -> RunDeck {
        var configuration = DeckConfiguration.serve(self.cassettes, folder: self.usual.folder)
        configuration.allowsPassthrough = self.allowPassthrough
        configuration.rules.isExact = self.exact
        configuration.rules.learns = self.learn
        configuration.rules.isFast = self.fast
        configuration.rules.answersPreflights = !self.noPreflights
        self.play.apply(to: &configuration)
        try self.recording.apply(to: &configuration)
        self.scan.apply(to: &configuration)
        return RunDeck(configuration, usual: self.usual, options: self.options, upstream: self.upstream)
    }
}

extension DeckCommand {
    fileprivate static func checkRules(isExact: Bool, learns: Bool) throws {
        guard !isExact || !learns else {
            throw ValidationError("--learn finds what varies, and --exact lets nothing vary: give one of them")
        }
    }
}
