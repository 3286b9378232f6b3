package import TapedeckCore

/// The rules that apply to a recording, compiled: the built-in ones, without those that are off, and the user's own.
///
/// An object, since each pass over a text has them.
package final class RedactionRules: Sendable {
    /// The ids of the built-in rules, in the order in which they are documented.
    package static let builtInIDs = [
        "authorization", "cookies", "api-keys", "csrf", "oauth", "passwords", "aws", "gcp", "azure", "jwt",
        "private-keys",
        "url-credentials", "bearer", "tokens", "machine",
    ]

    /// The ids of the rules that are off unless `on:` names them.
    package static let optionalIDs = ["pii"]

    /// The ids that `off:` knows.
    package static let allIDs = RedactionRules.builtInIDs + RedactionRules.optionalIDs

    /// The built-in rules alone.
    package static let builtIn = RedactionRules(off: Set(RedactionRules.optionalIDs))

    /// The environment variables that a rule names and that are not set.
    package var missing: [String] { self.own.missing }

    /// A user's own rule, without its place.
    struct Own: Sendable {
        var id: String
        var name: String
        /// The beginning of every match of a pattern: `acct_` of `acct_[a-z0-9]{16}`.
        var start: [UInt8] = []
    }

    private let off: Set<String>
    private let hasAllBuiltIn: Bool
    private let fields: [FieldRules]
    let tokens: ServiceTokenTable
    private let own: OwnRules
    var ownHeaders: [String: Own] { self.own.headers }
    var ownQuery: [[UInt8]: Own] { self.own.query }
    var ownForm: [[UInt8]: Own] { self.own.form }
    var ownPaths: [(path: JSONPath, own: Own)] { self.own.paths }
    var ownPatterns: [(pattern: Pattern, own: Own)] { self.own.patterns }
    /// Values of environment variables.
    var literals: [(value: [UInt8], own: Own)] { self.own.literals }
    /// The values that tell which machine it is.
    let machine: [(kind: MachineIdentity, value: String)]
    /// Larger bodies of requests are compared by their digest, in bytes.
    let matchedBodyLimit: Int

    private init(
        off: Set<String>,
        own: OwnRules = OwnRules(),
        surroundings: Surroundings = Surroundings(),
        matchedBodyLimit: Int = .max
    ) {
        self.matchedBodyLimit = matchedBodyLimit
        self.off = off
        self.hasAllBuiltIn = off.isDisjoint(with: Self.builtInIDs)
        self.machine = off.contains("machine") ? [] : surroundings.telling
        self.fields = FieldRule.Place.allCases.map { FieldRules($0) { !off.contains($0) } }
        self.tokens = ServiceTokenTable { !off.contains($0) }
        self.own = own
    }

    /// - Parameters:
    ///   - settings: of the cassettes and of the project; all of them apply.
    ///   - environment: the deck's, for rules that name variables. A variable that is not set, or is shorter than four
    ///     characters, finds nothing; ``missing`` names it.
    ///   - surroundings: those of the program whose traffic is recorded.
    ///   - matchedBodyLimit: larger bodies of requests are compared by their digest, in bytes.
    /// - Throws: an error for an unknown id. Every rule has a valid placeholder name, or gets one.
    package convenience init(
        _ settings: [RedactionSettings],
        environment: [String: String],
        surroundings: Surroundings = Surroundings(),
        matchedBodyLimit: Int = .max
    ) throws(RedactionError) {
        let replaced = settings.flatMap(\.rules).compactMap(\.id)
        for id in settings.flatMap(\.off) + settings.flatMap(\.on) + replaced where !Self.allIDs.contains(id) {
            let nearest = Spelling.nearest(to: id, among: Self.allIDs)
            let remedy = nearest.map { "did you mean \($0)?" } ?? "there are \(Self.allIDs.joined(separator: ", "))"
            throw RedactionError("there is no redaction rule \(id); \(remedy)")
        }
        let unasked = Self.optionalIDs.filter { id in !settings.contains { $0.on.contains(id) } }
        var own = OwnRules()
        for rule in settings.flatMap(\.rules) { try own.add(rule, environment) }
        self.init(
            off: Set(settings.flatMap(\.off) + replaced + unasked),
            own: own,
            surroundings: surroundings,
            matchedBodyLimit: matchedBodyLimit
        )
    }

    /// True if there is no rule left, so that nothing is ever found.
    var isEmpty: Bool {
        self.off.isSuperset(of: Self.allIDs) && self.own.isEmpty
    }

    func isOn(_ id: String) -> Bool {
        // Each text asks often, and nearly always all built-in ones are on.
        self.hasAllBuiltIn && !Self.optionalIDs.contains(id) || !self.off.contains(id)
    }

    func field(_ name: UnsafeRawBufferPointer, _ place: FieldRule.Place) -> (rule: FieldRule, part: Range<Int>)? {
        self.fields[place.rawValue].rule(name)
    }
}

/// The user's own rules, by their places.
private struct OwnRules: Sendable {
    private(set) var headers: [String: RedactionRules.Own] = [:]
    private(set) var query: [[UInt8]: RedactionRules.Own] = [:]
    private(set) var form: [[UInt8]: RedactionRules.Own] = [:]
    private(set) var paths: [(path: JSONPath, own: RedactionRules.Own)] = []
    private(set) var patterns: [(pattern: Pattern, own: RedactionRules.Own)] = []
    private(set) var literals: [(value: [UInt8], own: RedactionRules.Own)] = []
    private(set) var missing: [String] = []

    var isEmpty: Bool {
        self.headers.isEmpty && self.query.isEmpty && self.form.isEmpty && self.paths.isEmpty && self.patterns.isEmpty
            && self.literals.isEmpty
    }

    mutating func add(_ rule: RedactionRule, _ environment: [String: String]) throws(RedactionError) {
        if let name = rule.name, !SecretPlaceholder.isName(name) {
            throw RedactionError("\(name) cannot name a secret; use up to 64 letters, digits, _ and -")
        }
        func own(_ kind: String, _ place: String, called name: String? = nil) -> RedactionRules.Own {
            let name = rule.name ?? FieldName.placeholder((name ?? place).utf8)
            return RedactionRules.Own(id: rule.id ?? "\(kind) \(place)", name: name)
        }
        switch rule.place {
        case .header(let name): self.headers[ASCII.lowercased(name)] = own("header", name)
        case .query(let name): self.query[ByteText.bytes(of: name)] = own("query", name)
        case .form(let name): self.form[ByteText.bytes(of: name)] = own("form", name)
        case .json(let path):
            let text = path.description
            let last = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }.last.map(String.init)
            self.paths.append((path, own("json", text, called: last ?? "secret")))
        case .pattern(let pattern):
            let name = pattern.captureNames.first ?? "secret"
            var found = own("pattern", pattern.source, called: name)
            found.start = Self.start(of: pattern.source)
            self.patterns.append((pattern, found))
        case .environment(let variable):
            guard let value = environment[variable], value.utf8.count >= 4 else {
                self.missing.append(variable)
                return
            }
            self.literals.append((ByteText.bytes(of: value), own("environment", variable)))
        }
    }

    /// The letters, digits, `_` and `-` that a regular expression begins with and that are not repeated.
    private static func start(of source: String) -> [UInt8] {
        let bytes = Array(source.utf8)
        guard !bytes.contains(0x7C) else { return [] }
        var start = Array(bytes.prefix { SecretPlaceholder.isNameByte($0) })
        if start.count < bytes.count, "?*+{".utf8.contains(bytes[start.count]) { start = start.dropLast() }
        return start
    }
}
