import TapedeckCore

/// Merges what two branches have made of one cassette, set by set: response sets are told apart by their names.
package struct ThreeWayMerge {
    /// The result of a merge.
    package enum Outcome: Sendable, Equatable {
        case merged([UInt8])
        /// Both sides changed these things in different ways. Each is the subject of a sentence.
        case conflict([String])
        /// This version has errors, so no set can be compared.
        case unreadable(String)
    }

    /// One of the three versions.
    private struct Version {
        let result: CassetteReader.Result
        let lines: ListLines
        /// The numbers of its sets, by their names.
        let places: [String: Int]

        var cassette: Cassette { self.result.cassette }
        var sets: [ResponseSet] { self.result.cassette.responseSets }

        init?(_ source: [UInt8], path: String) {
            var source = source
            if source.last != ASCII.lineFeed { source.append(ASCII.lineFeed) }
            // The body files of another branch need not be there.
            let result = CassetteReader.read(source, name: "", path: path, needsBodyFiles: false)
            guard !result.hasErrors, let lines = ListLines(setsOf: result), !lines.items.isEmpty else { return nil }
            self.result = result
            self.lines = lines
            self.places = Dictionary(
                result.cassette.responseSets.enumerated().map { ($0.element.name, $0.offset) }
            ) { first, _ in first }
        }

        /// The lines of a set; `nil` if it has no such set.
        func text(_ name: String) -> [UInt8]? {
            self.places[name].map { Array(self.result.source[self.lines.items[$0]]) }
        }

        /// The cassette without sets and secrets.
        var settings: Cassette {
            var cassette = self.cassette
            cassette.responseSets = []
            cassette.secrets = []
            cassette.declaresSecrets = false
            return cassette
        }

        /// True if both have the set in the same way, or neither has it.
        func hasSame(_ name: String, as other: Version?) -> Bool {
            guard let other else { return self.places[name] == nil }
            let (mine, its) = (self.places[name], other.places[name])
            guard let mine, let its else { return mine == nil && its == nil }
            return self.text(name) == other.text(name) || self.sets[mine] == other.sets[its]
        }
    }

    /// - Parameters:
    ///   - base: the version that both have come from; empty for a cassette that both branches have made.
    ///   - path: the name of the cassette, for messages.
    package static func merge(base: [UInt8], ours: [UInt8], theirs: [UInt8], path: String) -> Outcome {
        let old = Version(base, path: path)
        guard old != nil || base.isEmpty else { return .unreadable("the common version") }
        guard let ours = Version(ours, path: path) else { return .unreadable("the version of this branch") }
        guard let theirs = Version(theirs, path: path) else { return .unreadable("the version of the other branch") }
        if ours.settings == theirs.settings || theirs.settings == old?.settings {
            return self.merge(theirs, into: ours, old)
        }
        guard ours.settings == old?.settings else { return .conflict(["settings or profiles of the cassette"]) }
        return self.merge(ours, into: theirs, old)
    }

    /// Puts what `other` has changed since `base` into the text of `target`.
    private static func merge(_ other: Version, into target: Version, _ base: Version?) -> Outcome {
        var editor = SourceEditor(target.result.source)
        var conflicts: [String] = []
        var removed: Set<String> = []
        var isAdding = false
        for set in base?.sets ?? [] where other.places[set.name] == nil && target.places[set.name] != nil {
            if target.hasSame(set.name, as: base) {
                removed.insert(set.name)
            } else {
                conflicts.append(Self.named(set))
            }
        }
        // The set in the target behind which the next new one comes.
        var last: Int?
        for set in other.sets {
            let place = target.places[set.name]
            defer { last = place ?? last }
            guard !other.hasSame(set.name, as: base), !other.hasSame(set.name, as: target),
                let text = other.text(set.name)
            else { continue }
            if let place, target.hasSame(set.name, as: base) {
                editor.replace(target.lines.items[place], with: text)
            } else if place == nil, base?.places[set.name] == nil {
                isAdding = true
                let end = last ?? target.lines.items.count - 1
                editor.insert(target.lines.separator(of: end) + text, at: target.lines.items[end].upperBound)
            } else {
                conflicts.append(Self.named(set))
            }
        }
        let known = Dictionary(target.cassette.secrets.map { ($0.name, $0) }) { first, _ in first }
        let secrets = other.cassette.secrets.filter { base?.cassette.secrets.contains($0) != true }
        conflicts += secrets.filter { secret in known[secret.name].map { $0 != secret } ?? false }
            .map { "the secret \($0.name)" }
        guard conflicts.isEmpty else { return .conflict(conflicts) }
        if !removed.isEmpty {
            let kept = target.sets.indices.filter { !removed.contains(target.sets[$0].name) }
            target.lines.keep(kept, adding: isAdding, in: &editor)
        }
        return self.whole(editor.result(), adding: secrets.filter { known[$0.name] == nil }, target)
    }

    private static func named(_ set: ResponseSet) -> String { "the response set \"\(set.name)\"" }

    /// The text with further secrets, if it is a cassette without errors.
    private static func whole(_ text: [UInt8], adding secrets: [SecretDescription], _ target: Version) -> Outcome {
        let path = target.cassette.path ?? ""
        var text = text
        if !secrets.isEmpty {
            let read = CassetteReader.read(text, name: "", path: path, needsBodyFiles: false)
            guard let whole = CassetteMerge.text(of: read, adding: secrets) else {
                return .conflict(["the secrets of the cassette"])
            }
            text = whole
        }
        let read = CassetteReader.read(text, name: "", path: path, needsBodyFiles: false)
        return read.hasErrors ? .conflict(["the cassette as a whole"]) : .merged(text)
    }
}
