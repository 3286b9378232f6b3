package import TapedeckCore
import TapedeckYAML

/// Writes the model as a cassette's text: the same model gives the same bytes, in time that grows with its size alone.
package struct CassetteWriter {
    var yaml: YAMLWriter

    init(reserving capacity: Int = 0) {
        self.yaml = YAMLWriter(reservingCapacity: capacity)
    }

    /// The whole file.
    package static func text(of cassette: Cassette) -> [UInt8] {
        let takes = cassette.responseSets.reduce(0) { $0 + $1.variants.reduce(0) { $0 + $1.takes.count } }
        var writer = CassetteWriter(reserving: takes * 512)
        writer.writeSettings(of: cassette)
        if cassette.responseSets.isEmpty {
            writer.yaml.raw("responseSets: []\n")
        } else {
            writer.yaml.raw("responseSets:\n")
            for set in cassette.responseSets { writer.write(set, indent: 2) }
        }
        writer.write(cassette.profiles)
        return writer.yaml.bytes
    }

    /// Returns the text before the response sets in the file.
    static func text(beforeSetsOf cassette: Cassette) -> [UInt8] {
        var writer = CassetteWriter()
        writer.writeSettings(of: cassette)
        return writer.yaml.bytes
    }

    private mutating func writeSettings(of cassette: Cassette) {
        self.yaml.raw("tapedeck: \(CassetteKeys.formatVersion)\n")
        if let about = cassette.about { self.pair("about", about, indent: 0) }
        self.write(cassette.matching)
        self.write(cassette.redaction)
        self.write(cassette.secrets, isDeclared: cassette.declaresSecrets)
        self.write(cassette.time)
        if let delay = cassette.delay { self.write(delay, indent: 0) }
        if let streams = cassette.streams { self.pair("streams", streams.description, indent: 0) }
        if !cassette.state.isEmpty {
            self.key("state", indent: 0)
            for entry in cassette.state { self.line(entry.key, indent: 2) { $0.write(entry.value) } }
        }
        if let maxAge = cassette.maxAge { self.write(maxAge) }
        self.write(descriptors: cassette.descriptors)
        self.write(cassette.surroundings)
    }

    private mutating func write(_ surroundings: Surroundings) {
        guard !surroundings.isEmpty else { return }
        self.key("values", indent: 0)
        for (name, values) in surroundings.values.sorted(by: { $0.key < $1.key }) {
            self.line(name, indent: 2) { writer in
                if values.count == 1 { writer.yaml.scalar(values[0]) } else { writer.flowList(values) }
            }
        }
    }

    /// The lines of `values:`.
    static func text(of surroundings: Surroundings) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(surroundings)
        return writer.yaml.bytes
    }

    private mutating func write(descriptors: [DescriptorFile]) {
        guard !descriptors.isEmpty else { return }
        self.line("descriptors", indent: 0) { $0.flowList(descriptors.map(\.name)) }
    }

    /// The line that names files with descriptors; empty for none.
    static func line(descriptors: [DescriptorFile]) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(descriptors: descriptors)
        return writer.yaml.bytes
    }

    /// A response set as an item of a list with its dashes in column `indent`.
    package static func item(_ set: ResponseSet, indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(set, indent: indent)
        return writer.yaml.bytes
    }

    /// Returns a variant as an item of a list with its dashes in column `indent`.
    package static func item(_ variant: Variant, indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(variant, indent: indent)
        return writer.yaml.bytes
    }

    /// Returns the lines of `varies:` of a set whose keys are in column `indent`.
    static func text(of places: [VaryingPlace], indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(places, indent: indent)
        return writer.yaml.bytes
    }

    /// Returns takes as items of a list with their dashes in column `indent`.
    static func items(_ takes: [Take], indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        for take in takes { writer.write(take, indent: indent) }
        return writer.yaml.bytes
    }

    /// `profiles:` with its lines.
    static func text(of profiles: [Profile]) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(profiles)
        return writer.yaml.bytes
    }

    /// Returns the lines of a profile with its name in column `indent`.
    static func text(of profile: Profile, indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(profile, indent: indent)
        return writer.yaml.bytes
    }

    /// A line for each choice of a profile, in column `indent`.
    static func text(of choices: [Profile.Choice], indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(choices, indent: indent)
        return writer.yaml.bytes
    }

    /// The choices of a profile on one line.
    static func flowText(of choices: [Profile.Choice]) -> [UInt8] {
        var writer = CassetteWriter()
        writer.flowMapping(choices.map { choice in (choice.target.key, { $0.yaml.scalar(choice.variant) }) })
        return writer.yaml.bytes
    }

    // MARK: Settings

    private mutating func write(_ rules: MatchingRules) {
        if let parts = rules.parts {
            self.line("match", indent: 0) { $0.flowList(parts.map(\.rawValue)) }
        }
        guard !rules.ignoresNothing else { return }
        self.key("ignore", indent: 0)
        for kind in IgnoredPlace.Kind.allCases where !rules.ignored(kind).isEmpty {
            self.line(kind.rawValue, indent: 2) { $0.flowList(rules.ignored(kind)) }
        }
    }

    private mutating func write(_ rules: TimeRules) {
        guard rules.shifts || !rules.jsonDates.isEmpty else { return }
        guard !rules.jsonDates.isEmpty else {
            self.yaml.raw("time: shift\n")
            return
        }
        self.key("time", indent: 0)
        self.yaml.raw(rules.shifts ? "  shift: true\n" : "  shift: false\n")
        self.line("json", indent: 2) { $0.flowList(rules.jsonDates.map(\.description)) }
    }

    private mutating func write(_ profiles: [Profile]) {
        guard !profiles.isEmpty else { return }
        self.key("profiles", indent: 0)
        for profile in profiles { self.write(profile, indent: 2) }
    }

    private mutating func write(_ profile: Profile, indent: Int) {
        guard !profile.choices.isEmpty else {
            self.line(profile.name, indent: indent) { $0.yaml.raw("{}") }
            return
        }
        self.key(profile.name, indent: indent)
        self.write(profile.choices, indent: indent + 2)
    }

    private mutating func write(_ choices: [Profile.Choice], indent: Int) {
        for choice in choices {
            self.line(choice.target.key, indent: indent) { $0.yaml.scalar(choice.variant) }
        }
    }

    // MARK: Sets

    /// The lines of a set with one variant, up to where its takes begin.
    mutating func write(start set: ResponseSet, _ variant: String, _ indent: Int) {
        self.write(set, indent: indent)
        self.item(indent: indent + 4) { $0.pair("name", variant, indent: indent + 6) }
        self.key("takes", indent: indent + 6)
    }

    private mutating func write(_ set: ResponseSet, indent: Int) {
        let inner = indent + 2
        self.item(indent: indent) { $0.pair("name", set.name, indent: inner) }
        if set.priority != 0 { self.line("priority", indent: inner) { $0.yaml.int(set.priority) } }
        self.key("request", indent: inner)
        self.write(set.request, indent: inner + 2)
        self.write(set.varies, indent: inner)
        self.write(set.requires, as: "requires", indent: inner)
        self.write(set.sets, as: "sets", indent: inner)
        if let selected = set.selected { self.pair("selected", selected, indent: inner) }
        self.key("variants", indent: inner)
        for variant in set.variants { self.write(variant, indent: inner + 2) }
    }

    private mutating func write(_ places: [VaryingPlace], indent: Int) {
        guard !places.isEmpty else { return }
        self.key("varies", indent: indent)
        for place in places {
            let pieces = place.pieces.map(\.description)
            self.line(place.place, indent: indent + 2) { writer in
                if pieces.count == 1 { writer.yaml.scalar(pieces[0]) } else { writer.flowList(pieces) }
            }
        }
    }

    private mutating func write(_ variant: Variant, indent: Int) {
        self.item(indent: indent) { $0.pair("name", variant.name, indent: indent + 2) }
        self.write(variant.behaviour, indent: indent + 2)
    }
}

extension Profile.Choice.Target {
    /// The key of a choice in the cassette's text.
    var key: String {
        switch self {
        case .all: "*"
        case .origin(let origin): origin.description
        case .set(let name): name
        }
    }
}
