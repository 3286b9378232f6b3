import TapedeckCassettes
import TapedeckCore

/// Makes cassettes with awkward texts in every field, as far as a cassette file can say them.
struct RandomCassette {
    static let awkward = YAMLWriterTests.awkward
    private static let headerValues = Self.awkward.filter { text in
        !text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    }
    static let names = [
        "Content-Type", "x", "no", "null", "1e3", "~", "!#$%&'*+-.^_`|~", "on", "'a'", "&a", "*",
    ]

    let folder: TemporaryFolder
    var generator: SeededRandom
    private var taken: Set<String> = []

    init(seed: UInt64) throws {
        self.generator = SeededRandom(seed: seed)
        self.folder = try TemporaryFolder()
        for name in ["a", "b c", "#d"] { try self.folder.write("body", to: "it's/\(name)") }
    }

    mutating func make(path: String) -> Cassette {
        self.taken = []
        let sets = self.list(0...4) { $0.set() }
        return Cassette(
            name: "test",
            path: path,
            about: self.maybe { $0.text() },
            matching: MatchingRules(
                parts: self.maybe { $0.one(of: [[.origin], [.url, .body], [.query, .origin, .headers, .path]]) },
                ignoredQuery: self.list(0...2) { $0.one(of: Self.awkward) },
                ignoredHeaders: self.list(0...2) { $0.text() },
                ignoredJSON: self.list(0...2) { $0.path() }
            ),
            time: TimeRules(shifts: Bool.random(using: &self.generator), jsonDates: self.list(0...2) { $0.path() }),
            delay: self.maybe { $0.delay() },
            streams: self.maybe { $0.one(of: [StreamPace.instant, .recorded(factor: 1), .recorded(factor: 0.25)]) },
            state: self.state().filter { $0.value != nil },
            maxAge: self.maybe {
                MaxAge(TimeSpan(milliseconds: $0.one(of: [1, 86_400_000])), then: $0.one(of: [.warn, .fail]))
            },
            responseSets: sets,
            profiles: self.distinct(0...2) { $0.text() }.map { self.profile($0, sets) }
        )
    }

    mutating func varies() -> [VaryingPlace] {
        self.distinct(0...2) { $0.text() }.map { place in
            VaryingPlace("$.\(place)", self.list(1...3) { $0.piece() })
        }
    }

    private mutating func piece() -> VaryingPiece {
        // A text that is a shape, or has one, cannot stand beside another.
        func literal(_ text: String) -> String { VaryingPiece(text) == nil && !text.contains("<") ? text : "" }
        let shape = self.one(of: VaryingPiece.Shape.allCases)
        return VaryingPiece(
            shape,
            before: literal(self.one(of: Self.awkward)),
            after: literal(self.one(of: Self.awkward))
        )
    }

    // MARK: Choosing

    mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        Bool.random(using: &self.generator) ? make(&self) : nil
    }

    mutating func list<Value>(_ range: ClosedRange<Int>, _ make: (inout Self) -> Value) -> [Value] {
        (0..<Int.random(in: range, using: &self.generator)).map { _ in make(&self) }
    }

    mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self.generator)]
    }

    /// Texts that are all different, byte by byte.
    mutating func distinct(_ range: ClosedRange<Int>, _ make: (inout Self) -> String) -> [String] {
        var seen: Set<[UInt8]> = []
        return self.list(range, make).filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// Not empty.
    mutating func text() -> String {
        let text = self.list(1...2) { $0.one(of: Self.awkward) }.joined()
        return text.isEmpty ? "x" : text
    }

    private mutating func name() -> String {
        var name = self.text()
        while !self.taken.insert(name).inserted { name += "'" }
        return name
    }

    mutating func state() -> [StateEntry] {
        self.distinct(0...2) { $0.one(of: Self.awkward) }
            .map { key in StateEntry(key, self.maybe { $0.one(of: Self.awkward) }) }
    }

    mutating func path() -> JSONPath {
        let paths = ["$", "$.a", "$['it\\'s']", "$..id", "$.items[*].name", "$[?@.x == 1]", "$['a: b', 'c']"]
        return (try? JSONPath(self.one(of: paths))) ?? self.path()
    }

    // MARK: Sets

    private mutating func profile(_ name: String, _ sets: [ResponseSet]) -> Profile {
        var targets: [(Profile.Choice.Target, [String])] = [(.all, [])]
        targets.append((.origin(Origin(scheme: .https, host: "a.test", port: 81)), []))
        targets += sets.map { (.set($0.name), $0.variants.map(\.name)) }
        let choices = targets.compactMap { target, variants in
            self.maybe { Profile.Choice(target, $0.one(of: variants + BuiltInVariant.allCases.map(\.rawValue))) }
        }
        return Profile(name: name, choices: choices)
    }

    private mutating func set() -> ResponseSet {
        let outer = self.taken
        self.taken = []
        let names = self.list(1...3) { $0.name() }
        self.taken = outer
        let variants = names.indices.map { number in
            // Names of later ones only, so that nothing leads in a circle.
            let behaviour = self.behaviour(naming: Array(names[(number + 1)...]), depth: 0)
            return Variant(name: names[number], behaviour: behaviour)
        }
        var set = ResponseSet(
            name: self.name(),
            request: self.matcher(),
            priority: self.one(of: [0, 0, 1, -7]),
            requires: self.state(),
            sets: self.state(),
            selected: self.maybe { $0.one(of: names) },
            variants: variants
        )
        set.varies = self.varies()
        return set
    }

    // MARK: Takes

    /// Details that the fault can have.
    mutating func options(of fault: Fault) -> FaultOptions {
        let codes = [HTTP2ErrorCode.cancel, .http11Required, HTTP2ErrorCode(rawValue: 99)]
        var options = FaultOptions()
        if fault.options.contains(.code) { options.code = self.maybe { $0.one(of: codes) } }
        if fault.options.contains(.after) {
            options.after = self.maybe { $0.one(of: [.bytes(0), .bytes(7), .messages(2)]) }
        }
        if fault.options.contains(.lastStream) { options.lastStream = self.maybe { $0.one(of: [0, 5]) } }
        return options
    }

    mutating func take() -> Take {
        var take = Take(recorded: self.maybe { $0.text() })
        take.detail = self.maybe { $0.text() }
        take.request = self.maybe { random in
            Take.Request(
                url: random.maybe { $0.one(of: ["https://a.test/x?y=1", "http://b.test"]) },
                headers: random.fields(1...2),
                body: random.body()
            )
        }
        if Int.random(in: 0...3, using: &self.generator) == 0 {
            let fault = self.one(of: Fault.allCases)
            (take.fault, take.faultOptions) = (fault, self.options(of: fault))
            if take.isFaultAlone {
                take.urlError = self.maybe { $0.one(of: URLErrorCode.allCases) }
                return take
            }
        }
        take.status = Int.random(in: 200...999, using: &self.generator)
        take.reason = self.maybe { $0.one(of: Self.awkward) }
        take.interim = self.list(0...2) { random in
            Take.Interim(status: Int.random(in: 102...199, using: &random.generator), headers: random.fields(0...2))
        }
        take.headers = self.fields(0...4)
        take.trailers = self.fields(0...1)
        take.endsAtClose = Bool.random(using: &self.generator)
        if Int.random(in: 0..<4, using: &self.generator) == 0 {
            take.times = Int.random(in: 2...400, using: &self.generator)
        }
        take.pieces = self.maybe { $0.pieces() }
        take.body = self.body()
        return take
    }

    private mutating func pieces() -> BodyPieces {
        let cut = self.one(of: [BodyPieces.Cut.events, .sizes([]), .sizes([3]), .sizes([1, 2, Int.max])])
        return BodyPieces(cut, pace: self.maybe { $0.one(of: [0, 1, 200, 3_600_000]) })
    }

    private mutating func fields(_ range: ClosedRange<Int>) -> [HeaderField] {
        self.list(range) { HeaderField($0.one(of: Self.names), $0.one(of: Self.headerValues)) }
    }

    private mutating func body() -> StoredBody {
        let coding = self.maybe { $0.coding() }
        switch Int.random(in: 0...5, using: &self.generator) {
        case 0: return .none
        case 1:
            let name = "it's/\(self.one(of: ["a", "b c", "#d"]))"
            return .file(BodyFile(name: name, path: self.folder.path(name), size: 4, coding: coding))
        default: return .inline(self.inline(self.one(of: [.text, .json, .base64]), coding: coding))
        }
    }

    private mutating func coding() -> BodyCoding {
        var gzip = DeflateParameters()
        gzip.level = self.one(of: [1, 6, 9])
        gzip.memory = self.one(of: [8, 9])
        gzip.window = self.one(of: [9, 15])
        gzip.strategy = self.one(of: DeflateParameters.Strategy.allCases)
        gzip.flushes = self.one(of: [[], [0], [1, 20]])
        var header = GzipHeader()
        header.time = self.one(of: [0, 1_700_000_000, .max])
        header.extraFlags = self.one(of: [nil, 0, 255])
        header.system = self.one(of: [3, 255])
        header.name = self.one(of: [nil, [], Array("a: b, {c}".utf8), [0xE9, 0x0A]])
        header.comment = self.one(of: [nil, Array("# no".utf8)])
        header.extra = self.one(of: [nil, [], [0, 1, 2]])
        var br = BrotliParameters()
        br.quality = self.one(of: [0, 5, 11])
        br.window = self.one(of: [10, 22])
        var zstd = ZstdParameters()
        zstd.level = self.one(of: [-5, 3, 22])
        zstd.hasChecksum = self.one(of: [true, false])
        zstd.saysSize = self.one(of: [true, false])
        let recipes: [CodingRecipe] = [
            .gzip(gzip, header), .deflate(gzip, isBare: self.one(of: [true, false])), .br(br), .zstd(zstd),
        ]
        let layers = self.list(1...3) { random in
            random.one(of: [random.one(of: recipes), CodingRecipe(random.one(of: ContentCoding.allCases))])
        }
        return BodyCoding(layers: layers, isForAll: self.one(of: [true, false]))
    }

    mutating func inline(_ form: InlineBody.Form, coding: BodyCoding?) -> InlineBody {
        let layout = form == .json ? self.maybe { $0.one(of: JSONLayout.allCases) } : nil
        let content =
            form == .base64
            ? self.list(1...40) { UInt8.random(in: 0...255, using: &$0.generator) }
            : Array(self.list(1...self.one(of: [1, 1, 60])) { $0.text() }.joined(separator: "\n").utf8)
        return InlineBody(form: form, content: content, layout: layout, coding: coding)
    }
}
