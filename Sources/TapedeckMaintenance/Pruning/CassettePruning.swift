import TapedeckCassettes
import TapedeckCore

/// The unused parts of one cassette.
package struct CassettePruning: Sendable {
    /// A set that no run requested and that stays nevertheless.
    struct Kept: Sendable, Equatable {
        var name: String
        var reason: String
    }

    let location: CassetteLocation
    /// The sets that go, with what they answer.
    let sets: [ResponseSet]
    let kept: [Kept]
    /// Sets that are on no report, since they are newer than those.
    let unknown: [String]
    let orphans: OrphanBodies
    /// The number of requested sets.
    let asked: Int
    private let text: [UInt8]?
    private let source: [UInt8]

    /// The sets that are removed and those that stay, for programs.
    package struct Summary: Encodable, Sendable {
        struct BodyFile: Encodable {
            let name: String
            /// In bytes.
            let size: Int
        }

        struct Kept: Encodable {
            let responseSet: String
            let reason: String
        }

        let path: String
        /// The number of sets that were requested.
        let asked: Int
        /// The names of the sets that go.
        let responseSets: [String]
        let bodyFiles: [BodyFile]
        let kept: [Kept]
        /// The names of the sets that are on no report, and stay.
        let unknown: [String]
    }

    package var summary: Summary {
        Summary(
            path: self.location.path,
            asked: self.asked,
            responseSets: self.sets.map(\.name),
            bodyFiles: self.orphans.files.map { Summary.BodyFile(name: $0.name, size: $0.size) },
            kept: self.kept.map { Summary.Kept(responseSet: $0.name, reason: $0.reason) },
            unknown: self.unknown
        )
    }

    /// True if there is nothing to remove.
    package var isEmpty: Bool { self.sets.isEmpty && self.orphans.files.isEmpty }

    /// - Parameters:
    ///   - usage: the total of all runs.
    ///   - takesHandWritten: true to remove sets that a person wrote or extended, too.
    /// - Throws: ``DeckError`` if the cassette cannot be used, or is being recorded.
    init(_ location: CassetteLocation, usage: CassetteUsage, takesHandWritten: Bool) throws {
        // Says what to do about a cassette that is not there or broken.
        _ = try CassetteStore.onDisk.load(location)
        let result = try CassetteStore.onDisk.check(location)
        try CassetteStore.onDisk.checkNothingIsRecorded(location)
        let profiles = Self.profiles(of: result.cassette)
        var sets: [ResponseSet] = []
        var kept: [Kept] = []
        var unknown: [String] = []
        var asked = 0
        let index = UsageIndex(usage)
        for set in result.cassette.responseSets {
            let seen = index.usage(of: set)
            if seen.isEmpty {
                unknown.append(set.name)
            } else if seen.contains(where: { $0.asked > 0 }) {
                asked += 1
            } else if let profile = profiles[set.name] {
                kept.append(Kept(name: set.name, reason: "the profile \"\(profile)\" names it"))
            } else if !takesHandWritten, !set.isWhollyRecorded {
                kept.append(Kept(name: set.name, reason: "a person wrote it, or a part of it"))
            } else {
                sets.append(set)
            }
        }
        self.location = location
        self.source = result.source
        (self.sets, self.kept, self.unknown, self.asked) = (sets, kept, unknown, asked)
        let names = Set(sets.map(\.name))
        self.text = names.isEmpty ? nil : try SetRemoval.text(of: result, without: names)
        var left = result.cassette
        left.responseSets.removeAll { names.contains($0.name) }
        self.orphans = OrphanBodies(of: left, at: location, store: CassetteStore.onDisk)
    }

    /// The first profile that names each set.
    private static func profiles(of cassette: Cassette) -> [String: String] {
        var names: [String: String] = [:]
        for profile in cassette.profiles {
            for case .set(let set) in profile.choices.map(\.target) where names[set] == nil {
                names[set] = profile.name
            }
        }
        return names
    }

    /// Removes it: the sets first, so that a cassette never names a file that is gone.
    func carryOut() throws {
        if let text = self.text {
            try CassetteStore.onDisk.replace(self.location, from: self.source, with: text)
        }
        for file in self.orphans.files { try FileContents.remove(file.path) }
    }

    // MARK: Text

    /// The number of kept sets that are listed.
    private static let namedSets = 10

    var lines: [String] {
        var lines = self.sets.map { set in
            let takes = set.variants.reduce(0) { $0 + $1.behaviour.allTakes.count }
            let request = set.name == set.request.summary ? "" : " (\(set.request.summary))"
            return "  - response set \(set.name)\(request): \(Plural.text(takes, "take", "takes"))"
        }
        lines += self.orphans.files.map { "  - body file \($0.name): \($0.size) bytes" }
        lines += self.kept.prefix(Self.namedSets).map { "  not requested, and kept: \($0.name): \($0.reason)" }
        if self.kept.count > Self.namedSets { lines.append("  … and \(self.kept.count - Self.namedSets) more like it") }
        if !self.unknown.isEmpty {
            let names = self.unknown.prefix(Self.namedSets).joined(separator: ", ")
            lines.append("  on no report, so changed since, and kept: \(names)\(self.unknown.count > 10 ? ", …" : "")")
        }
        if let path = self.orphans.unreadable {
            lines.append("  body files stay, as \(path) cannot be read and may name them")
        }
        lines += self.orphans.others.prefix(Self.namedSets).map {
            "  no recording's, named by nothing, and kept: \($0)"
        }
        let going = [
            Plural.text(self.sets.count, "response set", "response sets"),
            Plural.text(self.orphans.files.count, "body file", "body files"),
        ]
        let head =
            self.isEmpty
            ? "\(self.location.path): nothing to prune, \(Plural.text(self.asked, "set was", "sets were")) requested"
            : "\(self.location.path): \(going.joined(separator: " and ")) that no run requested"
        return [head] + lines
    }
}

extension ResponseSet {
    /// True if all of it was recorded.
    fileprivate var isWhollyRecorded: Bool {
        self.priority == 0 && self.requires.isEmpty && self.sets.isEmpty && self.selected == nil
            && self.variants.allSatisfy { variant in
                !variant.takes.isEmpty && variant.takes.allSatisfy { $0.recorded != nil }
                    && variant.behaviour == Behaviour(.takes(variant.takes))
            }
    }
}
