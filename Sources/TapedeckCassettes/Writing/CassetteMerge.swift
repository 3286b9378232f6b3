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

    let document: YAMLDocument
    let plan: MergePlan
    var editor: SourceEditor
    private var taken: Set<String>

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

    // MARK: Editing

    /// The text of the cassette with the sets in it, edited in place; `nil` when its layout leaves no place to edit.
    static func edit(_ input: Input) -> [UInt8]? {
        let sets = input.cassette.responseSets
        guard let document = input.document, let root = document.root, root.kind == .mapping, !root.isFlow else {
            return nil
        }
        var merge = CassetteMerge(
            document: document,
            plan: MergePlan(input),
            editor: SourceEditor(document.source),
            taken: Set(sets.map(\.name))
        )
        guard !sets.isEmpty else {
            guard merge.fill(root, with: input), merge.editDescriptors(root, input), merge.editValues(root, input),
                merge.editSecrets(root, input)
            else {
                return nil
            }
            return merge.editor.result()
        }
        guard let list = root["responseSets"], list.kind == .sequence, !list.isFlow, list.count == sets.count else {
            return nil
        }
        let nodes = Array(list.items)
        for (index, set) in sets.enumerated() {
            guard merge.edit(set, node: nodes[index], change: merge.plan.changes[index]) else { return nil }
        }
        guard merge.insert(input, root, among: nodes), merge.editDescriptors(root, input),
            merge.editValues(root, input),
            merge.editSecrets(root, input)
        else { return nil }
        return merge.editor.result()
    }

    /// Writes the first sets of a cassette that has none.
    private mutating func fill(_ root: YAMLNode, with input: Input) -> Bool {
        let source = self.document.source
        let new = Self.named(input, taken: [])
        let items = new.flatMap { CassetteWriter.item($0, indent: 2) }
        guard let pair = root.pairs.first(where: { $0.key.string == "responseSets" }) else {
            guard root.column == 0 else { return false }
            self.editor.insert(Array("responseSets:\n".utf8) + items, at: source.count)
            return self.editProfile(root, input, new: new.map(\.name))
        }
        // `[]` goes, what is behind it stays.
        let colon = pair.key.range.upperBound
        guard pair.value.range.upperBound > colon, source[colon] == ASCII.colon,
            let end = source[pair.value.range.upperBound...].firstIndex(of: 0x0A)
        else { return false }
        self.editor.replace((colon + 1)..<pair.value.range.upperBound, with: [])
        self.editor.insert(items, at: end + 1)
        return self.editProfile(root, input, new: new.map(\.name))
    }

    /// Returns false when the text of the set is laid out in a way that cannot be edited.
    private mutating func edit(_ set: ResponseSet, node: YAMLNode, change: MergePlan.Change) -> Bool {
        let source = self.document.source
        switch change {
        case .none:
            return true
        case .remove:
            guard let lines = SourceEditor.lines(of: node, in: source) else { return false }
            self.editor.replace(lines, with: [])
            self.taken.remove(set.name)
            return true
        case .removeVariant(let variant):
            guard let variants = Self.variants(of: node),
                let lines = SourceEditor.lines(of: variants[variant], in: source)
            else { return false }
            self.editor.replace(lines, with: [])
            return true
        case .addVariant(let takes):
            guard let last = Self.variants(of: node)?.last, let column = last.indicatorColumn,
                let lines = SourceEditor.lines(of: last, in: source)
            else { return false }
            let text = CassetteWriter.item(set.recordedVariant(of: takes), indent: column)
            self.editor.insert(text, at: lines.upperBound)
            return true
        case .addDefault(let takes):
            guard let first = Self.variants(of: node)?.first, let column = first.indicatorColumn,
                let lines = SourceEditor.lines(of: first, in: source)
            else { return false }
            let text = CassetteWriter.item(set.recordedVariant(of: takes), indent: column)
            self.editor.insert(text, at: lines.lowerBound)
            return true
        case .addNamedVariant(let name, let takes):
            guard let last = Self.variants(of: node)?.last, let column = last.indicatorColumn,
                let lines = SourceEditor.lines(of: last, in: source)
            else { return false }
            self.editor.insert(
                CassetteWriter.item(Variant(name: name, takes: takes), indent: column),
                at: lines.upperBound
            )
            return true
        case .replaceTakes(let variant, let takes):
            guard let node = Self.variants(of: node)?[variant] else { return false }
            return self.edit(set.variants[variant], node: node) { column in CassetteWriter.items(takes, indent: column)
            }
        case .addTakes(let variant, let takes):
            guard let node = Self.variants(of: node)?[variant] else { return false }
            return self.add(takes, to: set.variants[variant], node: node)
        case .renewTakes(let variant, let takes):
            guard let node = Self.variants(of: node)?[variant] else { return false }
            return self.renew(takes, of: set.variants[variant], node: node)
        }
    }

    private static func variants(of set: YAMLNode) -> [YAMLNode]? {
        guard let list = set["variants"], list.kind == .sequence, !list.isFlow else { return nil }
        return Array(list.items)
    }

    /// Inserts new takes at the place of the first recorded one, and removes the recorded ones.
    private mutating func edit(_ variant: Variant, node: YAMLNode, takes: (_ column: Int) -> [UInt8]) -> Bool {
        guard let (items, column) = Self.takes(of: variant, node) else { return false }
        var text = takes(column)
        for (take, item) in zip(variant.takes, items) where take.recorded != nil {
            guard let lines = SourceEditor.lines(of: item, in: self.document.source) else { return false }
            self.editor.replace(lines, with: text)
            text = []
        }
        return true
    }

    /// Replaces each renewed take in its place.
    private mutating func renew(_ takes: [Int: Take], of variant: Variant, node: YAMLNode) -> Bool {
        guard let (items, column) = Self.takes(of: variant, node) else { return false }
        for (index, item) in items.enumerated() {
            guard let take = takes[index] else { continue }
            guard let lines = SourceEditor.lines(of: item, in: self.document.source) else { return false }
            self.editor.replace(lines, with: CassetteWriter.items([take], indent: column))
        }
        return true
    }

    /// Puts new takes behind the last recorded one.
    private mutating func add(_ takes: [Take], to variant: Variant, node: YAMLNode) -> Bool {
        guard let (items, column) = Self.takes(of: variant, node),
            let last = variant.takes.lastIndex(where: { $0.recorded != nil }),
            let lines = SourceEditor.lines(of: items[last], in: self.document.source)
        else { return false }
        self.editor.insert(CassetteWriter.items(takes, indent: column), at: lines.upperBound)
        return true
    }

    private static func takes(of variant: Variant, _ node: YAMLNode) -> (items: [YAMLNode], column: Int)? {
        guard let list = node["takes"], list.kind == .sequence, !list.isFlow, list.count == variant.takes.count else {
            return nil
        }
        let items = Array(list.items)
        return items.first?.indicatorColumn.map { (items, $0) }
    }

    /// Puts each new set in front of the first recorded one that comes after it, else at the end.
    private mutating func insert(_ input: Input, _ root: YAMLNode, among nodes: [YAMLNode]) -> Bool {
        let cassette = input.cassette
        let source = self.document.source
        guard let column = nodes.first?.indicatorColumn, let last = nodes.last,
            let lastLines = SourceEditor.lines(of: last, in: source)
        else { return false }
        let recorded = zip(cassette.responseSets, nodes).compactMap { set, node -> (key: [UInt8], start: Int)? in
            guard set.recordedVariant != nil,
                let request = RecordedRequest(set.request, rules: cassette.matching),
                let lines = SourceEditor.lines(of: node, in: source)
            else { return nil }
            return (request.sortKey, lines.lowerBound)
        }
        // The first whose key comes after another key has the greatest key so far, and those are in order.
        var greatest: [(key: [UInt8], start: Int)] = []
        for each in recorded where greatest.last.map({ $0.key.lexicographicallyPrecedes(each.key) }) ?? true {
            greatest.append(each)
        }
        let named = Self.named(input, taken: self.taken)
        for (set, model) in zip(input.recording.new, named) {
            let key = set.request.sortKey
            let place = greatest.partitioningIndex { key.lexicographicallyPrecedes($0.key) }
            let start = place < greatest.count ? greatest[place].start : lastLines.upperBound
            self.editor.insert(CassetteWriter.item(model, indent: column), at: start)
        }
        return self.editProfile(root, input, new: named.map(\.name))
    }

    // MARK: Rewriting

    /// Writes the whole text, for a new cassette and for a layout that cannot be edited.
    static func rewrite(_ input: Input) -> [UInt8] {
        var result = input.cassette
        result.descriptors = result.descriptors.adding(input.descriptors)
        result.surroundings = result.surroundings.union(input.surroundings)
        let plan = MergePlan(input)
        result.responseSets = zip(input.cassette.responseSets, plan.changes).compactMap { set, change in
            Self.changed(set, change)
        }
        let new = Self.named(input, taken: Set(result.responseSets.map(\.name)))
        result.responseSets += new
        result.profiles = Self.profiles(input, plan, new: new.map(\.name))
        return Self.textWithSecrets(result, input)
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

extension YAMLNode {
    /// The column of the dash of an item.
    fileprivate var indicatorColumn: Int? {
        self.indicator.map { indicator in
            let source = self.document.source
            let start = source[..<indicator].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            return indicator - start
        }
    }
}
