package import TapedeckCassettes
import TapedeckCore

/// A cassette as a table.
package struct CassetteTable {
    private var cassette: Cassette
    private let path: String
    /// True if it has all sets and profiles of the cassette.
    private let isWhole: Bool

    /// - Parameter filter: only sets with this name or URL, else those whose name or URL contains it; `nil` is all.
    /// - Throws: ``DeckError`` when the cassette cannot be used, or no set fits the filter.
    package init(_ reference: String, filter: String? = nil, folder: String?) throws(DeckError) {
        let location = CassetteFolder.location(reference, folder: folder)
        self.path = location.path
        self.isWhole = filter == nil
        do {
            self.cassette = try Deck.store.load(location)
        } catch {
            throw DeckError(error)
        }
        guard let filter else { return }
        let sets = self.cassette.responseSets.matching(filter)
        guard !sets.isEmpty else {
            let hint = Spelling.hint(for: filter, among: self.cassette.responseSets.map(\.name))
            throw DeckError(
                "no response set of \(location.name) has \"\(filter)\" in its name or URL\(hint)",
                kind: .badOption
            )
        }
        self.cassette.responseSets = sets
        self.cassette.profiles = []
    }

    /// The cassette for programs.
    package var contents: CassetteContents { CassetteContents(self.cassette, path: self.path) }

    /// Lines for a terminal.
    ///
    /// - Parameter width: its columns; `nil` cuts nothing, and keeps the host in each name.
    package func text(width: Int? = nil) -> String {
        let sets = self.cassette.responseSets
        // Of what was found, the part that was looked for is shown.
        let width = self.isWhole || sets.count > 5 ? width : nil
        let labels = SetLabels(sets.map { ($0.name, $0.request.line) }, sharesOrigin: width != nil)
        var rows = [["RESPONSE SET", "REQUEST", "VARIANT", "TAKES", "STATUS", "SIZE", "PLAYS"]]
        for (number, set) in sets.enumerated() {
            for (index, variant) in set.variants.enumerated() {
                let takes = variant.behaviour.allTakes
                let isDefault = index == set.defaultVariant && set.variants.count > 1
                rows.append([
                    index == 0 ? labels.name(number) : "",
                    index == 0 ? Self.request(set, labels.request(number)) : "",
                    variant.name + (isDefault ? " (default)" : ""),
                    takes.isEmpty ? "" : String(takes.count),
                    Self.statuses(takes),
                    takes.isEmpty ? "" : Self.size(takes.reduce(0) { $0 + $1.body.decodedSize }),
                    variant.behaviour.summary,
                ])
            }
        }
        // A value that all rows share is said once.
        var shared = labels.origin.map { [$0] } ?? []
        for column in [2, 3] {
            guard width != nil, rows.count > 2, Set(rows.dropFirst().map { $0[column] }).count == 1 else { continue }
            let value = rows[1][column]
            shared.append(column == 2 ? "variant \(value)" : value == "1" ? "1 take" : "\(value) takes")
            for row in rows.indices { rows[row][column] = "" }
        }
        let isSaid = rows[0].indices.map { column in rows.dropFirst().contains { !$0[column].isEmpty } }
        rows = rows.map { row in zip(row, isSaid).filter(\.1).map(\.0) }
        let takes = sets.flatMap(\.variants).reduce(0) { $0 + $1.behaviour.allTakes.count }
        let footer =
            "\(Plural.text(sets.count, "response set", "response sets")), \(Plural.text(takes, "take", "takes"))"
        let lines =
            (self.isWhole ? [self.cassette.about].compactMap { $0 } : [])
            + (shared.isEmpty ? [] : ["all: " + shared.joined(separator: ", "), ""])
            + TextTable.aligned(rows, width: width) + self.profiles(width) + ["", footer]
        return lines.joined(separator: "\n")
    }

    /// Requests and answers of the sets with their bodies, laid out to be read.
    package var bodies: String {
        self.cassette.responseSets.map { SetReading($0).lines.joined(separator: "\n") }.joined(separator: "\n\n")
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

    /// The rest of methods and URL, which the name does not say, and the conditions that tell the set apart from others of that URL.
    private static func request(_ set: ResponseSet, _ line: String) -> String {
        var conditions = set.request.conditionNames + set.requires.map { "requires \($0.key)" }
        if conditions.count > Self.namedConditions {
            conditions = conditions.prefix(Self.namedConditions - 1) + ["…"]
        }
        if set.priority != 0 { conditions.append("priority \(set.priority)") }
        let more = conditions.isEmpty ? "" : "+ " + conditions.joined(separator: ", ")
        return [line, more].filter { !$0.isEmpty }.joined(separator: " ")
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
        case ..<999_950: "\((bytes + 50) / 1_000).\((bytes + 50) / 100 % 10) kB"
        default: "\((bytes + 50_000) / 1_000_000).\((bytes + 50_000) / 100_000 % 10) MB"
        }
    }
}
