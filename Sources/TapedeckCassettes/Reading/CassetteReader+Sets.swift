import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    /// Sets that were read together.
    private struct SetPart: Sendable {
        /// `nil` for one that could not be read.
        var sets: [ResponseSet?] = []
        /// The hash of each one's ``DuplicateSets/Key``, if it has one.
        var keys: [Int?] = []
        var diagnostics: [Diagnostic] = []
    }

    /// So many sets are read in a few milliseconds.
    private static var setsOfPart: Int { 256 }

    /// Returns whether all of them could be read.
    mutating func readSets(_ node: YAMLNode, into cassette: inout Cassette) -> Bool {
        guard !node.isNull else { return true }
        guard self.expectSequence(node, "responseSets") else { return false }
        cassette.responseSets.reserveCapacity(node.count)
        let nodes = Array(node.items)
        var first: [String: Int32] = [:]
        first.reserveCapacity(nodes.count)
        var duplicates = DuplicateSets()
        duplicates.reserveCapacity(nodes.count)
        var isComplete = true
        var number = 0
        for part in self.setParts(nodes, cassette.matching) {
            self.diagnostics += part.diagnostics
            for (set, key) in zip(part.sets, part.keys) {
                let item = nodes[number]
                defer { number += 1 }
                guard let set else {
                    isComplete = false
                    continue
                }
                if let first = first.updateValue(Int32(number), forKey: set.name) {
                    self.error(
                        item["name"] ?? item,
                        "the response set \"\(set.name)\" is already defined in line "
                            + "\(nodes[Int(first)].position.line); give each set a name of its own"
                    )
                }
                cassette.responseSets.append(set)
                let earlier = key.flatMap { duplicates.add($0, lastOf: cassette.responseSets) }
                if let earlier, earlier.name != set.name {
                    self.warn(
                        item,
                        "this set never answers: \"\(earlier.name)\" answers the same requests and comes first"
                    )
                }
            }
        }
        return isComplete
    }

    /// Reads the sets, those of a large cassette on several cores.
    private func setParts(_ nodes: [YAMLNode], _ rules: MatchingRules) -> [SetPart] {
        let (path, notation, files, descriptors) = (self.path, self.notation, self.files, self.descriptors)
        let (originals, needsBodyFiles) = (self.originals, self.needsBodyFiles)
        return ParallelParts.map(nodes.count, partsOf: Self.setsOfPart) { range in
            var reader = CassetteReader(path: path, notation: notation, files: files)
            reader.descriptors = descriptors
            reader.originals = originals
            reader.needsBodyFiles = needsBodyFiles
            var part = SetPart()
            part.sets.reserveCapacity(range.count)
            part.keys.reserveCapacity(range.count)
            let document = nodes[range].first.map { YAMLDocument(copyOf: $0.document) }
            for node in nodes[range] {
                let set = reader.readSet(document.map { YAMLNode(node, of: $0) } ?? node, rules: rules)
                part.sets.append(set)
                part.keys.append(set.flatMap { DuplicateSets.Key($0)?.hashValue })
            }
            part.diagnostics = reader.diagnostics
            return part
        }
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
        if !set.varies.isEmpty, let varies = node["varies"] { self.checkVarying(of: set, varies) }
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
        case "varies": set.varies = self.readVaryingPlaces(value)
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
            if BuiltInVariant(rawValue: use.name) != nil { continue }
            self.error(use.node, Self.missing(use.name, of: set.name, having: names, allowsBuiltIns: true))
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
