import TapedeckCore
import TapedeckYAML

/// Merges a recording into a cassette's text.
///
/// The text is edited, not rewritten: manual parts stay unchanged, comments included, and recorded parts change in
/// place. That keeps diffs small.
package struct CassetteMerge {
    /// The action on recorded takes of sets that this recording did not request; requested sets get the new takes.
    enum Leftovers {
        /// They are removed (`--clean`).
        case remove
        case keep
        /// They stay because the recorded command failed; otherwise they would have been removed.
        case keepAfterFailure
        /// They stay because answers of this recording were left out, maybe theirs.
        case keepIncomplete
    }

    /// The variant that recorded takes go into.
    static let variantName = "recorded"
    /// The variant with the answers to one of several users, if the recording does not tell which one.
    static let unknownUserName = "unknown user"

    /// The input of a merge.
    struct Input {
        var recording: SortedRecording
        var cassette: Cassette
        /// The parsed text of the cassette; `nil` for a new one.
        var document: YAMLDocument?
        var leftovers: Leftovers
        /// True if the recording only adds missing answers.
        var isAppending: Bool
        /// The variant that the recording is saved as; `nil` for a recording of the defaults.
        var scenario: Scenario?
        /// True if failures do not replace answers.
        var keepsAnswers = false
        /// The run that the recording is a part of; `nil` for one that knows of no others.
        var run: RecordingRun?
        /// True if another process has written the cassette since the run began.
        var isShared = false
        /// The numbers of the sets whose recorded variant answers as this recording.
        var sameAsRecorded: Set<Int> = []
        /// The takes of recorded variants that were requested again, by the number of their set and their own.
        var renewals: [Int: [Int: Take]] = [:]
        /// The descriptions of the secrets in the recording.
        var secrets: [SecretDescription] = []
        /// The file for the descriptors that the recording noted.
        var descriptors: DescriptorFile?
        /// The surroundings of the recording, as far as its requests contain them.
        var surroundings = Surroundings()
        /// The names of secrets that body files of the cassette have placeholders for, as far as it matters.
        var namesInFiles: Set<String> = []
        /// True if live text that looks like a placeholder is escaped in a body of the recording.
        var hasEscapes = false
    }

    // MARK: Text

    /// The text of the cassette with the recording in it, edited in place, and what it should be read as; `nil` when its
    /// layout leaves no place to edit.
    ///
    /// - Parameter replacesSets: see ``CassettePatch``.
    static func edit(_ input: Input, replacesSets: Bool) -> (text: [UInt8], cassette: Cassette)? {
        guard let document = input.document else { return nil }
        let read = CassetteReader.Result(cassette: input.cassette, diagnostics: [], document: document)
        let merged = Self.merged(input)
        guard let text = CassettePatch.text(of: read, as: merged, replacesSets: replacesSets) else { return nil }
        let whole = Self.withSecrets(merged, of: text, input)
        if whole == merged { return (text, merged) }
        return CassettePatch.text(of: read, as: whole, replacesSets: replacesSets).map { ($0, whole) }
    }

    /// Writes the whole text, for a new cassette and for a layout that cannot be edited.
    static func rewrite(_ input: Input) -> [UInt8] {
        let merged = Self.merged(input)
        let text = CassetteWriter.text(of: merged)
        let whole = Self.withSecrets(merged, of: text, input)
        return whole == merged ? text : CassetteWriter.text(of: whole)
    }

    // MARK: Model

    /// The cassette with the recording in it, but for its secrets.
    private static func merged(_ input: Input) -> Cassette {
        var result = input.cassette
        result.descriptors = result.descriptors.adding(input.descriptors)
        result.surroundings = result.surroundings.union(input.surroundings)
        let plan = MergePlan(input)
        let kept = zip(input.cassette.responseSets, plan.changes).map { Self.changed($0, $1) }
        let new = Self.named(input, taken: Set(kept.compactMap { $0?.name }))
        var added: [Int: [ResponseSet]] = [:]
        for (place, set) in zip(Self.places(ofNew: input), new) { added[place, default: []].append(set) }
        result.responseSets = kept.enumerated().flatMap { (added[$0] ?? []) + [$1].compactMap { $0 } }
        result.responseSets += added[kept.count] ?? []
        result.profiles = Self.profiles(input, plan, new: new.map(\.name))
        return result
    }

    /// The numbers of the sets in front of which new ones come: each of the first recorded one that comes after it, else
    /// the end.
    private static func places(ofNew input: Input) -> [Int] {
        // The first whose key comes after another key has the greatest key so far, and those are in order.
        var greatest: [(key: [UInt8], place: Int)] = []
        for (place, set) in input.cassette.responseSets.enumerated() where set.recordedVariant != nil {
            guard let request = RecordedRequest(set.request, rules: input.cassette.matching) else { continue }
            let key = request.sortKey
            if greatest.last.map({ $0.key.lexicographicallyPrecedes(key) }) ?? true { greatest.append((key, place)) }
        }
        return input.recording.new.map { set in
            let key = set.request.sortKey
            let place = greatest.partitioningIndex { key.lexicographicallyPrecedes($0.key) }
            return place < greatest.count ? greatest[place].place : input.cassette.responseSets.count
        }
    }

    private static func changed(_ set: ResponseSet, _ change: MergePlan.Change) -> ResponseSet? {
        var set = set
        switch change {
        case .none: break
        case .remove: return nil
        case .removeVariant(let variant): set.variants.remove(at: variant)
        case .addVariant(let takes): set.variants.append(set.recordedVariant(of: takes))
        case .addDefault(let takes): set.variants.insert(set.recordedVariant(of: takes), at: 0)
        case .addNamedVariant(let name, let takes): set.variants.append(Variant(name: name, takes: takes))
        case .replaceTakes(let variant, let takes):
            var all = set.variants[variant].takes
            let place = all.firstIndex { $0.recorded != nil } ?? 0
            all.removeAll { $0.recorded != nil }
            all.insert(contentsOf: takes, at: place)
            set.variants[variant].takes = all
        case .addTakes(let variant, let takes):
            let place = set.variants[variant].takes.lastIndex { $0.recorded != nil }.map { $0 + 1 }
            set.variants[variant].takes.insert(contentsOf: takes, at: place ?? 0)
        case .renewTakes(let variant, let takes):
            for (index, take) in takes { set.variants[variant].takes[index] = take }
        }
        return set
    }

    // MARK: Names

    /// The names of the sets that a recording adds.
    static func names(ofNew input: Input) -> [String] {
        self.named(input, taken: Set(input.cassette.responseSets.map(\.name))).map(\.name)
    }

    /// New sets with names of their own.
    private static func named(_ input: Input, taken: Set<String>) -> [ResponseSet] {
        let sets = input.recording.new
        let variant = input.scenario?.name ?? Self.variantName
        var shortNames: [String: Int] = [:]
        for set in sets { shortNames[set.request.shortName, default: 0] += 1 }
        var names = SetNames(taken: taken)
        return sets.map { set in
            var new = ResponseSet(
                name: names.name(of: set.request, isAlone: shortNames[set.request.shortName] == 1),
                request: set.matcher,
                variants: [Variant(name: variant, takes: set.takes)]
            )
            new.varies = set.varies
            return new
        }
    }

    /// - Parameter number: the first that may be free.
    static func unused(_ name: String, in taken: Set<String>, from number: inout Int) -> String {
        guard taken.contains(name) else { return name }
        while taken.contains("\(name) (\(number))") { number += 1 }
        return "\(name) (\(number))"
    }
}

extension ResponseSet {
    /// Returns a new variant for recorded takes, with a name that is unique in the set.
    fileprivate func recordedVariant(of takes: [Take]) -> Variant {
        let names = Set(self.variants.map(\.name))
        var number = 2
        return Variant(name: CassetteMerge.unused(CassetteMerge.variantName, in: names, from: &number), takes: takes)
    }
}
