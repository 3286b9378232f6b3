package import TapedeckCassettes
import TapedeckCore

/// A cassette as a table.
package struct CassetteTable {
    private let cassette: Cassette
    private let path: String

    /// - Throws: ``DeckError`` when the cassette cannot be used.
    package init(_ reference: String, folder: String?) throws(DeckError) {
        let location = CassetteFolder.location(reference, folder: folder)
        self.path = location.path
        do {
            self.cassette = try Deck.store.load(location)
        } catch {
            throw DeckError(error)
        }
    }

    /// The cassette for programs.
    package var contents: CassetteContents { CassetteContents(self.cassette, path: self.path) }

    /// Lines for a terminal.
    ///
    /// - Parameter width: its columns; `nil` cuts nothing off.
    package func text(width: Int? = nil) -> String {
        var rows = [["RESPONSE SET", "REQUEST", "VARIANT", "TAKES", "STATUS", "SIZE", "PLAYS"]]
        for set in self.cassette.responseSets {
            for (index, variant) in set.variants.enumerated() {
                let takes = variant.behaviour.allTakes
                let isDefault = index == set.defaultVariant && set.variants.count > 1
                rows.append([
                    index == 0 ? set.name : "",
                    index == 0 ? Self.request(set) : "",
                    variant.name + (isDefault ? " (default)" : ""),
                    takes.isEmpty ? "" : String(takes.count),
                    Self.statuses(takes),
                    takes.isEmpty ? "" : Self.size(takes.reduce(0) { $0 + $1.body.decodedSize }),
                    variant.behaviour.summary,
                ])
            }
        }
        // Only few cassettes have more than takes.
        if rows.dropFirst().allSatisfy({ $0.last == "" }) { rows = rows.map { $0.dropLast() } }
        let takes = self.cassette.responseSets.flatMap(\.variants).reduce(0) { $0 + $1.behaviour.allTakes.count }
        let sets = self.cassette.responseSets.count
        let footer = "\(sets) response \(sets == 1 ? "set" : "sets"), \(takes) \(takes == 1 ? "take" : "takes")"
        let lines =
            [self.cassette.about].compactMap { $0 } + TextTable.aligned(rows, width: width)
            + self.profiles(width) + ["", footer]
        return lines.joined(separator: "\n")
    }

    private func profiles(_ width: Int?) -> [String] {
        guard !self.cassette.profiles.isEmpty else { return [] }
        var rows = [["PROFILE", "RESPONSE SET", "VARIANT"]]
        for profile in self.cassette.profiles {
            for (index, choice) in profile.choices.enumerated() {
                rows.append([index == 0 ? profile.name : "", Self.name(choice.target), choice.variant])
            }
            if profile.choices.isEmpty { rows.append([profile.name, "", ""]) }
        }
        return [""] + TextTable.aligned(rows, width: width)
    }

    static func name(_ target: Profile.Choice.Target) -> String {
        switch target {
        case .all: "*"
        case .origin(let origin): origin.description
        case .set(let name): name
        }
    }

    /// The number of conditions of a set that are listed.
    private static let namedConditions = 4

    /// Methods and URL, unless they are the set's name, and what tells it apart from other sets of that URL.
    private static func request(_ set: ResponseSet) -> String {
        var conditions = set.request.conditionNames + set.requires.map { "requires \($0.key)" }
        if conditions.count > Self.namedConditions {
            conditions = conditions.prefix(Self.namedConditions - 1) + ["…"]
        }
        if set.priority != 0 { conditions.append("priority \(set.priority)") }
        let line = set.request.line
        let more = conditions.isEmpty ? "" : "+ " + conditions.joined(separator: ", ")
        return [line == set.name ? "" : line, more].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func statuses(_ takes: [Take]) -> String {
        var seen: [String] = []
        for take in takes {
            let text = take.isFaultAlone ? take.faultText ?? "" : String(take.status)
            if seen.last != text { seen.append(text) }
        }
        return seen.count > 4 ? seen.prefix(3).joined(separator: ", ") + ", …" : seen.joined(separator: ", ")
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) B"
        case ..<1_000_000: "\(bytes / 1_000).\(bytes / 100 % 10) kB"
        default: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        }
    }
}
