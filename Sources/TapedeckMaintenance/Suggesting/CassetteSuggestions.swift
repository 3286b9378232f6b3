package import TapedeckCassettes
import TapedeckCore
import TapedeckTLS

/// The suggestions of `tapedeck suggest` from two recordings of the same program.
package struct CassetteSuggestions: Sendable {
    private let location: CassetteLocation
    private let other: String
    private let suggestions: RunSuggestions

    /// True if there is nothing to add to the cassette.
    package var isEmpty: Bool { self.suggestions.varies.isEmpty }

    /// - Parameters:
    ///   - location: the cassette to be changed.
    ///   - other: another recording of the same program.
    /// - Throws: ``DeckError`` when one of them cannot be used.
    package init(_ location: CassetteLocation, _ other: CassetteLocation) throws(DeckError) {
        do {
            let cassette = try CassetteStore.onDisk.load(location)
            let second = try CassetteStore.onDisk.load(other)
            self.suggestions = RunSuggestions(for: cassette, from: second) { SHA256.hexDigest(of: $0) }
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
        self.location = location
        self.other = other.path
    }

    /// Notes in the cassette what varies, and keeps everything else.
    ///
    /// - Throws: ``DeckError`` if the file's layout has no room for it, or it cannot be written.
    package func apply() throws(DeckError) {
        do {
            try CassetteStore.onDisk.learn(self.suggestions.varies, in: self.location)
        } catch {
            throw DeckError("\(error)", kind: .notSaved)
        }
    }

    // MARK: Text

    /// Lines for a terminal: what varies, and why.
    package var lines: [String] {
        let found = self.suggestions
        var lines = [
            "\(self.location.path) answers \(found.answeredBefore) of the \(found.requests) requests that \(self.other) holds"
        ]
        if !found.places.isEmpty {
            lines += ["", "these places vary:"]
            lines += TextTable.aligned(found.places.map { self.row($0) }).map { "  \($0)" }
            lines += ["", "with them it answers \(found.answeredAfter) of the \(found.requests)"]
        }
        if !found.unmatched.isEmpty {
            lines += ["", "nothing on it is for these, even with other values:"]
            lines += found.unmatched.map { "  \($0)" }
        }
        if found.places.isEmpty, found.unmatched.isEmpty { lines.append("nothing else differs") }
        return lines
    }

    private func row(_ place: RunSuggestions.Place) -> [String] {
        let values = self.examples(place).map { $0.count > 40 ? "\($0.prefix(39))…" : $0 }
        return [
            place.set, place.example.place, place.example.piece.description,
            values.isEmpty ? "" : values.joined(separator: " and "),
        ]
    }

    private func examples(_ place: RunSuggestions.Place) -> [String] {
        let example = place.example
        guard example.piece.shape != .order else { return [] }
        return [example.recorded, example.live].map { SecretMasking.shown($0, name: example.place) }
    }

    // MARK: JSON

    /// The result as one JSON object, over several lines.
    package var json: String {
        let found = self.suggestions
        func list(_ texts: [String]) -> JSONText { .array(texts.map(JSONText.string)) }
        return JSONText.object([
            ("cassette", .string(self.location.path)), ("other", .string(self.other)),
            ("requests", .int(found.requests)), ("answeredBefore", .int(found.answeredBefore)),
            ("answeredAfter", .int(found.answeredAfter)),
            (
                "proposed",
                .array(
                    found.places.map { place in
                        let words = place.example.place.split(separator: " ", maxSplits: 1).map(String.init)
                        let isNamed = words.count == 2 && ["query", "header", "form"].contains(words[0])
                        let kind = isNamed ? words[0] : place.example.place.hasPrefix("$") ? "json" : "other"
                        return .object([
                            ("set", .string(place.set)), ("kind", .string(kind)),
                            ("name", .string(isNamed ? words[1] : place.example.place)),
                            ("varies", .string(place.example.piece.description)),
                            ("examples", list(self.examples(place))),
                        ])
                    }
                )
            ),
            ("others", .array(found.unmatched.map { .object([("kind", .string("request")), ("name", .string($0))]) })),
        ]).pretty
    }
}
