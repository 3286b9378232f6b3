import TapedeckCassettes
import TapedeckCore

/// Makes cassettes with awkward texts in every field.
struct RandomCassette {
    private static let awkward = YAMLWriterTests.awkward
    private static let headerValues = Self.awkward.filter { text in
        !text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    }
    private static let names = [
        "Content-Type", "x", "no", "null", "1e3", "~", "!#$%&'*+-.^_`|~", "on", "'a'", "&a", "*",
    ]

    let folder: TemporaryFolder
    private var generator: SeededGenerator
    private var taken: Set<String> = []

    init(seed: UInt64) throws {
        self.generator = SeededGenerator(seed: seed)
        self.folder = try TemporaryFolder()
        for name in ["a", "b c", "#d"] { try self.folder.write("body", to: "it's/\(name)") }
    }

    mutating func make(path: String) -> Cassette {
        self.taken = []
        return Cassette(
            name: "test",
            path: path,
            about: self.maybe { $0.text() },
            responseSets: self.list(0...4) { $0.set() }
        )
    }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        Bool.random(using: &self.generator) ? make(&self) : nil
    }

    private mutating func list<Value>(_ range: ClosedRange<Int>, _ make: (inout Self) -> Value) -> [Value] {
        (0..<Int.random(in: range, using: &self.generator)).map { _ in make(&self) }
    }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self.generator)]
    }

    /// Not empty.
    private mutating func text() -> String {
        let text = self.list(1...2) { $0.one(of: Self.awkward) }.joined()
        return text.isEmpty ? "x" : text
    }

    private mutating func name() -> String {
        var name = self.text()
        while !self.taken.insert(name).inserted { name += "'" }
        return name
    }

    private mutating func set() -> ResponseSet {
        var target = "/"
        if Bool.random(using: &self.generator) { target += self.text().filter { $0 != "#" } }
        let origin = Origin(
            scheme: self.one(of: [.http, .https]),
            host: self.one(of: ["a.test", "::1"]),
            port: self.maybe { _ in 81 }
        )
        let matcher = RequestMatcher(
            method: self.maybe { $0.one(of: ["GET", "NO", "*", "1E3", "~"]) },
            url: AbsoluteURL(origin: origin, target: target),
            body: self.maybe { $0.condition() }
        )
        let outer = self.taken
        self.taken = []
        let variants = self.list(1...3) { random in
            Variant(name: random.name(), takes: random.list(1...3) { $0.take() })
        }
        self.taken = outer
        return ResponseSet(name: self.name(), request: matcher, variants: variants)
    }

    private mutating func condition() -> BodyMatcher {
        switch Int.random(in: 0...3, using: &self.generator) {
        case 0: .sha256(TestDigest.digest([UInt8.random(in: 0...255, using: &self.generator)]))
        case 1: .json(self.inline(.json, coding: nil))
        case 2: .bytes(InlineBody(form: .text, content: []))
        default: .bytes(self.inline(self.one(of: [.text, .base64]), coding: nil))
        }
    }

    private mutating func take() -> Take {
        var take = Take(recorded: self.maybe { $0.text() })
        take.detail = self.maybe { $0.text() }
        take.request = self.maybe { Take.Request(headers: $0.fields(1...2), body: $0.body()) }
        if Int.random(in: 0...3, using: &self.generator) == 0 {
            take.fault = self.one(of: Fault.allCases)
            if take.isFaultAlone { return take }
        }
        take.status = Int.random(in: 200...999, using: &self.generator)
        take.reason = self.maybe { $0.one(of: Self.awkward) }
        take.interim = self.list(0...2) { random in
            Take.Interim(status: Int.random(in: 102...199, using: &random.generator), headers: random.fields(0...2))
        }
        take.headers = self.fields(0...4)
        take.trailers = self.fields(0...1)
        take.endsAtClose = Bool.random(using: &self.generator)
        take.body = self.body()
        return take
    }

    private mutating func fields(_ range: ClosedRange<Int>) -> [HeaderField] {
        self.list(range) { HeaderField($0.one(of: Self.names), $0.one(of: Self.headerValues)) }
    }

    private mutating func body() -> StoredBody {
        let coding = self.maybe { $0.one(of: ContentCoding.allCases) }
        switch Int.random(in: 0...5, using: &self.generator) {
        case 0: return .none
        case 1:
            let name = "it's/\(self.one(of: ["a", "b c", "#d"]))"
            return .file(BodyFile(name: name, path: self.folder.path(name), size: 4, coding: coding))
        default: return .inline(self.inline(self.one(of: [.text, .json, .base64]), coding: coding))
        }
    }

    private mutating func inline(_ form: InlineBody.Form, coding: ContentCoding?) -> InlineBody {
        let layout = form == .json ? self.maybe { $0.one(of: JSONLayout.allCases) } : nil
        let content =
            form == .base64
            ? self.list(1...40) { UInt8.random(in: 0...255, using: &$0.generator) }
            : Array(self.list(1...self.one(of: [1, 1, 60])) { $0.text() }.joined(separator: "\n").utf8)
        return InlineBody(form: form, content: content, layout: layout, coding: coding)
    }
}
