package import TapedeckProtobuf

/// A file of response sets.
package struct Cassette: Sendable, Equatable {
    /// The user's name for it.
    package var name: String
    /// The path of the file; `nil` for a cassette in memory.
    package var path: String?
    package var about: String?
    package var matching: MatchingRules
    /// The rules for its secrets, over the built-in ones.
    package var redaction: RedactionSettings
    /// The secrets of its placeholders.
    package var secrets: [SecretDescription] {
        didSet { if !self.secrets.isEmpty { self.declaresSecrets = true } }
    }
    /// True if the cassette has `secrets:`, which may be empty: its body files are searched for placeholders and escapes.
    package var declaresSecrets: Bool
    package var time: TimeRules
    /// The delay of answers without their own.
    package var delay: Pacing.Delay?
    /// The times at which recorded pieces of bodies are sent; `nil` sends them at once.
    package var streams: StreamPace?
    /// The initial state of a session.
    package var state: [StateEntry]
    /// The maximum age of its takes; `nil` means no limit.
    package var maxAge: MaxAge?
    /// The surroundings of the runs that recorded it, as far as requests contain them.
    package var surroundings = Surroundings()
    /// The descriptors of the messages of its gRPC calls.
    package var descriptors: [DescriptorFile] = []

    /// The descriptors of all files together; `nil` if there is no file. The reader has checked that they go together.
    package var descriptorSet: DescriptorSet? { try? self.descriptors.merged() }

    package var responseSets: [ResponseSet]
    package var profiles: [Profile]

    package init(
        name: String,
        path: String? = nil,
        about: String? = nil,
        matching: MatchingRules = MatchingRules(),
        redaction: RedactionSettings = RedactionSettings(),
        secrets: [SecretDescription] = [],
        time: TimeRules = TimeRules(),
        delay: Pacing.Delay? = nil,
        streams: StreamPace? = nil,
        state: [StateEntry] = [],
        maxAge: MaxAge? = nil,
        responseSets: [ResponseSet],
        profiles: [Profile] = []
    ) {
        self.name = name
        self.path = path
        self.about = about
        self.matching = matching
        self.redaction = redaction
        self.secrets = secrets
        self.declaresSecrets = !secrets.isEmpty
        self.time = time
        self.delay = delay
        self.streams = streams
        self.state = state
        self.maxAge = maxAge
        self.responseSets = responseSets
        self.profiles = profiles
    }
}

/// The parts of a request that are compared, for a whole cassette: for recordings into it, and for its exact sets when
/// it is played.
package struct MatchingRules: Sendable, Equatable {
    package enum Part: String, Sendable, CaseIterable {
        case method
        /// Origin, path and query.
        case url
        case origin
        case path
        case query
        case headers
        case body
    }

    /// `nil` is the usual: method, URL and body.
    package var parts: [Part]?
    /// Query parameters that do not count.
    package var ignoredQuery: [String]
    /// Header fields that do not count, without regard to case.
    package var ignoredHeaders: [String]
    /// Places in JSON bodies that do not count.
    package var ignoredJSON: [JSONPath]
    /// Fields of forms and parts of multipart bodies that do not count.
    package var ignoredFields: IgnoredFields
    /// Places in XML bodies that do not count.
    package var ignoredXML: [XMLPath]

    package init(
        parts: [Part]? = nil,
        ignoredQuery: [String] = [],
        ignoredHeaders: [String] = [],
        ignoredJSON: [JSONPath] = [],
        ignoredFields: IgnoredFields = IgnoredFields(),
        ignoredXML: [XMLPath] = []
    ) {
        self.parts = parts
        self.ignoredQuery = ignoredQuery
        self.ignoredHeaders = ignoredHeaders
        self.ignoredJSON = ignoredJSON
        self.ignoredFields = ignoredFields
        self.ignoredXML = ignoredXML
    }

    /// Returns the reason why these parts alone cannot be compared, and the place of the part that is wrong; `nil` if they can.
    package static func mistake(in parts: [Part]) -> (message: String, part: Int?)? {
        guard !parts.contains(.url), !parts.contains(.path) else { return nil }
        guard parts.contains(.origin) else {
            return ("`match` needs at least `path`, `origin` or `url`; otherwise every request would be answered", nil)
        }
        return parts.firstIndex(of: .query).map { ("`query` counts only together with `path`", $0) }
    }

    /// Returns true if `part` is compared; ``Part/url`` means origin, path and query.
    package func counts(_ part: Part) -> Bool {
        guard let parts = self.parts else { return part != .headers }
        switch part {
        case .origin, .path, .query: return parts.contains(part) || parts.contains(.url)
        default: return parts.contains(part)
        }
    }
}

/// The rules for dates on replay.
package struct TimeRules: Sendable, Equatable {
    /// True if Date, Expires, Last-Modified and the expiry of cookies move by the age of the take.
    package var shifts: Bool
    /// Dates in JSON bodies that move along.
    package var jsonDates: [JSONPath]

    package init(shifts: Bool = false, jsonDates: [JSONPath] = []) {
        self.shifts = shifts
        self.jsonDates = jsonDates
    }
}

/// A named selection of variants over several response sets.
package struct Profile: Sendable, Equatable {
    package struct Choice: Sendable, Equatable {
        package enum Target: Sendable, Hashable {
            /// Every set that has the variant.
            case all
            /// Every set for this origin that has the variant.
            case origin(Origin)
            case set(String)
        }

        package var target: Target
        package var variant: String

        package init(_ target: Target, _ variant: String) {
            self.target = target
            self.variant = variant
        }
    }

    package var name: String
    /// The choices. A set's own choice wins over that for its origin, and that over the one for all.
    package var choices: [Choice]

    package init(name: String, choices: [Choice]) {
        self.name = name
        self.choices = choices
    }
}
