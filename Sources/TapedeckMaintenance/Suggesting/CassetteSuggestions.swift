package import TapedeckCassettes
import TapedeckCore
import TapedeckTLS

/// The suggestions of `tapedeck suggest` from two recordings of the same scenario.
package struct CassetteSuggestions: Sendable {
    private let location: CassetteLocation
    private let other: String
    private let result: CassetteReader.Result
    private let suggestions: IgnoreSuggestions

    /// True if there is nothing to add to the cassette.
    package var isEmpty: Bool { self.suggestions.proposed.isEmpty }

    /// - Parameters:
    ///   - location: the cassette to be changed.
    ///   - other: another recording of the same scenario.
    /// - Throws: ``DeckError`` when one of them cannot be used.
    package init(_ location: CassetteLocation, _ other: CassetteLocation) throws(DeckError) {
        do {
            _ = try CassetteStore.onDisk.load(location)
            let second = try CassetteStore.onDisk.load(other)
            let result = try CassetteStore.onDisk.check(location)
            self.suggestions = IgnoreSuggestions(for: result.cassette, from: second) { SHA256.hexDigest(of: $0) }
            self.result = result
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
        self.location = location
        self.other = other.path
    }

    /// Writes the rules into the cassette and keeps everything else.
    ///
    /// - Throws: ``DeckError`` if the file's layout has no room for them, or it cannot be written.
    package func apply() throws(DeckError) {
        do {
            let text = try IgnoreEditing.text(of: self.result, ignoring: self.suggestions.rules)
            try CassetteStore.onDisk.replace(self.location, from: self.result.source, with: text)
        } catch let error as FileError {
            throw DeckError(error, kind: .notSaved)
        } catch {
            throw DeckError(error)
        }
    }

    // MARK: Text

    /// Lines for a terminal: what to add, and why.
    package var lines: [String] {
        let found = self.suggestions
        var lines = [
            "\(self.location.path) answers \(found.answeredBefore) of the \(found.requests) requests that \(self.other) holds"
        ]
        if !found.proposed.isEmpty {
            lines += ["", "add to \(self.location.path):", ""]
            lines += IgnoreEditing.yaml(found.rules).map { "  \($0)" }
            lines += ["", "because these differ in requests that are the same otherwise:"]
            lines += TextTable.aligned(found.proposed.map { self.row($0) }).map { "  \($0)" }
            lines += ["", "then it answers \(found.answeredAfter) of the \(found.requests)"]
        }
        if found.hidden > 0 {
            let sets = Plural.text(found.hidden, "response set asks", "response sets ask")
            lines.append(
                "\(sets) for what an earlier one answers then; record again to have their takes in one set, in order"
            )
        }
        if !found.others.isEmpty {
            lines += [
                "", "these differ, too, and look as if somebody chose them; ignore them only if they mean nothing:",
            ]
            lines += TextTable.aligned(found.others.map { self.row($0) }).map { "  \($0)" }
        }
        if found.proposed.isEmpty, found.others.isEmpty {
            let left = found.requests - found.answeredBefore
            lines.append(
                left == 0
                    ? "nothing differs, so there is nothing to ignore"
                    : "the others are no such requests with another value; where a part of the path differs, a "
                        + "`urlTemplate` answers them all"
            )
        }
        return lines
    }

    private func row(_ field: IgnoreSuggestions.Field) -> [String] {
        let values = field.examples.map { Self.short(SecretMasking.shown($0, name: field.name)) }
        let example = values.count == 2 ? "\(values[0]) and \(values[1])" : "\(values.first ?? "") or nothing"
        return [
            "\(field.kind.rawValue) \(field.name)",
            field.look.map { "looks like \($0.words)" } ?? "",
            "in \(Plural.text(field.count, "request", "requests"))",
            example,
        ]
    }

    private static func short(_ text: String) -> String {
        text.count > 40 ? "\(text.prefix(39))…" : text
    }

    // MARK: JSON

    /// The result as one JSON object, over several lines.
    package var json: String {
        let found = self.suggestions
        func list(_ texts: [String]) -> JSONText { .array(texts.map(JSONText.string)) }
        func fields(_ fields: [IgnoreSuggestions.Field]) -> JSONText {
            .array(
                fields.map { field in
                    .object([
                        ("kind", .string(field.kind.rawValue)), ("name", .string(field.name)),
                        ("looksLike", field.look.map { .string($0.rawValue) } ?? .null),
                        ("requests", .int(field.count)),
                        ("examples", list(field.examples.map { SecretMasking.shown($0, name: field.name) })),
                    ])
                }
            )
        }
        return JSONText.object([
            ("cassette", .string(self.location.path)), ("other", .string(self.other)),
            ("requests", .int(found.requests)), ("answeredBefore", .int(found.answeredBefore)),
            ("answeredAfter", .int(found.answeredAfter)),
            (
                "ignore",
                .object(IgnoredPlace.Kind.allCases.map { ($0.rawValue, list(found.rules.ignored($0))) })
            ),
            ("proposed", fields(found.proposed)), ("others", fields(found.others)),
        ]).pretty
    }
}
