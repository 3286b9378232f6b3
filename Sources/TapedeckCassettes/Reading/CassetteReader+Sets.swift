import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    /// Returns whether all of them could be read.
    mutating func readSets(_ node: YAMLNode, into cassette: inout Cassette) -> Bool {
        guard !node.isNull else { return true }
        guard self.expectSequence(node, "responseSets") else { return false }
        cassette.responseSets.reserveCapacity(node.count)
        var lines: [String: YAMLNode] = [:]
        lines.reserveCapacity(node.count)
        var duplicates = DuplicateSets()
        var isComplete = true
        for item in node.items {
            guard let set = self.readSet(item, rules: cassette.matching) else {
                isComplete = false
                continue
            }
            if let first = lines.updateValue(item, forKey: set.name) {
                self.error(
                    item["name"] ?? item,
                    "the response set \"\(set.name)\" is already defined in line \(first.position.line); "
                        + "give each set a name of its own"
                )
            }
            let earlier = duplicates.add(set)
            if let earlier, earlier != set.name {
                self.warn(item, "this set never answers: \"\(earlier)\" answers the same requests and comes first")
            }
            cassette.responseSets.append(set)
        }
        return isComplete
    }

    mutating func readSet(_ node: YAMLNode, rules: MatchingRules) -> ResponseSet? {
        guard self.expectMapping(node, "a response set") else { return nil }
        var nameNode: YAMLNode?
        var requestNode: YAMLNode?
        var variantsNode: YAMLNode?
        var set = ResponseSet(name: "", request: RequestMatcher(), variants: [])
        self.references.begin()
        // One pass over the pairs: a recording has a set for nearly every exchange, so keys are not looked up one by
        // one.
        for (key, value) in node.pairs {
            if key.scalarEquals("name") {
                nameNode = value
            } else if key.scalarEquals("request") {
                requestNode = value
            } else if key.scalarEquals("variants") {
                variantsNode = value
            } else {
                self.readRare(key, value, into: &set)
            }
        }
        guard let nameNode = self.require(nameNode, "name", in: node, of: "a response set"),
            let name = self.text(nameNode, "name"),
            let requestNode = self.require(requestNode, "request", in: node, of: "the response set \"\(name)\""),
            let variantsNode = self.require(variantsNode, "variants", in: node, of: "the response set \"\(name)\"")
        else { return nil }
        set.name = name
        let request = self.readMatcher(requestNode, .set)
        // Variants are always read, so that all errors are reported at once.
        guard let variants = self.readVariants(variantsNode, of: name, for: request?.url), let request else {
            return nil
        }
        set.request = request
        set.variants = variants
        if !self.references.uses.isEmpty { self.checkReferences(of: set) }
        if self.notation == .json { self.checkHold(of: set, node["sets"]) }
        self.checkRecordedURLs(of: set, requestNode, rules)
        return set
    }

    private mutating func require(_ value: YAMLNode?, _ key: String, in node: YAMLNode, of what: String) -> YAMLNode? {
        if value == nil { self.error(node, "\(what) needs `\(key)`") }
        return value
    }

    private mutating func readRare(_ key: YAMLNode, _ value: YAMLNode, into set: inout ResponseSet) {
        switch key.string {
        case "priority":
            if let priority = value.int, (-1_000_000...1_000_000).contains(priority) {
                set.priority = priority
            } else {
                self.error(
                    value,
                    "`priority` is a whole number from -1000000 to 1000000; sets with a higher one are asked first"
                )
            }
        case "requires": set.requires = self.state(value, "requires")
        case "sets": set.sets = self.state(value, "sets")
        case "selected":
            set.selected = self.text(value, "selected")
            if let selected = set.selected { self.references.add(selected, value) }
        default:
            let known = self.notation == .yaml ? CassetteKeys.set : CassetteKeys.setOfJSON
            self.unknown(key, known, of: "a response set")
        }
    }

    /// Returns `nil` unless all of them could be read.
    private mutating func readVariants(_ node: YAMLNode, of set: String, for url: URLMatcher?) -> [Variant]? {
        guard self.expectSequence(node, "variants") else { return nil }
        if node.count == 0 { self.error(node, "the response set \"\(set)\" has no variants, so it has no answer") }
        var variants: [Variant] = []
        variants.reserveCapacity(node.count)
        var names: Set<String> = []
        for item in node.items {
            self.references.current = variants.count
            guard let variant = self.readVariant(item, for: url) else { continue }
            // Most sets have one variant: no need to look for another of its name.
            if node.count > 1, !names.insert(variant.name).inserted {
                self.error(item, "the variant \"\(variant.name)\" comes twice in the response set \"\(set)\"")
            }
            variants.append(variant)
        }
        return variants.count == node.count && node.count > 0 ? variants : nil
    }

    // MARK: Names of variants

    private mutating func checkReferences(of set: ResponseSet) {
        let names = set.variants.map(\.name)
        for use in self.references.uses where !names.contains(use.name) {
            let allowsBuiltIns = use.variant != nil
            if allowsBuiltIns, BuiltInVariant(rawValue: use.name) != nil { continue }
            self.error(use.node, Self.missing(use.name, of: set.name, having: names, allowsBuiltIns: allowsBuiltIns))
        }
        if let (use, way) = self.references.cycle(among: names) {
            let names = way.map { "\"\($0)\"" }.joined(separator: ", then ")
            self.error(use.node, "this leads in a circle: \(names); let one of them answer by itself")
        }
    }

    static func missing(
        _ variant: String,
        of set: String,
        having names: [String],
        allowsBuiltIns: Bool
    ) -> String {
        let builtIns = allowsBuiltIns ? BuiltInVariant.allCases.map(\.rawValue) : []
        return "the response set \"\(set)\" has no variant \"\(variant)\""
            + Self.quotedHint(variant, among: names + builtIns) + " It has: \(names.joined(separator: ", "))"
            + (allowsBuiltIns ? "; and every set has: \(builtIns.joined(separator: ", "))" : "")
    }

    // MARK: Recorded URLs

    /// Warns about a pattern that does not match the URL that its takes were recorded from, because it is probably
    /// mistyped; once for each set.
    private mutating func checkRecordedURLs(of set: ResponseSet, _ request: YAMLNode, _ rules: MatchingRules) {
        let recorded = RecordedURLs(set.request.url, rules)
        guard let recorded, let place = request["urlPattern"] ?? request["urlTemplate"] else { return }
        var isNamed = false
        for take in set.variants.lazy.flatMap(\.behaviour.allTakes) {
            guard let text = take.request?.url, let url = AbsoluteURL(text) else {
                // Recorded while the set had an exact URL, which is still its name.
                if take.recorded != nil, take.request?.url == nil { isNamed = true }
                continue
            }
            if recorded.misses(url.percentEncoded, scratch: self.scratch) {
                self.warn(place, "this pattern can never match the URL its take was recorded from, \(text)")
                return
            }
        }
        if isNamed, let named = RecordedName(set.name),
            named.urls.allSatisfy({ recorded.misses(named: $0, scratch: self.scratch) })
        {
            self.warn(place, "this pattern can never match the URL that the set is named after, \(named.place)")
        }
    }
}
