import TapedeckCore
import TapedeckYAML

/// A response set as a cassette has it.
struct SetEntry: Sendable {
    var set: ResponseSet
    /// False if its request or a variant could not be read.
    var isWhole = true

    init(_ set: ResponseSet) {
        self.set = set
    }
}

extension CassetteGrammar {
    /// Keys that a response set has in the notation of the control API, in place of `variants`: those of a take and of a
    /// behaviour.
    static let stub: [String] = (take.keys.map(\.name) + variant.keys.map(\.name)).reduce(into: [String]()) {
        names,
        name in
        if !names.contains(name), !set.names.contains(name) { names.append(name) }
    }

    static let set: Mapping<SetEntry> = Mapping(
        "responseSet",
        "a response set",
        rules: [.all(["name", "request", "variants"])],
        alsoInJSON: stub
    ) {
        Key("name", .text, get: { $0.set.name }, set: { $1.set.name = $0 })
            .means("required, unique")
        Key(
            "priority",
            \.set.priority,
            .integer(
                -1_000_000...1_000_000,
                or: "`priority` is a whole number from -1000000 to 1000000; sets with a higher one are asked first"
            ),
            usually: 0
        )
        .means("higher is tried first; -1000000 to 1000000, default `0`")
        Key("request", .mapping("request"), late: true) { reader, entry, owner in
            if let request = reader.readMatcher(entry.value, .set) {
                owner.set.request = request
                reader.url = request.url
            } else {
                owner.isWhole = false
            }
        } write: { writer, owner in
            writer.key("request")
            writer.block { $0.write(MatcherEntry(owner.set.request), by: Self.request) }
        }
        .means("[required](#request-of-a-response-set)")
        Key("varies", \.set.varies, .varyingPlaces, usually: [])
            .means("[places of a recorded request](#varies) that differ from run to run")
        Key("requires", \.set.requires, .state, usually: [])
            .means("the [state](#state) that it needs")
        Key("sets", \.set.sets, .state, usually: [])
            .means("the [state](#state) that its answer sets")
        Key("selected", .text) { reader, entry, owner in
            owner.set.selected = reader.text(entry.value, "selected")
            if let selected = owner.set.selected { reader.references.add(selected, entry.value) }
        } write: { writer, owner in
            if let selected = owner.set.selected { writer.pair("selected") { $0.yaml.scalar(selected) } }
        }
        .means("the default variant, its own or a [built-in](#variants) one; else the first")
        Key("variants", .list(.mapping("variant"), atLeast: 1), late: true) { reader, entry, owner in
            if let variants = reader.readVariants(entry.value, of: owner.set.name) {
                owner.set.variants = variants
            } else {
                owner.isWhole = false
            }
        } write: { writer, owner in
            writer.key("variants")
            writer.items(owner.set.variants) { $0.write(BehaviourEntry($1), by: Self.variant) }
        }
        .means("[required](#variants)")
    }
}

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
        var entry = SetEntry(ResponseSet(name: "", request: RequestMatcher(), variants: []))
        self.references.begin()
        self.url = nil
        guard self.read(node, by: CassetteGrammar.set, into: &entry) else { return nil }
        let set = entry.set
        guard self.require("name", in: node, of: "a response set") != nil, !set.name.isEmpty,
            let requestNode = self.require("request", in: node, of: "the response set \"\(set.name)\""),
            self.require("variants", in: node, of: "the response set \"\(set.name)\"") != nil, entry.isWhole
        else { return nil }
        if !self.references.uses.isEmpty { self.checkReferences(of: set) }
        if self.notation == .json { self.checkHold(of: set, node["sets"]) }
        if !set.varies.isEmpty, let varies = node["varies"] { self.checkVarying(of: set, varies) }
        self.checkRecordedURLs(of: set, requestNode, rules)
        return set
    }

    private mutating func require(_ key: String, in node: YAMLNode, of what: String) -> YAMLNode? {
        let value = node[key]
        if value == nil { self.error(node, "\(what) needs `\(key)`") }
        return value
    }

    /// Returns `nil` unless all of them could be read.
    fileprivate mutating func readVariants(_ node: YAMLNode, of set: String) -> [Variant]? {
        guard self.expectSequence(node, "variants") else { return nil }
        if node.count == 0 { self.error(node, "\(Self.name(of: set)) has no variants, so it has no answer") }
        var variants: [Variant] = []
        variants.reserveCapacity(node.count)
        var names: Set<String> = []
        for item in node.items {
            self.references.current = variants.count
            guard let variant = self.readVariant(item) else { continue }
            // Most sets have one variant: no need to look for another of its name.
            if node.count > 1, !names.insert(variant.name).inserted {
                self.error(item, "the variant \"\(variant.name)\" comes twice in \(Self.name(of: set))")
            }
            variants.append(variant)
        }
        return variants.count == node.count && node.count > 0 ? variants : nil
    }

    private static func name(of set: String) -> String {
        set.isEmpty ? "a response set" : "the response set \"\(set)\""
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

extension CassetteWriter {
    /// Returns the lines of `varies:` of a set whose keys are in column `indent`.
    static func varies(_ set: ResponseSet, indent: Int) -> [UInt8] {
        var entry = SetEntry(set)
        return self.text(column: indent) { writer in
            for key in CassetteGrammar.set.keys where key.name == "varies" { key.write(&writer, &entry) }
        }
    }
}
