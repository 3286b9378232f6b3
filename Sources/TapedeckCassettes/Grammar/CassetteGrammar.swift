import TapedeckCore
import TapedeckYAML

/// The cassette format: a table for each mapping. What is read, written and documented follows from these tables.
enum CassetteGrammar {
    static let formatVersion = 1

    /// The file.
    static let cassette = Mapping<Cassette>("cassette", "a cassette", rules: [.all(["tapedeck"])]) {
        Key(
            "tapedeck",
            .integer(1...Self.formatVersion),
            write: { writer, _ in writer.pair("tapedeck") { $0.yaml.int(Self.formatVersion) } }
        )
        .means("format version, `1`; required")
        Key("about", \.about, .text)
            .means("text")
        Key("match", \.matching.parts, .parts)
            .means("[list](#match); default `[method, url, body]`")
        Key("ignore", .either([.mapping("ignore"), .null])) { reader, entry, cassette in
            guard !entry.value.isNull else { return }
            _ = reader.read(entry.value, by: Self.ignored, into: &cassette.matching)
        } write: { writer, cassette in
            guard !cassette.matching.ignoresNothing else { return }
            writer.key("ignore")
            writer.block { $0.write(cassette.matching, by: Self.ignored) }
        }
        .means("[mapping](#ignore)")
        Key("redact", \.redaction, .redaction, usually: RedactionSettings())
            .means("[mapping](#redact-and-secrets) or `off`; default: built-in rules")
        Key("secrets", .either([.map(.either([.mapping("secret"), .null])), .null])) { reader, entry, cassette in
            cassette.secrets = reader.readSecrets(entry.value)
            cassette.declaresSecrets = true
        } write: { writer, cassette in
            guard cassette.declaresSecrets else { return }
            writer.key("secrets")
            writer.write(cassette.secrets)
        }
        .means("[mapping](#redact-and-secrets) of the secrets that were found")
        Key("time", \.time, .time, usually: TimeRules())
            .means("[`shift` or mapping](#dates); default: dates stay")
        Key("delay", \.delay, .delay)
            .means("[delay](#pacing)")
        Key("streams", \.streams, .streams)
            .means("[`instant`, `recorded`, `0.5x`](cassette-format.md#streams); default `instant`")
        Key("state", \.state, .initialState, usually: [])
            .means("the initial [state](#state)")
        Key("maxAge", \.maxAge, .maxAge)
            .means("[time span or mapping](#age)")
        Key("descriptors", \.descriptors, .descriptors, usually: [])
            .means("file or list of files with [gRPC descriptors](grpc.md#descriptors)")
        Key("values", \.surroundings, .surroundings, usually: Surroundings())
            .means(
                "mapping, the [surroundings](what-varies.md#the-limits) that recorded requests contain: a text or a list each"
            )
        Key("responseSets", .either([.list(.mapping("responseSet")), .null]), late: true) { reader, entry, cassette in
            reader.hasAllSets = reader.readSets(entry.value, into: &cassette)
        } write: { writer, cassette in
            writer.key("responseSets")
            if cassette.responseSets.isEmpty {
                writer.inline { $0.yaml.raw("[]") }
            } else {
                writer.items(cassette.responseSets) { $0.write(SetEntry($1), by: Self.set) }
            }
        }
        .means("[list](#a-response-set)")
        Key("profiles", .either([.map(.map(.text)), .null]), late: true) { reader, entry, cassette in
            cassette.profiles = reader.readProfiles(entry.value, of: cassette, checksNames: reader.hasAllSets)
        } write: { writer, cassette in
            if !cassette.profiles.isEmpty { writer.write(cassette.profiles) }
        }
        .means("[mapping](#profiles)")
    }

    /// `match`.
    fileprivate static func readMatch(_ reader: inout CassetteReader, _ node: YAMLNode) -> [MatchingRules.Part]? {
        guard let items = reader.listItems(node, "match") else { return nil }
        let problems = reader.diagnostics.count
        if items.isEmpty {
            reader.error(node, "`match` is an empty list; leave it out for the usual: [method, url, body]")
        }
        let ofURL: [MatchingRules.Part] = [.origin, .path, .query]
        var parts: [MatchingRules.Part] = []
        for item in items {
            guard let part = reader.choice(item, "match", MatchingRules.Part.allCases) else { continue }
            if parts.contains(part) {
                reader.error(item, "`match` already has \(part.rawValue)")
            } else if ofURL.contains(part), parts.contains(.url) {
                reader.error(item, "\(part.rawValue) is a part of url, which `match` already has")
            } else if part == .url, let known = parts.first(where: ofURL.contains) {
                reader.error(item, "url has \(known.rawValue) in it, which `match` already has: leave out one of them")
            }
            parts.append(part)
        }
        guard reader.diagnostics.count == problems, let mistake = MatchingRules.mistake(in: parts) else { return parts }
        reader.error(mistake.part.map { items[$0] } ?? node, mistake.message)
        return parts
    }

    /// `ignore`.
    static let ignored = Mapping<MatchingRules>("ignore", "`ignore`") {
        Key("query", \.ignoredQuery, .texts(allowsEmpty: true), usually: [])
            .means(names)
        Key("headers", \.ignoredHeaders, .texts(), usually: [])
            .means(names)
        Key("json", \.ignoredJSON, .jsonPaths, usually: [])
            .means("JSON paths, left out of `json` conditions (not `jsonSubset`) on both sides")
        Key("form", \.ignoredFields.fields, .texts(allowsEmpty: true), usually: [])
            .means("fields of recorded forms")
        Key("parts", \.ignoredFields.parts, .texts(allowsEmpty: true), usually: [])
            .means("names of parts of recorded multipart bodies")
        Key("xml", \.ignoredXML, .xmlPaths, usually: [])
            .means(
                "paths such as `/Order/Items/*/@id` or `//Nonce` (at any depth), with names without prefixes, left out of `xml` "
                    + "conditions"
            )
    }

    private static let names = "names of parameters and fields, whose conditions are skipped"

    static let time = Mapping<(rules: TimeRules, shifts: Bool?)>("time", "`time`") {
        Key("shift", \.shifts, .bool)
            .means("`true`: `Date`, `Expires`, `Last-Modified` and the `Expires` of cookies move")
        Key("json", \.rules.jsonDates, .jsonPaths, usually: [])
            .means("paths of dates in JSON that move, too")
    }
}

extension Codec where Value == [MatchingRules.Part] {
    static var parts: Self {
        Codec(
            .oneOrList(.words(MatchingRules.Part.allCases.map(\.rawValue))),
            read: { reader, node, _ in CassetteGrammar.readMatch(&reader, node) },
            inline: { $0.flowList($1.map(\.rawValue)) }
        )
    }
}

extension Codec where Value == TimeRules {
    static var time: Self {
        Codec(
            .either([.words(["shift"]), .mapping("time")]),
            read: { reader, node, _ in
                if node.kind == .scalar, node.string == "shift" { return TimeRules(shifts: true) }
                guard node.kind == .mapping else {
                    reader.error(node, "`time` is `shift`, or has `shift: true` and `json` with paths of dates")
                    return nil
                }
                var read: (rules: TimeRules, shifts: Bool?) = (TimeRules(), nil)
                _ = reader.read(node, by: CassetteGrammar.time, into: &read)
                read.rules.shifts = read.shifts ?? !read.rules.jsonDates.isEmpty
                return read.rules
            },
            write: { writer, rules in
                guard !rules.jsonDates.isEmpty else {
                    writer.inline { $0.yaml.raw("shift") }
                    return
                }
                writer.block { $0.write((rules, rules.shifts), by: CassetteGrammar.time) }
            }
        )
    }
}

extension Codec where Value == StreamPace {
    static var streams: Self {
        Codec(
            .matching(#"^(instant|recorded|[0-9.]+x)$"#),
            read: { reader, node, name in
                guard node.kind == .scalar else {
                    reader.error(node, "`streams` is instant, recorded or a multiple of it such as 0.5x")
                    return nil
                }
                return reader.made(node, name, from: node.string) { try StreamPace($0) }
            },
            text: \.description
        )
    }
}

extension Codec where Value == MaxAge {
    static var maxAge: Self {
        Codec(
            .either([.time, .pairs([("after", .time), ("then?", .words(["warn", "fail"]))])]),
            read: { reader, node, _ in reader.readMaxAge(node) },
            inline: { writer, maxAge in
                guard maxAge.consequence != .warn else {
                    writer.yaml.raw(maxAge.span.description)
                    return
                }
                writer.flowMapping { writer in
                    writer.pair("after") { $0.yaml.raw(maxAge.span.description) }
                    writer.pair("then") { $0.yaml.scalar(maxAge.consequence.rawValue) }
                }
            }
        )
    }
}

extension Codec where Value == Surroundings {
    static var surroundings: Self {
        Codec(
            .either([.map(.oneOrList(.text)), .null]),
            read: { reader, node, _ in
                guard !node.isNull, reader.expectMapping(node, "`values`") else { return nil }
                var values: [String: [String]] = [:]
                for (key, value) in node.pairs { values[key.string] = reader.texts(value, key.string) }
                return Surroundings(values)
            },
            write: { writer, surroundings in
                writer.block { writer in
                    for (name, values) in surroundings.values.sorted(by: { $0.key < $1.key }) {
                        writer.key(name)
                        writer.inline { $0.oneOrList(values) }
                    }
                }
            }
        )
    }
}

// MARK: State

extension Codec where Value == [StateEntry] {
    /// Keys and values on one line.
    static var state: Self {
        Codec(
            .either([.map(.either([.text, .null])), .null]),
            read: { $0.state($1, $2) },
            inline: { writer, entries in writer.flowMapping { $0.write(entries) } }
        )
    }

    /// The values of keys at first, one on each line.
    static var initialState: Self {
        Codec(
            .either([.map(.text), .null]),
            read: { reader, node, name in
                for (key, value) in node.pairs where value.isNull {
                    reader.error(
                        value,
                        "`\(key.string)` has no value; leave the line out for a key that is not set at first"
                    )
                }
                return reader.state(node, name)
            },
            write: { writer, entries in writer.block { $0.write(entries) } }
        )
    }
}

extension CassetteWriter {
    fileprivate mutating func write(_ entries: [StateEntry]) {
        for entry in entries {
            self.key(entry.key)
            self.inline { writer in
                if let value = entry.value { writer.yaml.scalar(value) } else { writer.yaml.raw("null") }
            }
        }
    }
}

extension CassetteReader {
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

    /// Reads the maximum age of takes: `30d`, or `{ after: 30d, then: fail }`.
    fileprivate mutating func readMaxAge(_ node: YAMLNode) -> MaxAge? {
        guard node.kind == .mapping else { return self.span(node, "maxAge").map { MaxAge($0) } }
        self.checkKeys(node, ["after", "then"], of: "`maxAge`")
        guard let after = node["after"] else {
            self.error(
                node,
                "`maxAge` says after how long: write `maxAge: 30d`, or `maxAge: { after: 30d, then: fail }`"
            )
            return nil
        }
        let consequence = node["then"].map { self.choice($0, "then", MaxAge.Consequence.allCases) } ?? .warn
        guard let span = self.span(after, "after"), let consequence else { return nil }
        return MaxAge(span, then: consequence)
    }

    private mutating func span(_ node: YAMLNode, _ what: String) -> TimeSpan? {
        guard let span = self.made(node, what, { try TimeSpan($0) }) else { return nil }
        guard span.milliseconds > 0 else {
            self.error(node, "`\(what)` is 0, and every take is older than that; leave `maxAge` out, or write 30d")
            return nil
        }
        return span
    }
}
