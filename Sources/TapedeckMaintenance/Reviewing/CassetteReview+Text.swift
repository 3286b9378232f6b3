import TapedeckCassettes
import TapedeckCore

/// The forms in which a review is printed.
extension CassetteReview {
    /// Lines for a terminal. The last one sums up.
    package var lines: [String] {
        let changes = self.changes.flatMap { change in
            let lines = change.kind == .onlyInFirst ? [] : CassetteDiff.lines(of: change.difference, "before", "now")
            return ["\(CassetteDiff.mark(change.kind)) \(change.path)" + self.age(of: change)]
                + Self.notes(on: change).map { "    \($0)" } + lines.map { "    \($0)" }
        }
        return changes + self.secrets.map { "! \($0)" } + ["since \(self.base): \(self.summary)"]
    }

    /// Such as `1 cassette changed, 2 added, 1 new secret`.
    private var summary: String {
        guard !self.isEmpty else {
            return "all cassettes play the same: \(Plural.text(self.unchanged, "cassette", "cassettes"))"
        }
        var parts: [String] = []
        for (kind, word) in [(DifferenceKind.changed, "changed"), (.onlyInSecond, "added"), (.onlyInFirst, "removed")] {
            let count = self.changes.count { $0.kind == kind }
            guard count > 0 else { continue }
            parts.append(parts.isEmpty ? "\(Plural.text(count, "cassette", "cassettes")) \(word)" : "\(count) \(word)")
        }
        if !self.secrets.isEmpty { parts.append(Plural.text(self.secrets.count, "new secret", "new secrets")) }
        return parts.joined(separator: ", ")
    }

    private static func notes(on change: Change) -> [String] {
        [change.problem.map { "its earlier state cannot be read: \($0)" }, change.overage?.description]
            .compactMap { $0 }
    }

    private func age(of change: Change) -> String {
        self.days(since: change.oldest).map { ", oldest take recorded \($0) ago" } ?? ""
    }

    private func days(since time: Instant?) -> String? {
        time.map { Plural.text(Int(max(0, self.now.seconds - $0.seconds) / 86_400), "day", "days") }
    }

    // MARK: Markdown

    /// The most that GitHub takes as a comment is 65,536 characters.
    private static let markdownLimit = 60_000

    /// A comment for a pull request: a table of the cassettes, then for each one the response sets that were added,
    /// removed and changed, with the changes of shape first and those of values folded away.
    package var markdown: String {
        var text = "### Cassettes since \(Markdown.cell(self.base))\n\n\(self.summary)\n"
        if !self.secrets.isEmpty {
            text += "\n**New secrets.** `tapedeck scrub` takes them out.\n\n"
            text += self.secrets.map { "- \(Markdown.cell($0.description))\n" }.joined()
        }
        if !self.changes.isEmpty {
            let rows = self.changes.map { change in
                let sets = [DifferenceKind.onlyInSecond, .onlyInFirst, .changed].map { kind in
                    String(change.difference.sets.count { $0.kind == kind })
                }
                return Markdown.row(
                    [change.path, Self.word(change.kind)] + sets
                        + [
                            String(change.count(.shape)), String(change.count(.value)),
                            self.days(since: change.oldest) ?? "",
                        ]
                )
            }
            text +=
                "\n| Cassette | | Sets added | removed | changed | Shapes changed | Values changed | Oldest take |\n"
            text += "|---|---|---|---|---|---|---|---|\n" + rows.map { "\($0)\n" }.joined()
        }
        for change in self.changes {
            let section = Self.section(on: change)
            guard text.utf8.count + section.utf8.count <= Self.markdownLimit else {
                text += "\nThe rest is too long for a comment: `tapedeck diff \(self.base)` prints it.\n"
                break
            }
            text += section
        }
        return text
    }

    private static func word(_ kind: DifferenceKind) -> String {
        switch kind {
        case .onlyInFirst: "removed"
        case .onlyInSecond: "added"
        case .changed: "changed"
        }
    }

    private static func section(on change: Change) -> String {
        var text = "\n#### \(Markdown.cell(change.path))\n\n"
        text += self.notes(on: change).map { "**\(Markdown.cell($0))**\n\n" }.joined()
        text += change.difference.sets.map { set in
            var line = "- \(self.word(set.kind)): \(Markdown.cell(set.name))"
            if let newName = set.newName { line += ", now \(Markdown.cell(newName))" }
            if set.kind != .changed { line += " (\(Markdown.cell(set.request)))" }
            if let other = set.resembles { line += "; like \(Markdown.cell(other))" }
            return line + "\n"
        }
        .joined()
        var shapes: [String] = []
        var values: [String] = []
        if !change.difference.settings.isEmpty { shapes += ["# settings"] + change.difference.settings }
        for set in change.difference.sets where set.kind == .changed { self.add(set, to: &shapes, values: &values) }
        text += self.block(shapes, title: nil)
        text += self.block(values, title: "Values")
        return text
    }

    /// Requests, variants and shapes say how a cassette plays; values what it plays.
    private static func add(_ set: SetDifference, to shapes: inout [String], values: inout [String]) {
        if !set.requestLines.isEmpty { shapes += ["# \(set.name): request"] + set.requestLines }
        for variant in set.variants {
            let place = "\(set.name): \(variant.name)"
            if variant.kind != .changed {
                shapes.append("\(CassetteDiff.mark(variant.kind)) \(place): \(variant.summary)")
            }
            if let newName = variant.newName { shapes.append("! \(place), now \(newName)") }
            if !variant.lines.isEmpty { shapes += ["# \(place)"] + variant.lines }
            for take in variant.takes {
                guard take.kind == .changed else {
                    shapes.append("\(CassetteDiff.mark(take.kind)) \(place): take \(take.number)")
                    continue
                }
                for kind in TakeDifference.Kind.allCases {
                    let differences = take.differences.filter { $0.kind == kind }
                    guard !differences.isEmpty else { continue }
                    var lines = ["# \(place): take \(take.number)"]
                    // GitHub and GitLab colour a line that begins with an exclamation mark.
                    lines += differences.map {
                        $0.summary.replacing("~ value ", with: "! ").replacing("~ ", with: "! ")
                    }
                    if kind == .shape { shapes += lines } else { values += lines + take.lines }
                }
            }
        }
    }

    private static func block(_ lines: [String], title: String?) -> String {
        guard !lines.isEmpty else { return "" }
        let longest = lines.flatMap { $0.split { $0 != "`" } }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: max(3, longest + 1))
        let block = "\n\(fence)diff\n\(lines.joined(separator: "\n"))\n\(fence)\n"
        return title.map { "\n<details><summary>\($0)</summary>\n\(block)\n</details>\n" } ?? block
    }

    // MARK: JSON

    /// One JSON object, over several lines.
    package var json: String {
        let cassettes = self.changes.map { change in
            JSONText.object([
                ("path", .string(change.path)), ("kind", .string(Self.word(change.kind))),
                ("oldestTake", change.oldest.map { .string($0.rfc3339) } ?? .null),
                ("isTooOld", .bool(change.overage != nil)), ("problem", change.problem.map(JSONText.string) ?? .null),
                ("settings", .array(change.difference.settings.map(JSONText.string))),
                ("sets", .array(change.difference.sets.map(CassetteDiff.json))),
            ])
        }
        let secrets = self.secrets.map { secret in
            JSONText.object([
                ("path", .string(secret.path)), ("line", .int(secret.line)), ("column", .int(secret.column)),
                ("message", .string(secret.description)),
            ])
        }
        return JSONText.object([
            ("base", .string(self.base)), ("same", .bool(self.isEmpty)), ("unchanged", .int(self.unchanged)),
            ("cassettes", .array(cassettes)), ("newSecrets", .array(secrets)),
        ]).pretty
    }
}
