package import TapedeckCassettes
import TapedeckCore

extension RunReport {
    var json: JSONText {
        var members: [(String, JSONText)] = [
            ("tapedeckReport", .int(Self.formatVersion)), ("written", .string(self.written)),
            ("mode", .string(self.mode)),
        ]
        if let command = self.command { members.append(("command", .string(command))) }
        members.append(("exitCode", .int(self.exitCode)))
        if let incomplete = self.incomplete { members.append(("incomplete", .string(incomplete))) }
        members += [("played", .int(self.played)), ("unmatched", .int(self.unmatched))]
        if self.forwarded > 0 { members.append(("forwarded", .int(self.forwarded))) }
        if !self.varied.isEmpty { members.append(("varied", .array(self.varied.map(JSONText.string)))) }
        if !self.learned.isEmpty { members.append(("learned", .array(self.learned.map(JSONText.string)))) }
        let cassettes = self.cassettes.map { cassette in
            let sets = cassette.sets.map { set in
                JSONText.object([
                    ("name", .string(set.name)), ("request", .string(set.request)), ("asked", .int(set.asked)),
                    ("variants", .array(Self.variants(of: set))),
                ])
            }
            return JSONText.object([("path", .string(cassette.path)), ("sets", .array(sets))])
        }
        members.append(("cassettes", .array(cassettes)))
        return .object(members)
    }

    /// Reads the report of a run.
    ///
    /// - Throws: ``DeckError`` if the file is missing, or is not a report of a supported version.
    package init(file: String) throws(DeckError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: try FileContents.read(file))
        } catch let error as FileError {
            let remedy = "; a run writes one with: tapedeck replay CASSETTE --report \(file) -- COMMAND"
            throw DeckError("\(error)" + (error.isMissing ? remedy : ""), kind: .badOption)
        } catch {
            throw DeckError("\(file) is no report of a run: \(error)", kind: .badOption)
        }
        guard let version = value["tapedeckReport"].flatMap(Self.int) else {
            throw DeckError(
                "\(file) is no report of a run; `tapedeck replay --report FILE` writes one",
                kind: .badOption
            )
        }
        guard version <= Self.formatVersion else {
            throw DeckError("\(file) was written by a newer Tapedeck; use that one here, too", kind: .badOption)
        }
        guard let report = Self(value) else {
            throw DeckError("\(file) is a report that cannot be used: somebody has changed it", kind: .badOption)
        }
        self = report
    }

    private init?(_ value: JSONValue) {
        guard let mode = value["mode"]?.stringValue, let exitCode = value["exitCode"].flatMap(Self.int),
            let written = value["written"]?.stringValue, case .array(let cassettes)? = value["cassettes"]
        else { return nil }
        let usages = cassettes.compactMap(Self.usage)
        guard usages.count == cassettes.count else { return nil }
        self.init(
            mode: mode,
            command: value["command"]?.stringValue,
            exitCode: exitCode,
            incomplete: value["incomplete"]?.stringValue,
            written: written,
            usage: []
        )
        self.played = value["played"].flatMap(Self.int) ?? 0
        self.unmatched = value["unmatched"].flatMap(Self.int) ?? 0
        self.forwarded = value["forwarded"].flatMap(Self.int) ?? 0
        if case .array(let varied)? = value["varied"] { self.varied = varied.compactMap(\.stringValue) }
        if case .array(let learned)? = value["learned"] { self.learned = learned.compactMap(\.stringValue) }
        self.cassettes = usages.map { $0.usage }
        self.countsVariants = usages.allSatisfy { $0.countsVariants }
    }

    private static func variants(of set: CassetteUsage.SetUsage) -> [JSONText] {
        set.variants.sorted { $0.key < $1.key }.map { name, played in
            .object([("name", .string(name)), ("played", .int(played))])
        }
    }

    private static func usage(_ value: JSONValue) -> (usage: CassetteUsage, countsVariants: Bool)? {
        guard let path = value["path"]?.stringValue, case .array(let items)? = value["sets"] else { return nil }
        let sets = items.compactMap { item -> CassetteUsage.SetUsage? in
            guard let name = item["name"]?.stringValue, let request = item["request"]?.stringValue,
                let asked = item["asked"].flatMap(self.int), let variants = self.variants(item["variants"])
            else { return nil }
            return CassetteUsage.SetUsage(name: name, request: request, asked: asked, variants: variants)
        }
        guard sets.count == items.count else { return nil }
        return (CassetteUsage(path: path, sets: sets), items.allSatisfy { $0["variants"] != nil })
    }

    /// Reads the answers of variants; an older report has none.
    private static func variants(_ value: JSONValue?) -> [String: Int]? {
        guard let value else { return [:] }
        guard case .array(let items) = value else { return nil }
        var variants: [String: Int] = [:]
        for item in items {
            guard let name = item["name"]?.stringValue, let played = item["played"].flatMap(self.int)
            else { return nil }
            variants[name] = played
        }
        return variants
    }

    private static func int(_ value: JSONValue) -> Int? {
        guard case .number(let number) = value else { return nil }
        return Int(number.spelling)
    }
}
