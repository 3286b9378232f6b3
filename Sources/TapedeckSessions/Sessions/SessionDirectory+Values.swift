package import TapedeckCassettes
package import TapedeckCore
package import TapedeckProtobuf

extension SessionDirectory {
    package struct Configuration: Sendable {
        /// The cassettes of a session that names none.
        package var cassettes: [CassetteLocation] = []
        /// The seconds without a request after which a session ends; `nil`, the default, is never. The default session
        /// does not end.
        package var idleLimit: Int?
        /// Reports of ended sessions that are kept. 1,000.
        package var keptReports = 1_000
        /// The limits of sessions. Those that a meter counts apply only if ``SessionDirectory/default`` has no meter.
        package var limits = UsageLimits()
        /// True if sessions may contact origins.
        package var allowsDialling: Bool
        /// True if a variant may contact the live server in `replay`.
        package var allowsPassthrough = false
        /// How unmatched requests in `replay` may be answered.
        package var rules = ReplayRules()
        /// True if ``SessionDirectory/usage`` includes ended sessions.
        package var talliesUsage = false
        /// See ``ProxyConfiguration/recordedBodyMemory``.
        package var recordedBodyMemory = 256 << 10
        /// The times at which recorded pieces of bodies are sent, for sessions without this setting; `nil` is as the
        /// cassettes say.
        package var streams: StreamPace?
        /// The hosts that are not recorded.
        package var hosts = HostRules()
        /// True if recordings replace answers on tape by failures.
        package var failuresReplaceAnswers = false
        /// The rules for secrets.
        package var redaction = RedactionOptions()
        /// The descriptors of the project, for calls that a recorded cassette has none for.
        package var descriptors: DescriptorSet?
        /// See ``ProxyConfiguration/secrets``.
        package var secrets = DeckSecrets()
        /// The prefix of sessions' ids; see ``SessionDirectory/isDeckName(_:)``. None by default.
        package var deckName: String?
        /// Counts the recordings of all sessions.
        package var recordings = RecordingCounts()
        /// The recordings of all sessions, which add up.
        package var runs = RecordingRuns()

        package init(allowsDialling: Bool) {
            self.allowsDialling = allowsDialling
        }
    }

    /// The settings of a requested session.
    package struct Request: Sendable {
        /// The owner's name for it; `nil` names it by its id.
        package var name: String?
        package var mode: Mode
        /// Played together; in the modes `record` and `append` the first one is recorded into.
        package var cassettes: [CassetteLocation]
        /// The paths by which proposed commands name the cassettes, by the names of these.
        package var paths: [String: String] = [:]
        /// The parts of requests that count, in place of what the cassettes say; `nil` is as they say.
        package var match: [MatchingRules.Part]?
        package var policy: UnmatchedPolicy?
        package var selections: [(set: String, variant: String)] = []
        package var profiles: [(name: String, targets: [String])] = []
        package var state: [StateEntry] = []
        /// `nil` takes another one for each session.
        package var seed: UInt64?
        /// The times at which recorded pieces of bodies are sent; `nil` is as in the deck's configuration.
        package var streams: StreamPace?
        /// In the mode `record`: the variant that the recording is saved as; `nil` records the defaults.
        package var recordingVariant: ScenarioName?
        /// True to apply the profile that has the session's name, if the cassettes have one.
        package var ownProfile = false

        package init(mode: Mode, cassettes: [CassetteLocation]) {
            self.mode = mode
            self.cassettes = cassettes
        }
    }

    /// A session that is over.
    package struct Ended: Sendable {
        package var report: SessionReport
        package var time: Instant
        /// True if it ended because no request came for too long.
        package var wasIdle: Bool
        /// The cassette it was recording into when it ended, if it was.
        package var cassette: CassetteLocation?
        /// The result of its recording, if it made one.
        package var saved: CassetteStore.Saved?
        /// The reason why its recording could not be saved; its journal still has it then.
        package var saveFailure: String?
        /// The places that it has noted in its cassettes.
        package var learned = SavedLessons()
    }

    /// The result of looking up an id.
    package enum Found: Sendable {
        case live(Session)
        case ended(Ended)
        case unknown
    }
}
