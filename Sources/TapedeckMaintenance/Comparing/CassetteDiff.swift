package import TapedeckCassettes
import TapedeckCore
import TapedeckTLS

/// The differences of two cassettes, for `tapedeck diff`.
package struct CassetteDiff: Sendable {
    let first: String
    let second: String
    let difference: CassetteDifference

    /// True if both play the same.
    package var isEmpty: Bool { self.difference.isEmpty }

    /// - Parameters:
    ///   - old: the first cassette; likewise `new`.
    ///   - paths: the paths that the user knows.
    /// - Throws: ``DeckError`` when one of them cannot be used.
    package init(
        _ old: CassetteLocation,
        _ new: CassetteLocation,
        paths: (String, String)
    ) throws(DeckError) {
        (self.first, self.second) = paths
        do {
            self.difference = try CassetteComparison { SHA256.hexDigest(of: $0) }
                .difference(from: try CassetteStore.onDisk.load(old), to: try CassetteStore.onDisk.load(new))
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
    }

    /// Lines for a terminal; the last one sums up.
    package var lines: [String] {
        Self.lines(of: self.difference, self.first, self.second) + [self.summary]
    }

    /// Lines for a terminal.
    ///
    /// - Parameters:
    ///   - first: the name of the first cassette; likewise `second`.
    static func lines(of difference: CassetteDifference, _ first: String, _ second: String) -> [String] {
        var lines: [String] = []
        if !difference.settings.isEmpty {
            lines.append("~ settings")
            lines += difference.settings.map { "    \($0)" }
        }
        return lines + difference.sets.flatMap { Self.lines(of: $0, first, second) }
    }

    private var summary: String {
        let sets = self.difference.sets
        let same = Plural.text(self.difference.sameSets, "response set", "response sets")
        guard !self.isEmpty else { return "\(self.first) and \(self.second) play the same: \(same)" }
        let counts = [DifferenceKind.onlyInFirst, .onlyInSecond, .changed].map { kind in sets.count { $0.kind == kind }
        }
        return
            "\(self.first) and \(self.second): \(same) the same, \(counts[2]) changed, \(counts[0]) only in the first, "
            + "\(counts[1]) only in the second"
    }

    static func mark(_ kind: DifferenceKind) -> String {
        switch kind {
        case .onlyInFirst: "-"
        case .onlyInSecond: "+"
        case .changed: "~"
        }
    }

    private static func lines(of set: SetDifference, _ first: String, _ second: String) -> [String] {
        var head = "\(self.mark(set.kind)) \(set.name)"
        // Recorded sets are called after their request.
        let place = set.request.replacing("https://", with: "").replacing("http://", with: "")
        if set.kind != .changed, place != set.name { head += " (\(set.request))" }
        if let newName = set.newName { head += ", now called \"\(newName)\"" }
        if let other = set.resembles {
            head += "; like \"\(other)\" of \(set.kind == .onlyInFirst ? second : first)"
        }
        var lines = [head]
        if !set.requestLines.isEmpty { lines += ["    request"] + set.requestLines.map { "      \($0)" } }
        for variant in set.variants {
            var head = "    \(self.mark(variant.kind)) variant \(variant.name)"
            if variant.kind != .changed, !variant.summary.isEmpty { head += ": \(variant.summary)" }
            if let newName = variant.newName { head += ", now called \"\(newName)\"" }
            lines.append(head)
            lines += variant.lines.map { "        \($0)" }
            for take in variant.takes { lines += self.lines(of: take) }
        }
        return lines
    }

    private static func lines(of take: TakeChange) -> [String] {
        guard take.kind == .changed else { return ["        \(self.mark(take.kind)) take \(take.number)"] }
        return ["        ~ take \(take.number)"] + take.differences.map { "            \($0.summary)" }
            + take.lines.map { "              \($0)" }
    }

    // MARK: JSON

    /// The result as one JSON object, over several lines.
    package var json: String {
        JSONText.object([
            ("first", .string(self.first)), ("second", .string(self.second)), ("same", .bool(self.isEmpty)),
            ("sameSets", .int(self.difference.sameSets)), ("settings", Self.list(self.difference.settings)),
            ("sets", .array(self.difference.sets.map(Self.json))),
        ]).pretty
    }

    private static func list(_ texts: [String]) -> JSONText { .array(texts.map(JSONText.string)) }

    static func json(_ set: SetDifference) -> JSONText {
        var members: [(String, JSONText)] = [
            ("kind", .string(set.kind.rawValue)), ("name", .string(set.name)), ("request", .string(set.request)),
        ]
        if let name = set.newName { members.append(("newName", .string(name))) }
        if let other = set.resembles { members.append(("resembles", .string(other))) }
        if set.kind == .changed {
            members.append(("requestLines", self.list(set.requestLines)))
            members.append(("variants", .array(set.variants.map(self.json))))
        }
        return .object(members)
    }

    private static func json(_ variant: VariantDifference) -> JSONText {
        var members: [(String, JSONText)] = [
            ("kind", .string(variant.kind.rawValue)), ("name", .string(variant.name)),
            ("summary", .string(variant.summary)),
        ]
        if let name = variant.newName { members.append(("newName", .string(name))) }
        members.append(("lines", self.list(variant.lines)))
        members.append(("takes", .array(variant.takes.map(self.json))))
        return .object(members)
    }

    private static func json(_ take: TakeChange) -> JSONText {
        let differences = take.differences.map { difference in
            JSONText.object([
                ("kind", .string(difference.kind.rawValue)), ("place", .string(difference.place)),
                ("old", difference.old.map(JSONText.string) ?? .null),
                ("new", difference.new.map(JSONText.string) ?? .null),
            ])
        }
        return .object([
            ("kind", .string(take.kind.rawValue)), ("number", .int(take.number)), ("differences", .array(differences)),
            ("lines", self.list(take.lines)),
        ])
    }
}
