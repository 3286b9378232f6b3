/// The use of a test's cassette. All of Tapedeck's helpers for tests have these modes.
public enum TapedeckMode: String, Sendable, CaseIterable {
    /// Plays the tape, and connects to no other machine. A request to a server on this machine passes only if no response
    /// set on tape names its origin; the traffic of a failed test lists what passed.
    case replay
    /// Records a cassette that does not exist, in every test of the process that uses it. Plays one that exists.
    case once
    /// Plays the tape, and records the requests that nothing on tape answers.
    case new
    /// Records anew what the test requests. All else on tape stays.
    case all
}

/// The options of a test's session. All are optional; a suite's options apply to its tests, which add theirs.
///
/// Swift cannot hand on a list of parameters, so the functions `tapedeck`, `cassette` and `withTapedeck` repeat that of the
/// initializer here. `tapedeck` and `withTapedeck` also take the options as one value.
public struct TapedeckOptions: Sendable {
    /// How bad something is.
    public enum Severity: Sendable {
        /// The test gets an issue that does not fail it, where its framework has such issues; else a line of output.
        case warning
        /// The test fails.
        case error
    }

    /// The cassettes, one over the other: of two that answer a request equally well the first does. The first is the one
    /// that is recorded.
    public var cassettes: [CassetteReference]
    /// The folder of cassettes with a name or a relative path: absolute, or relative to the folder of the test's file,
    /// which is the default.
    public var folder: String?
    /// The variants that play, by the names of their response sets.
    public var select: [String: String]
    /// Profiles to apply, the last one on top.
    public var profiles: [String]
    /// The session's state at first, over what the cassettes say.
    public var state: [String: String]
    /// The seed of all random choices. By default a new one each time, which a failure reports.
    public var seed: UInt64?
    /// The session's mode. By default that of `TAPEDECK_MODE`, else ``TapedeckMode/replay``.
    public var mode: TapedeckMode?
    /// The variant for the session. In the mode ``TapedeckMode/all``, and in ``TapedeckMode/once`` where it records, the
    /// answers are saved as this variant of the response sets, and nothing else on tape changes. Where the tape plays, the
    /// profile of that name is applied on top of ``profiles``.
    public var recordingVariant: String?
    /// True if unmatched requests do not fail the test. By default they do.
    public var allowsUnmatched: Bool?
    /// The severity of an unused response set or stub, in modes that play them. By default it is no issue.
    public var unused: Severity?
    /// True to play the cassettes of these options alone: those of outer traits and scopes are left out.
    public var exclusive: Bool?
    /// True to have the requests of `URLSession.shared` come to the session too, which it does in the whole process: of the
    /// tests that want it, one at a time has it. Cookies, credentials and cached answers that the test adds to those of the
    /// process are removed at its end. By default the requests go where they would without Tapedeck.
    public var sharedURLSession: Bool?
    /// Which deck the session is on. ``DeckChoice/automatic`` unless told otherwise.
    public var deck: DeckChoice?
    /// True if the cassette named after the test is one of ``cassettes`` because no other was named there. Any that is named
    /// further inside replaces it.
    package var hasDefaultCassette = false
    /// The line of the options. Errors of a session that has them are reported there, and a relative ``folder`` is
    /// relative to this file's. `nil` without options.
    package var place: CodePlace?

    /// Creates options. Omitted ones have the default of their property. `fileID`, `filePath`, `line` and `column` are
    /// the place where failures are reported.
    public init(
        cassettes: [CassetteReference] = [],
        folder: String? = nil,
        select: [String: String] = [:],
        profiles: [String] = [],
        state: [String: String] = [:],
        seed: UInt64? = nil,
        mode: TapedeckMode? = nil,
        recordingVariant: String? = nil,
        allowsUnmatched: Bool? = nil,
        unused: Severity? = nil,
        exclusive: Bool? = nil,
        sharedURLSession: Bool? = nil,
        deck: DeckChoice? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        self.cassettes = cassettes
        self.folder = folder
        self.select = select
        self.profiles = profiles
        self.state = state
        self.seed = seed
        self.mode = mode
        self.recordingVariant = recordingVariant
        self.allowsUnmatched = allowsUnmatched
        self.unused = unused
        self.exclusive = exclusive
        self.sharedURLSession = sharedURLSession
        self.deck = deck
        self.place = CodePlace(fileID, filePath, line, column)
    }

    /// Returns these options with others on top, such as a suite's with those of one of its tests: the others take
    /// precedence, their cassettes come first, and selections, profiles and state are merged.
    public func with(_ other: TapedeckOptions) -> TapedeckOptions {
        var options = self
        // A cassette that both name has the inner one's position.
        let names = Set(other.cassettes.compactMap(\.name))
        let isReplaced = self.hasDefaultCassette && !other.cassettes.isEmpty
        let kept = isReplaced ? self.cassettes.filter { !$0.isNamedAfterTest } : self.cassettes
        let outer = other.exclusive == true ? [] : kept
        options.hasDefaultCassette = other.cassettes.isEmpty ? self.hasDefaultCassette : other.hasDefaultCassette
        options.cassettes = other.cassettes + outer.filter { $0.name.map { !names.contains($0) } ?? true }
        // Each is relative to the file that says it, which need not be the same.
        options.folder = other.absoluteFolder ?? self.absoluteFolder ?? self.ownFolder
        options.select.merge(other.select) { $1 }
        options.profiles += other.profiles
        options.state.merge(other.state) { $1 }
        options.seed = other.seed ?? self.seed
        options.mode = other.mode ?? self.mode
        options.recordingVariant = other.recordingVariant ?? self.recordingVariant
        options.allowsUnmatched = other.allowsUnmatched ?? self.allowsUnmatched
        options.unused = other.unused ?? self.unused
        options.sharedURLSession = other.sharedURLSession ?? self.sharedURLSession
        options.deck = other.deck ?? self.deck
        options.place = other.place ?? self.place
        return options
    }

    /// The folder, if one is set.
    private var absoluteFolder: String? {
        guard let folder, let place = self.place else { return self.folder }
        return CassettePath.folder(folder, of: place.filePath)
    }

    /// The folder of a file that names cassettes without a folder.
    private var ownFolder: String? {
        guard let place = self.place, !self.cassettes.isEmpty else { return nil }
        return CassettePath.folder(nil, of: place.filePath)
    }
}
