/// A cassette built in Swift. No disk is touched, and ``yaml`` prints it.
///
/// ```swift
/// let github = Cassette(profiles: ["bad day": ["search": "rate limited"]]) {
///     ResponseSet("search", .get("https://api.github.com/search/{kind}")) {
///         Variant("found", .json(["total_count": 1]))
///         Variant("rate limited", .status(403, headers: ["retry-after": "60"]))
///     }
/// }
/// ```
public struct Cassette: Sendable, Equatable {
    /// A part of a request that can count.
    public enum Part: String, Sendable, CaseIterable {
        case method
        /// Origin, path and query.
        case url
        case origin
        case path
        case query
        /// For recording: requests whose header fields differ get response sets of their own.
        case headers
        case body
    }

    /// The parts of requests that are not compared.
    public struct Ignored: Sendable, Equatable {
        /// Query parameters.
        public var query: [String]
        /// Header fields, in any case.
        public var headers: [String]
        /// JSONPaths of places in JSON bodies.
        public var json: [String]

        public init(query: [String] = [], headers: [String] = [], json: [String] = []) {
            self.query = query
            self.headers = headers
            self.json = json
        }
    }

    /// The rule for moving dates by the age of their take.
    public struct Dates: Sendable, Equatable {
        let shape: Tapedeck.JSON

        /// `Date`, `Expires`, `Last-Modified` and the expiry of cookies move.
        public static let shifted = Dates(shape: "shift")

        /// Moves dates, also those in JSON bodies at these JSONPaths.
        public static func shifted(json paths: [String]) -> Dates {
            Dates(shape: ["shift": true, "json": Tapedeck.JSON(texts: paths)])
        }
    }

    /// The whole cassette as the text of its file. The same values give the same text.
    public let yaml: String

    /// A cassette as a text. It is parsed when a session plays it, which fails if it is invalid.
    public init(yaml: String) {
        self.yaml = yaml
    }

    /// - Parameters:
    ///   - about: a description of its purpose.
    ///   - match: the compared parts of a request; by default method, URL and body.
    ///   - ignore: the parts of a request that are ignored.
    ///   - dates: how dates move; by default they stay.
    ///   - delay: the delay of every answer without its own.
    ///   - state: the initial state of a session.
    ///   - profiles: named selections of variants: a profile's name, then the selection by the name of a response set,
    ///     by an origin such as `https://api.example.com`, or by `*` for all.
    ///   - responseSets: its answers.
    public init(
        about: String? = nil,
        match: [Part]? = nil,
        ignore: Ignored = Ignored(),
        dates: Dates? = nil,
        delay: Tapedeck.Answer.Delay? = nil,
        state: KeyValuePairs<String, String> = [:],
        profiles: KeyValuePairs<String, KeyValuePairs<String, String>> = [:],
        @CassetteBuilder<ResponseSet> responseSets: () throws -> [ResponseSet]
    ) rethrows {
        self.init(
            about: about,
            match: match,
            ignore: ignore,
            dates: dates,
            delay: delay,
            state: state,
            profiles: profiles,
            responseSets: try responseSets()
        )
    }

    /// Creates a cassette with the response sets of an array.
    public init(
        about: String? = nil,
        match: [Part]? = nil,
        ignore: Ignored = Ignored(),
        dates: Dates? = nil,
        delay: Tapedeck.Answer.Delay? = nil,
        state: KeyValuePairs<String, String> = [:],
        profiles: KeyValuePairs<String, KeyValuePairs<String, String>> = [:],
        responseSets: [ResponseSet]
    ) {
        let ignored = [("query", ignore.query), ("headers", ignore.headers), ("json", ignore.json)]
            .filter { !$0.1.isEmpty }.map { Tapedeck.JSON.Member($0.0, Tapedeck.JSON(texts: $0.1)) }
        let selections = profiles.map { profile in
            Tapedeck.JSON.Member(
                profile.key,
                Tapedeck.JSON(profile.value.map { Tapedeck.JSON.Member($0.key, Tapedeck.JSON($0.value)) })
            )
        }
        let shape = Tapedeck.JSON(shape: [
            ("tapedeck", 1), ("about", about.map { Tapedeck.JSON($0) }),
            ("match", match.map { Tapedeck.JSON(texts: $0.map(\.rawValue)) }),
            ("ignore", Tapedeck.JSON(unlessEmpty: ignored)),
            ("time", dates?.shape), ("delay", delay?.shape),
            ("state", Tapedeck.JSON(unlessEmpty: state.map { Tapedeck.JSON.Member($0.key, Tapedeck.JSON($0.value)) })),
            ("responseSets", Tapedeck.JSON(responseSets.map(\.shape))),
            ("profiles", Tapedeck.JSON(unlessEmpty: selections)),
        ])
        self.yaml = CassettePrinter.text(of: shape)
    }
}

extension Cassette: CustomStringConvertible {
    /// As ``yaml``.
    public var description: String { self.yaml }
}
