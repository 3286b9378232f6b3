import NIOCore
package import TapedeckCassettes
package import TapedeckCore
import TapedeckProxy
import TapedeckRedaction
package import TapedeckSessions

/// Everything a deck is started with.
package struct DeckConfiguration: Sendable {
    /// The source of the certificate authority.
    package enum Authority: Sendable {
        /// From a folder, made there on first use; `nil` is the user's own (``AuthorityFolder``).
        case folder(String?)
        /// A new one that lives as long as the deck.
        case ephemeral
    }

    /// The defaults of settings that are options, too. The options take theirs from here.
    package enum Defaults {
        /// Loopback.
        package static let host = "127.0.0.1"
        /// The port of the proxy where it runs no command.
        package static let port = 4747
        /// See ``DeckConfiguration/sessionTTL``.
        package static let sessionTTL = "1h"
        /// In seconds.
        package static let connectTimeout = ProxyConfiguration.connectSeconds
        /// In seconds.
        /// 0 is no limit.
        package static let readTimeout = 0
        /// In seconds.
        package static let clientTimeout = ProxyConfiguration.clientSeconds
        /// In seconds.
        package static let grace = 5
        /// In bytes.
        package static let scanLimit = Redactor.defaultBodyLimit
    }

    package let mode: Mode
    /// Played together; what is recorded goes into the first.
    package let cassettes: [CassetteLocation]
    /// The folder of cassettes with a bare name.
    package let folder: String
    /// The word of the command line for what the deck does.
    let command: String
    /// True if sessions may contact origins, whatever the default one does.
    package let allowsDialling: Bool
    /// The address that both ports listen on: a name or an address. Loopback. On any other one there is always a token.
    package var host = Defaults.host
    /// 0 takes a free port.
    package var port = Defaults.port
    /// The port of the control API; 0 picks a free one, `nil` means no control API.
    package var controlPort: Int?
    /// The token of the deck. `nil` means none on loopback, and a generated one on other addresses.
    package var token: DeckToken?
    /// The file of ``token``, if any: for messages.
    package var tokenFile: String?
    /// True if every request must name a session.
    package var requiresSession = false
    /// After so long without a request a session ends, such as `1h`; at least 1s.
    package var sessionTTL = Defaults.sessionTTL
    /// The treatment of unmatched requests, as in ``UnmatchedOption``; `nil` is the mode's.
    package var unmatched: String?
    package var authority: Authority = .folder(nil)
    /// The origin of requests that name none, such as `https://api.example.com`: makes the proxy port a reverse
    /// listener too.
    package var reverse: String?
    /// True if redirects, links and cookies of such answers, and of those by a base URL, name the deck. On.
    package var rewritesAddresses = true
    /// Host names of the deck besides those of loopback, without a port.
    package var serverNames: [String] = []
    /// Origins such as `http://app.test:3000` whose web pages may use the deck's ports as a server, in addition to
    /// those of loopback.
    package var pageOrigins: [String] = []
    /// Further ports, for clients that believe they talk to the origin itself. None.
    package var transparent: [TransparentListening] = []
    /// The prefix of sessions' ids; see ``isDeckName(_:)``. None by default.
    package var deckName: String?
    /// In `record`: saves the recording as this variant of the response sets; `nil` records the defaults.
    package var recordingVariant: ScenarioName?
    /// The recording rules of the command line.
    package var record = RecordSettings()
    /// True if requests to this machine pass on to it that are neither recorded nor on tape. Yes; never in a deck that
    /// other machines can reach, or that asks public addresses only.
    package var passesLocal = true
    /// PEM files with certificate authorities to trust for origins, in addition to the system's.
    package var upstreamCAFiles: [String] = []
    /// Certificate authorities for origins, as PEM text.
    package var upstreamCAPEM: [String] = []
    /// The way to origins: proxies, client certificates, addresses, including `HTTPS_PROXY` and related variables.
    package var upstream = UpstreamSettings()
    /// The environment of the deck: proxies, pass phrases, and variables that redaction rules and secrets name.
    package var environment = ProcessEnvironment.variables
    /// Variables of ``environment`` that every cassette may name, also one that came with a session or was pushed. Cassettes
    /// that the start names may use those that they name then.
    package var secretVariables: [String] = []
    /// True if cassettes named at the start may use `TAPEDECK_…` too: for a deck that only its owner controls.
    var playsOwnVariables = false
    /// Hosts whose certificate is not verified.
    package var insecureHosts: [String] = []
    /// True if clients and origins may choose HTTP/2. On.
    package var speaksHTTP2 = true
    /// Hosts, as patterns, whose `http` origins speak HTTP/2 by prior knowledge. None by default.
    package var cleartextHTTP2: [String] = []
    /// The maximum time for connecting to an origin, including its TLS handshake, in seconds. 10.
    package var connectTimeout = Defaults.connectTimeout
    /// The maximum silence of an origin while an answer is due, in seconds; 0 is no limit, and the default.
    package var readTimeout = Defaults.readTimeout
    /// True to refuse malformed answers of origins that a client could read. Off.
    package var isStrictWithOrigins = false
    /// The maximum silence of a client in the middle of a request, in seconds. 60.
    package var clientTimeout = Defaults.clientTimeout
    /// The time that a stop waits for exchanges in flight, in seconds. 5.
    package var grace = Defaults.grace
    /// Variants to play, each `SET=VARIANT`.
    package var selections: [String] = []
    /// Profiles to apply, the last one on top, each `NAME` or `NAME=TARGET,TARGET` for the sets and origins named.
    package var profiles: [String] = []
    /// The session's initial state, over the cassettes', each `KEY=VALUE`.
    package var state: [String] = []
    /// The seed of all random choices; `nil` takes a new one at each start.
    package var seed: UInt64?
    /// The delay of answers in cassettes without their own, such as `200ms`; at most one hour.
    package var delay: String?
    /// The times at which recorded pieces of bodies are sent, as text of a ``StreamPace``: `instant`, `recorded`,
    /// `0.5x`. `nil` is as the cassettes say.
    package var streams: String?
    /// The project's pace for cassettes without their own.
    var projectStreams: StreamPace?
    /// In `replay`: whether a variant may ask the live server.
    package var allowsPassthrough = false
    /// How unmatched requests in `replay` may be answered. The program under test has the surroundings of this process.
    package var rules = ReplayRules(surroundings: .ofProcess)
    /// The settings for all cassettes of a project.
    package var project = ProjectFile.nearest
    /// Textual bodies up to this size are searched for secrets when they are recorded, in bytes without their content
    /// coding. 4 MiB.
    package var scanLimit = Defaults.scanLimit
    /// True if larger bodies are recorded without a search; otherwise they are not recorded.
    package var allowsUnscanned = false
    /// True if a recorded request body becomes a condition only where bodies of one method and URL differ.
    package var answersAnyBody = false
    /// True if a recording removes recorded response sets that it did not request.
    package var cleans = false
    /// True if a recording stays in its journal that holds words which look like secrets and which no rule knows.
    package var isStrict = false
    /// The maximum that the deck and its sessions may use.
    package var limits = UsageLimits()
    /// True if sessions may name cassettes by absolute path: for callers that share the deck's disk with full access,
    /// such as the process that the deck is in.
    package var takesPaths = false
    /// True if ``Deck/usage`` includes ended sessions.
    package var talliesUsage = false
    /// The file for the report of the run, if requested; see ``RunReport``.
    package var reportFile: String?
    /// True if cassettes that change while they are played are reloaded.
    package var watchesCassettes = true
    /// True if the control API is served on a separate thread: for a deck in a process whose tasks may block their
    /// threads in requests to it.
    package var controlHasOwnThread = false
    /// Event loops; by default one for every two processors.
    package var eventLoops = max(1, System.coreCount / 2)

    private init(_ mode: Mode, _ cassettes: [String], _ folder: String?, command: String? = nil) {
        self.mode = mode
        self.command = command ?? mode.rawValue
        self.allowsDialling = mode.dialsOut || command != nil
        self.cassettes = cassettes.map { CassetteFolder.location($0, folder: folder) }
        self.folder = CassetteFolder.path(folder)
    }

    /// Asks the origins and rewrites the recorded takes of a cassette.
    ///
    /// - Parameters:
    ///   - cassette: a name or a path, as in the other modes.
    ///   - folder: where names are looked up; see ``CassetteFolder``.
    package static func record(into cassette: String, folder: String? = nil) -> DeckConfiguration {
        DeckConfiguration(.record, [cassette], folder)
    }

    /// Plays the tape, and records all other requests into the first cassette.
    package static func append(to cassettes: [String], folder: String? = nil) -> DeckConfiguration {
        DeckConfiguration(.append, cassettes, folder)
    }

    /// Plays the tape and never connects.
    package static func replay(_ cassettes: [String], folder: String? = nil) -> DeckConfiguration {
        DeckConfiguration(.replay, cassettes, folder)
    }

    /// Serves sessions of any mode. Requests that name none play the cassettes given; with none given, every request
    /// must name a session.
    package static func serve(_ cassettes: [String], folder: String? = nil) -> DeckConfiguration {
        var configuration = DeckConfiguration(.replay, cassettes, folder, command: "serve")
        configuration.requiresSession = cassettes.isEmpty
        return configuration
    }

    /// Passes everything on; neither plays nor records.
    package static func passthrough(folder: String? = nil) -> DeckConfiguration {
        DeckConfiguration(.passthrough, [], folder)
    }

    /// True if the deck may connect to anything beyond this machine. A deck that plays does so for variants with
    /// passthrough, if allowed, and for hosts that are named to be passed through.
    package var mayDialOut: Bool {
        self.allowsDialling || self.allowsPassthrough || !self.record.passthrough.isEmpty
            || !self.record.except.isEmpty
    }

    /// Returns true if `text` is a valid origin for ``reverse``.
    package static func isOrigin(_ text: String) -> Bool {
        Origin(text) != nil
    }

    /// Returns true if `text` is a valid name for ``deckName``.
    package static func isDeckName(_ text: String) -> Bool {
        SessionDirectory.isDeckName(text)
    }

    /// Returns a cassette for playing: with the default delay, if it has none.
    func prepared(_ cassette: Cassette) -> Cassette {
        var cassette = cassette
        cassette.streams = cassette.streams ?? self.projectStreams
        // Checked when the deck starts.
        if let text = self.delay, let delay = try? Self.delay(text) { cassette.delay = cassette.delay ?? delay }
        return cassette
    }

    /// A delay as ``delay`` has it.
    static func delay(_ text: String) throws(DeckError) -> Pacing.Delay {
        guard let span = try? TimeSpan(text) else {
            // Its own words would offer days and weeks, too.
            let isNumber = !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
            let problem =
                isNumber
                ? "has no unit; write \(text)s or \(text)ms"
                : "is no delay; write a number and ms, s, m or h, such as 200ms or 1.5s, at most 1h"
            throw DeckError("cannot delay answers: `\(text)` \(problem)", kind: .badOption)
        }
        guard span.milliseconds <= 3_600_000 else {
            throw DeckError("cannot delay answers by \(text): write at most 1h", kind: .badOption)
        }
        return .fixed(Int(span.milliseconds))
    }
}
