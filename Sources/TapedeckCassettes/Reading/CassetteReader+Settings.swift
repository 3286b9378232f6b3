import TapedeckCore
import TapedeckYAML

/// The settings of a whole cassette.
extension CassetteReader {
    mutating func readMatch(_ node: YAMLNode) -> [MatchingRules.Part]? {
        guard let items = self.listItems(node, "match") else { return nil }
        let problems = self.diagnostics.count
        if items.isEmpty {
            self.error(node, "`match` is an empty list; leave it out for the usual: [method, url, body]")
        }
        var parts: [MatchingRules.Part] = []
        for item in items {
            guard let part = self.choice(item, "match", MatchingRules.Part.allCases) else { continue }
            if parts.contains(part) {
                self.error(item, "`match` already has \(part.rawValue)")
            } else if Self.partsOfURL.contains(part), parts.contains(.url) {
                self.error(item, "\(part.rawValue) is a part of url, which `match` already has")
            } else if part == .url, let known = parts.first(where: Self.partsOfURL.contains) {
                self.error(item, "url has \(known.rawValue) in it, which `match` already has: leave out one of them")
            }
            parts.append(part)
        }
        if self.diagnostics.count == problems { self.checkParts(parts, node, items) }
        return parts
    }

    private mutating func checkParts(_ parts: [MatchingRules.Part], _ node: YAMLNode, _ items: [YAMLNode]) {
        guard !parts.contains(.url), !parts.contains(.path) else { return }
        if !parts.contains(.origin) {
            self.error(
                node,
                "`match` needs at least `path`, `origin` or `url`; otherwise every request would be answered"
            )
        } else if let query = parts.firstIndex(of: .query) {
            self.error(items[query], "`query` counts only together with `path`")
        }
    }

    /// A delay that repeats how long answers took, in a cassette that nowhere says it.
    mutating func checkLatencies(of cassette: Cassette, _ delay: YAMLNode) {
        guard case .recorded = cassette.delay else { return }
        let takes = cassette.responseSets.lazy.flatMap(\.variants).flatMap(\.behaviour.allTakes)
            .filter { !$0.isFaultAlone }
        guard !takes.isEmpty, takes.allSatisfy({ $0.latency == nil }) else { return }
        self.warn(
            delay,
            "no take here says in `recorded` how long the answer took (\"…, answered in 120 ms\"), so there is no "
                + "delay to repeat"
        )
    }

    private static var partsOfURL: [MatchingRules.Part] { [.origin, .path, .query] }

    mutating func readIgnore(_ node: YAMLNode, into rules: inout MatchingRules) {
        guard !node.isNull, self.expectMapping(node, "`ignore`") else { return }
        for (key, value) in node.pairs {
            switch key.string {
            case "query": rules.ignoredQuery = self.texts(value, "query", allowsEmpty: true)
            case "headers": rules.ignoredHeaders = self.texts(value, "headers")
            case "json": rules.ignoredJSON = self.paths(value, "json")
            case "form": rules.ignoredFields.fields = self.texts(value, "form", allowsEmpty: true)
            case "parts": rules.ignoredFields.parts = self.texts(value, "parts", allowsEmpty: true)
            case "xml": rules.ignoredXML = self.xmlPaths(value, "xml")
            default: self.unknown(key, CassetteKeys.ignore, of: "`ignore`")
            }
        }
    }

    mutating func readSurroundings(_ node: YAMLNode) -> Surroundings {
        guard !node.isNull, self.expectMapping(node, "`values`") else { return Surroundings() }
        var values: [String: [String]] = [:]
        for (key, value) in node.pairs { values[key.string] = self.texts(value, key.string) }
        return Surroundings(values)
    }

    mutating func readTime(_ node: YAMLNode) -> TimeRules {
        if node.kind == .scalar, node.string == "shift" { return TimeRules(shifts: true) }
        guard node.kind == .mapping else {
            self.error(node, "`time` is `shift`, or has `shift: true` and `json` with paths of dates")
            return TimeRules()
        }
        var rules = TimeRules()
        var shifts: Bool?
        for (key, value) in node.pairs {
            switch key.string {
            case "shift": shifts = self.bool(value, "shift")
            case "json": rules.jsonDates = self.paths(value, "json")
            default: self.unknown(key, CassetteKeys.time, of: "`time`")
            }
        }
        rules.shifts = shifts ?? !rules.jsonDates.isEmpty
        return rules
    }

    mutating func readInitialState(_ node: YAMLNode) -> [StateEntry] {
        let entries = self.state(node, "state")
        for (key, value) in node.pairs where value.isNull {
            self.error(value, "`\(key.string)` has no value; leave the line out for a key that is not set at first")
        }
        return entries
    }
}
