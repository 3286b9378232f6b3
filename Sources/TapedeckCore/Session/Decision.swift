/// The core's decision about a request.
package enum Decision: Sendable {
    case play(Play)
    /// Ask the origin, after a delay in milliseconds.
    case forward(record: Bool, delay: Int = 0)
    /// Say that nothing on tape answers; or, where the session's policy has one, give another answer.
    indirect case reject(UnmatchedReport, instead: Take? = nil)
    /// Do not answer until the request is released.
    case hold(Hold)
}

/// An answer from a tape.
package struct Play: Sendable {
    /// The tape that was in force when the request came; another may be by now.
    package let tape: Tape
    /// The number of the set that answers.
    package let entry: Int
    /// The number of the take that plays.
    package let take: Int
    /// The name of the selected variant; `nil` if it is the set's default.
    package let variant: String?
    /// `nil` where the take is sent as it is.
    package let staging: Staging?

    package init(tape: Tape, entry: Int, take: Int, variant: String? = nil, staging: Staging? = nil) {
        self.tape = tape
        self.entry = entry
        self.take = take
        self.variant = variant
        self.staging = staging
    }

    /// The number of this take among those of its variant, from 1.
    package var number: Int {
        self.tape.script.place(ofTake: self.take, in: self.tape.entries[self.entry].set, number: self.entry)
    }
}

/// The changes to a take on replay: everything the session had to decide, so that only the time of day is still needed.
package final class Staging: Sendable {
    /// In milliseconds, before the first byte.
    package let delay: Int
    /// The number of body bytes per second.
    package let bandwidth: Int?
    package let dribble: Pacing.Dribble?
    /// The factor for the recorded times of the body's pieces; `nil` sends them at once.
    package let streams: Double?
    /// `nil` for a take that is not a template.
    package let scene: TemplateScene?
    package let changes: [BodyChange]
    /// The rules by which dates move with the age of the take.
    package let time: TimeRules
    /// The seed of random values in this answer.
    package let seed: UInt64
    /// The answer that is derived from the take; `nil` for the take itself.
    package let excerpt: Excerpt?
    /// Replaces recorded values by those of the session's requests.
    package let bindings: ValueBindings
    /// The places of the request whose values differ from the recorded ones.
    package let variedPlaces: [String]

    init(
        delay: Int = 0,
        bandwidth: Int? = nil,
        dribble: Pacing.Dribble? = nil,
        streams: Double? = nil,
        scene: TemplateScene? = nil,
        changes: [BodyChange] = [],
        time: TimeRules = TimeRules(),
        seed: UInt64 = 0,
        excerpt: Excerpt? = nil,
        bindings: ValueBindings = ValueBindings(),
        variedPlaces: [String] = []
    ) {
        self.delay = delay
        self.bandwidth = bandwidth
        self.dribble = dribble
        self.streams = streams
        self.scene = scene
        self.changes = changes
        self.time = time
        self.seed = seed
        self.excerpt = excerpt
        self.bindings = bindings
        self.variedPlaces = variedPlaces
    }

    /// True if the answer differs from the take.
    package var changesContent: Bool {
        self.scene != nil || !self.changes.isEmpty || self.time.shifts || !self.bindings.isEmpty
    }
}

/// The values of request and session for a template.
package struct TemplateScene: Sendable {
    package var request: RequestLine
    /// The matches of the URL's captures, percent-decoded.
    package var captures: [String: String]
    package var query: [(name: String, value: String)]
    package var fields: [HeaderField]
    /// `nil` when the body is not known.
    package var body: [UInt8]?
    /// The first message of a call, as JSON.
    package var message: JSONValue?
    /// The number of this answer among those of its takes, from 1.
    package var take: Int
    package var state: [String: String]
}
