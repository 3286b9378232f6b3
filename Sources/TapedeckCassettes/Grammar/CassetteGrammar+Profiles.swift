import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    /// - Parameter checksNames: false if not all sets could be read, so that a profile's names may belong to those.
    mutating func readProfiles(_ node: YAMLNode, of cassette: Cassette, checksNames: Bool) -> [Profile] {
        guard !node.isNull, self.expectMapping(node, "`profiles`") else { return [] }
        let names = checksNames ? ProfileNames(cassette) : nil
        var profiles: [Profile] = []
        for (key, value) in node.pairs {
            let what = "the profile \"\(key.string)\""
            guard !value.isNull, self.expectMapping(value, what) else {
                if value.isNull { self.error(value, "\(what) selects nothing; write lines such as `\"*\": offline`") }
                continue
            }
            var profile = Profile(name: key.string, choices: [])
            var targets: Set<Profile.Choice.Target> = []
            for (target, variant) in value.pairs {
                guard let choice = self.readChoice(target, variant) else { continue }
                guard targets.insert(choice.target).inserted else {
                    self.error(target, "\(what) already selects a variant for \(target.string)")
                    continue
                }
                if let names { self.check(choice, target, variant, names) }
                profile.choices.append(choice)
            }
            profiles.append(profile)
        }
        return profiles
    }

    private mutating func readChoice(_ target: YAMLNode, _ variant: YAMLNode) -> Profile.Choice? {
        let text = target.string
        guard let variant = self.text(variant, text) else { return nil }
        if text == "*" { return Profile.Choice(.all, variant) }
        let isURL = ["http://", "https://"].contains { ASCII.lowercased(text).hasPrefix($0) }
        if isURL, let origin = Origin(text) { return Profile.Choice(.origin(origin), variant) }
        return Profile.Choice(.set(text), variant)
    }

    /// The variants that profiles can name.
    private struct ProfileNames {
        let sets: [String]
        private let variants: [String: [String]]
        /// Those of all sets, each once, in order.
        let all: [String]

        init(_ cassette: Cassette) {
            self.sets = cassette.responseSets.map(\.name)
            var variants: [String: [String]] = [:]
            var all: [String] = []
            var seen: Set<String> = []
            for set in cassette.responseSets {
                let names = set.variants.map(\.name)
                variants[set.name] = names
                all += names.filter { seen.insert($0).inserted }
            }
            self.variants = variants
            self.all = all
        }

        func variants(of set: String) -> [String]? {
            self.variants[set]
        }
    }

    private mutating func check(
        _ choice: Profile.Choice,
        _ target: YAMLNode,
        _ variant: YAMLNode,
        _ names: ProfileNames
    ) {
        if case .set(let set) = choice.target {
            guard let variants = names.variants(of: set) else {
                let near = Spelling.nearest(to: set, among: names.sets).map { "; did you mean \"\($0)\"?" }
                let remedy = near ?? "; write the name of a set, an origin such as https://api.example.com, or \"*\""
                self.error(target, "there is no response set \"\(set)\"\(remedy)")
                return
            }
            guard !variants.contains(choice.variant), BuiltInVariant(rawValue: choice.variant) == nil else { return }
            self.error(variant, Self.missing(choice.variant, of: set, having: variants, allowsBuiltIns: true))
        } else if !names.all.contains(choice.variant), BuiltInVariant(rawValue: choice.variant) == nil {
            let builtIns = BuiltInVariant.allCases.map(\.rawValue)
            let near = Self.quotedHint(choice.variant, among: names.all + builtIns)
            self.error(
                variant,
                "no response set has a variant \"\(choice.variant)\"\(near) "
                    + "Every set has: \(builtIns.joined(separator: ", "))"
            )
        }
    }
}

extension CassetteWriter {
    mutating func write(_ profiles: [Profile]) {
        self.key("profiles")
        self.block { writer in
            for profile in profiles { writer.write(profile) }
        }
    }

    mutating func write(_ profile: Profile) {
        self.key(profile.name)
        if profile.choices.isEmpty {
            self.inline { $0.flowMapping { _ in } }
        } else {
            self.block { $0.write(profile.choices) }
        }
    }

    /// A line for each choice of a profile.
    mutating func write(_ choices: [Profile.Choice]) {
        for choice in choices {
            self.key(choice.target.key)
            self.inline { $0.yaml.scalar(choice.variant) }
        }
    }
}

extension CassetteWriter {
    /// `profiles:` with its lines.
    static func text(of profiles: [Profile]) -> [UInt8] {
        self.text { if !profiles.isEmpty { $0.write(profiles) } }
    }

    /// Returns the lines of a profile with its name in column `indent`.
    static func text(of profile: Profile, indent: Int) -> [UInt8] {
        self.text(column: indent) { $0.write(profile) }
    }

    /// A line for each choice of a profile, in column `indent`.
    static func text(of choices: [Profile.Choice], indent: Int) -> [UInt8] {
        self.text(column: indent) { $0.write(choices) }
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
