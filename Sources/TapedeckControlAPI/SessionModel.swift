/// The settings of a new session: the body of `POST /v1/sessions`. Every member is optional.
package struct SessionRequest: Codable, Sendable, Equatable {
    /// The owner's name for it; the id begins with it.
    package var name: String?
    /// Names of cassettes, among ``files`` or in the deck's folder; where ``DeckModel/takesPaths``, also absolute paths.
    /// Without it, all cassettes among the files, and without those the cassettes that the deck was started with.
    package var cassettes: [String]?
    /// The parts of requests that count, in place of what the cassettes say: `method`, `url`, `origin`, `path`, `query`,
    /// `headers`, `body`.
    package var match: [String]?
    /// Files by their path, such as `login.yaml` and `login/photo.png`: cassettes that are this session's alone, found by
    /// the names in ``cassettes`` before those of the deck's folder.
    package var files: [String: SessionFile]?
    /// The paths of cassettes by their names, as they are called where the client runs: commands that are proposed name them so.
    package var paths: [String: String]?
    /// `replay` (the default), `record`, `append` or `passthrough`.
    package var mode: String?
    /// Variants by the name of their set.
    package var selections: [String: String]?
    /// Applied in this order, the last one on top.
    package var profiles: [ProfileChoice]?
    package var state: [String: String]?
    /// The seed of all random choices.
    package var seed: UInt64?
    /// The times at which recorded pieces of bodies are sent: `instant`, `recorded`, or a multiple such as `0.5x`.
    package var streams: String?
    /// The treatment of unmatched requests.
    package var unmatched: UnmatchedModel?
    /// A port of its own, where every request that names no other session belongs to it; 0 takes a free one.
    package var port: Int?
    /// With a port: the origin of requests that name none.
    package var reverse: String?
    /// In the mode `record`: the variant that the recording is saved as, and the profile that selects it.
    package var recordingVariant: String?
    /// True to apply the profile that has the session's name, if the cassettes have one, below those of ``profiles``.
    package var ownProfile: Bool?

    package init() {}
}

/// A profile, maybe for some sets and origins only. In JSON also the name alone.
package struct ProfileChoice: Codable, Sendable, Equatable {
    package var name: String
    /// The sets and origins it is limited to; missing means all.
    package var only: [String]?

    package init(_ name: String, only: [String]? = nil) {
        self.name = name
        self.only = only
    }

    private enum Key: String, CodingKey {
        case name, only
    }

    package init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            self.init(name)
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            only: try container.decodeIfPresent([String].self, forKey: .only)
        )
    }
}

/// The treatment of unmatched requests.
package struct UnmatchedModel: Codable, Sendable, Equatable {
    /// `fail`, `passthrough`, `record` or `respond`.
    package var policy: String
    /// For `respond`: the answer. 404 unless given.
    package var status: Int?
    /// For `respond`: a text.
    package var body: String?

    package init(policy: String, status: Int? = nil, body: String? = nil) {
        self.policy = policy
        self.status = status
        self.body = body
    }
}

/// A session: the answer to `POST /v1/sessions` and to `GET /v1/sessions/{id}`.
package struct SessionModel: Codable, Sendable, Equatable {
    package var id: String
    package var name: String
    /// The secret behind the id. Only in the answer to the request that made the session.
    package var token: String?
    package var mode: String
    package var cassettes: [String]
    package var selections: [String: String]
    /// In force, the last one on top.
    package var profiles: [ProfileChoice]
    package var state: [String: String]
    package var seed: UInt64
    /// The times at which recorded pieces of bodies are sent; missing if the cassettes decide.
    package var streams: String?
    package var unmatched: UnmatchedModel
    package var recording: RecordingModel?
    /// RFC 3339, with milliseconds, so that a deck restarted within a second differs.
    package var created: String
    package var idleSeconds: Int
    /// Requests so far.
    package var requests: Int
    package var played: Int
    package var forwarded: Int
    package var unmatchedRequests: Int
    /// Names of the response sets that were added to it.
    package var added: [String]
    /// The port of its own, if it has one.
    package var port: Int?
    /// True while every request goes to its origin, unplayed and unrecorded; ``mode`` is then `passthrough`.
    package var paused: Bool?
    /// Another, larger number each time that somebody steers the session.
    package var revision: Int

    package init(id: String, name: String, mode: String, seed: UInt64, created: String) {
        self.id = id
        self.name = name
        self.mode = mode
        self.seed = seed
        self.created = created
        self.cassettes = []
        self.selections = [:]
        self.profiles = []
        self.state = [:]
        self.unmatched = UnmatchedModel(policy: "fail")
        self.idleSeconds = 0
        self.requests = 0
        self.played = 0
        self.forwarded = 0
        self.unmatchedRequests = 0
        self.added = []
        self.revision = 0
    }
}

/// `GET /v1/sessions`.
package struct SessionList: Codable, Sendable, Equatable {
    package var sessions: [SessionModel]
    /// The total number of matching items.
    package var total: Int

    package init(sessions: [SessionModel], total: Int) {
        self.sessions = sessions
        self.total = total
    }
}

/// A recording: `PUT /v1/sessions/{id}/recording` takes the first three members.
package struct RecordingModel: Codable, Sendable, Equatable {
    /// The name of a cassette in the deck's folder.
    package var cassette: String
    /// `record` or `append`; `append` unless given, with a variant `record`.
    package var mode: String?
    /// The variant that the recording is saved as, and the profile that selects it; missing for one of the defaults.
    package var variant: String?
    /// Exchanges so far.
    package var exchanges: Int?
    /// The reason why it records no more, if any.
    package var failure: String?
    /// After saving: true if the file has changed.
    package var changed: Bool?
    /// The reasons why exchanges were left out, one line each.
    package var leftOut: [String]?
    /// Once it is saved: what was written, kept, replaced and removed, a line each.
    package var lines: [String]?
    /// Once it is saved: why it lacks answers, a line each; missing for a recording that has all.
    package var problems: [String]?
    /// True if there were only failures, so that the cassette keeps its answers.
    package var isAllFailed: Bool?

    package init(cassette: String, mode: String? = nil, variant: String? = nil, exchanges: Int? = nil) {
        self.cassette = cassette
        self.mode = mode
        self.variant = variant
        self.exchanges = exchanges
    }
}

/// A session's report: `GET /v1/sessions/{id}/report`, and the response to `DELETE /v1/sessions/{id}`.
package struct ReportModel: Codable, Sendable, Equatable {
    package struct Unmatched: Codable, Sendable, Equatable {
        package var request: String
        package var reason: String
        package var message: String

        package init(request: String, reason: String, message: String) {
            self.request = request
            self.reason = reason
            self.message = message
        }
    }

    package struct Trouble: Codable, Sendable, Equatable {
        package var request: String
        package var message: String

        package init(request: String, message: String) {
            self.request = request
            self.message = message
        }
    }

    package var id: String
    package var name: String
    package var mode: String
    /// The time of its end (RFC 3339), if it has ended.
    package var ended: String?
    /// True if it ended because no request came.
    package var wasIdle: Bool?
    /// Present where anything was random.
    package var seed: UInt64?
    package var played: Int
    package var forwarded: Int
    package var unmatchedRequests: Int
    /// At most 100.
    package var unmatched: [Unmatched]
    /// Forwarded requests that failed or were not recorded; at most 100.
    package var troubles: [Trouble]
    /// The requests that the deck's rules excluded from the recording, as lines; missing if there are none.
    package var notRecorded: [String]?
    /// Sets that no request reached.
    package var unusedSets: [String]
    /// Sets whose pattern took too long and was cut off.
    package var cutOffSets: [String]
    /// The number of times that clients got each fault.
    package var faults: [String: Int]
    package var connectionsOpened: Int
    /// The result of the recording, if it made one.
    package var saved: RecordingModel?
    package var saveFailure: String?

    package init(id: String, name: String, mode: String) {
        self.id = id
        self.name = name
        self.mode = mode
        self.played = 0
        self.forwarded = 0
        self.unmatchedRequests = 0
        self.unmatched = []
        self.troubles = []
        self.unusedSets = []
        self.cutOffSets = []
        self.faults = [:]
        self.connectionsOpened = 0
    }
}

// MARK: Steering

/// One item of `GET /v1/sessions/{id}/sets`.
package struct SetModel: Codable, Sendable, Equatable {
    package struct Variant: Codable, Sendable, Equatable {
        package var name: String
        /// A short text of the statuses and faults of its takes, and of its behaviour beyond playing them.
        package var summary: String
        package var isDefault: Bool
        /// True for a variant that every set has.
        package var isBuiltIn: Bool

        package init(name: String, summary: String, isDefault: Bool, isBuiltIn: Bool) {
            self.name = name
            self.summary = summary
            self.isDefault = isDefault
            self.isBuiltIn = isBuiltIn
        }
    }

    package var name: String
    package var cassette: String
    /// True if it was added to the session.
    package var isAdded: Bool
    /// Methods and URL.
    package var request: String
    /// Its other conditions, a few words each.
    package var conditions: [String]
    package var variants: [Variant]
    /// The variant that was selected for this set; missing if none was.
    package var selected: String?
    /// The variant that plays.
    package var playing: String
    /// The variants that wrap it, such as `slow`.
    package var wrappers: [String]
    /// The number of requests that matched it.
    package var asked: Int

    package init(name: String, cassette: String, request: String, playing: String) {
        self.name = name
        self.cassette = cassette
        self.request = request
        self.playing = playing
        self.isAdded = false
        self.conditions = []
        self.variants = []
        self.wrappers = []
        self.asked = 0
    }
}

/// `GET /v1/sessions/{id}/sets`.
package struct SetList: Codable, Sendable, Equatable {
    package var sets: [SetModel]
    package var total: Int

    package init(sets: [SetModel], total: Int) {
        self.sets = sets
        self.total = total
    }
}

/// `PUT /v1/sessions/{id}/selections/{set}`.
package struct SelectionModel: Codable, Sendable, Equatable {
    package var variant: String
    /// True to write it into the cassette's file too, as `selected:`, so that it outlives the session.
    package var keeps: Bool?

    package init(variant: String, keeps: Bool? = nil) {
        self.variant = variant
        self.keeps = keeps
    }
}

/// `GET /v1/sessions/{id}/selections`.
package struct SelectionsModel: Codable, Sendable, Equatable {
    package var selections: [String: String]

    package init(selections: [String: String]) {
        self.selections = selections
    }
}

/// One profile of `GET /v1/sessions/{id}/profiles`.
package struct ProfileModel: Codable, Sendable, Equatable {
    package var name: String
    package var isBuiltIn: Bool
    package var isApplied: Bool
    /// The sets and origins it is limited to.
    package var only: [String]?

    package init(name: String, isBuiltIn: Bool, isApplied: Bool, only: [String]? = nil) {
        self.name = name
        self.isBuiltIn = isBuiltIn
        self.isApplied = isApplied
        self.only = only
    }
}

/// `GET /v1/sessions/{id}/profiles`, in the order of the cassettes.
package struct ProfileList: Codable, Sendable, Equatable {
    package var profiles: [ProfileModel]

    package init(profiles: [ProfileModel]) {
        self.profiles = profiles
    }
}

/// The body of `PUT /v1/sessions/{id}/profiles/{name}`; may be left out.
package struct ProfileLimits: Codable, Sendable, Equatable {
    package var only: [String]?

    package init(only: [String]? = nil) {
        self.only = only
    }
}

/// `GET /v1/sessions/{id}/state`; also the body of `PATCH`, where `null` removes a key.
package struct StateModel: Codable, Sendable, Equatable {
    package var state: [String: String?]

    package init(state: [String: String?]) {
        self.state = state
    }
}
