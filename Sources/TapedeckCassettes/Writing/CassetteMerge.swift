import TapedeckCore

/// Brings a recording into a cassette's text.
///
/// The text is edited, not written anew: what a person wrote stays as it stands, comments included, and what is
/// recorded again changes in its place. That keeps diffs small.
struct CassetteMerge {
    /// What happens to the recorded takes of sets that this recording was not asked for; where it was, the new takes
    /// replace the old.
    enum Leftovers {
        case remove
        case keep
    }

    /// The variant that recorded takes go into.
    static let variantName = "recorded"

    private let document: YAMLDocument
    private let cassette: Cassette
    private let leftovers: Leftovers
    private var editor: SourceEditor
    private var taken: Set<String>

    /// What is to be brought together.
    struct Input {
        var sets: [RecordedSet]
        var cassette: Cassette
        /// The parsed text of the cassette; `nil` for a new one.
        var document: YAMLDocument?
        var leftovers: Leftovers
    }

    // MARK: Editing

    /// The text of the cassette with the sets in it, edited in place; `nil` when its layout leaves no place to edit.
    static func edit(_ input: Input) -> [UInt8]? {
        let cassette = input.cassette
        guard let document = input.document, let list = document.root?["responseSets"],
            list.kind == .sequence, !list.isFlow, list.count == cassette.responseSets.count, list.count > 0
        else { return nil }
        var merge = CassetteMerge(
            document: document,
            cassette: cassette,
            leftovers: input.leftovers,
            editor: SourceEditor(document.source),
            taken: Set(cassette.responseSets.map(\.name))
        )
        let nodes = Array(list.items)
        let (matched, new) = Self.assign(input.sets, to: cassette.responseSets)
        for (index, set) in cassette.responseSets.enumerated() {
            guard merge.edit(set, node: nodes[index], takes: matched[index]) else { return nil }
        }
        guard merge.insert(new, among: nodes) else { return nil }
        return merge.editor.result()
    }

    /// Which recorded set goes into which set of the cassette, and which are new.
    private static func assign(
        _ sets: [RecordedSet],
        to existing: [ResponseSet]
    ) -> (matched: [Int: [Take]], new: [RecordedSet]) {
        var indexes: [RequestKey: [Int]] = [:]
        for (index, set) in existing.enumerated() {
            indexes[RequestKey(method: set.request.method, url: set.request.url), default: []].append(index)
        }
        var matched: [Int: [Take]] = [:]
        var new: [RecordedSet] = []
        for set in sets {
            let candidates = indexes[set.key] ?? []
            let target = candidates.first {
                matched[$0] == nil && existing[$0].request.body?.identity == set.body?.identity
            }
            if let target {
                matched[target] = set.takes
            } else {
                new.append(set)
            }
        }
        return (matched, new)
    }

    /// Returns false when the text of the set is laid out in a way that cannot be edited.
    private mutating func edit(_ set: ResponseSet, node: YAMLNode, takes: [Take]?) -> Bool {
        let source = self.document.source
        let recorded = set.recordedVariant
        if takes == nil, recorded == nil || self.leftovers == .keep { return true }
        if takes == nil, set.variants.count == 1, set.variants[0].isWhollyRecorded {
            guard let lines = SourceEditor.lines(of: node, in: source) else { return false }
            self.editor.replace(lines, with: [])
            self.taken.remove(set.name)
            return true
        }
        guard let list = node["variants"], list.kind == .sequence, !list.isFlow, let last = Array(list.items).last,
            let lastLines = SourceEditor.lines(of: last, in: source), let column = last.indicatorColumn
        else { return false }
        if let recorded {
            return self.edit(set.variants[recorded], node: Array(list.items)[recorded], takes: takes)
        }
        if let takes {
            let names = Set(set.variants.map(\.name))
            let variant = Variant(name: Self.unused(Self.variantName, in: names), takes: takes)
            self.editor.insert(CassetteWriter.item(variant, indent: column), at: lastLines.upperBound)
        }
        return true
    }

    /// Replaces the recorded takes of a variant; a variant that has none left goes.
    private mutating func edit(_ variant: Variant, node: YAMLNode, takes: [Take]?) -> Bool {
        let source = self.document.source
        if takes == nil, variant.isWhollyRecorded {
            guard let lines = SourceEditor.lines(of: node, in: source) else { return false }
            self.editor.replace(lines, with: [])
            return true
        }
        guard let list = node["takes"], list.kind == .sequence, !list.isFlow, list.count == variant.takes.count,
            let column = Array(list.items).first?.indicatorColumn
        else { return false }
        // The new takes stand where the first of the old ones stood.
        var text = takes.map { CassetteWriter.items($0, indent: column) } ?? []
        for (take, item) in zip(variant.takes, list.items) where take.recorded != nil {
            guard let lines = SourceEditor.lines(of: item, in: source) else { return false }
            self.editor.replace(lines, with: text)
            text = []
        }
        return true
    }

    /// Puts each new set in front of the first recorded one that comes after it, else at the end.
    private mutating func insert(_ new: [RecordedSet], among nodes: [YAMLNode]) -> Bool {
        let source = self.document.source
        guard let column = nodes.first?.indicatorColumn, let last = nodes.last,
            let lastLines = SourceEditor.lines(of: last, in: source)
        else { return false }
        let recorded = zip(self.cassette.responseSets, nodes).compactMap { set, node -> (key: [UInt8], start: Int)? in
            guard set.recordedVariant != nil,
                let lines = SourceEditor.lines(of: node, in: source)
            else { return nil }
            let key = RecordedSet.sortKey(RequestKey(method: set.request.method, url: set.request.url))
            return (key, lines.lowerBound)
        }
        let named = Self.named(new, taken: self.taken)
        for (set, model) in zip(new, named) {
            let place = recorded.first { set.sortKey.lexicographicallyPrecedes($0.key) }
            let text = CassetteWriter.item(model, indent: column)
            self.editor.insert(text, at: place?.start ?? lastLines.upperBound)
        }
        return true
    }

    // MARK: Rewriting

    /// For a new cassette, and for a text whose layout leaves no place to edit: everything is written anew.
    static func rewrite(_ input: Input) -> [UInt8] {
        let (matched, new) = Self.assign(input.sets, to: input.cassette.responseSets)
        var result = input.cassette
        result.responseSets = input.cassette.responseSets.enumerated().compactMap { index, set in
            Self.updated(set, takes: matched[index], leftovers: input.leftovers)
        }
        result.responseSets += Self.named(new, taken: Set(result.responseSets.map(\.name)))
        return CassetteWriter.text(of: result)
    }

    private static func updated(_ set: ResponseSet, takes: [Take]?, leftovers: Leftovers) -> ResponseSet? {
        var set = set
        if takes == nil, leftovers == .keep { return set }
        if let recorded = set.recordedVariant {
            var variant = set.variants[recorded]
            let place = variant.takes.firstIndex { $0.recorded != nil } ?? 0
            variant.takes.removeAll { $0.recorded != nil }
            variant.takes.insert(contentsOf: takes ?? [], at: place)
            if variant.takes.isEmpty {
                set.variants.remove(at: recorded)
            } else {
                set.variants[recorded] = variant
            }
        } else if let takes {
            let name = Self.unused(Self.variantName, in: Set(set.variants.map(\.name)))
            set.variants.append(Variant(name: name, takes: takes))
        }
        return set.variants.isEmpty ? nil : set
    }

    // MARK: Names

    /// New sets with names of their own: method, host and path; with the query where that alone is taken; with a
    /// number where that is taken too.
    private static func named(_ sets: [RecordedSet], taken: Set<String>) -> [ResponseSet] {
        var shortNames: [String: Int] = [:]
        for set in sets { shortNames[Self.shortName(set), default: 0] += 1 }
        var taken = taken
        return sets.map { set in
            let short = Self.shortName(set)
            let isFree = shortNames[short] == 1 && !taken.contains(short)
            let full = isFree ? short : short + (set.url.query.map { "?\($0)" } ?? "")
            let name = Self.unused(full, in: taken)
            taken.insert(name)
            return ResponseSet(
                name: name,
                request: RequestMatcher(method: set.method, url: set.url, body: set.body),
                variants: [Variant(name: Self.variantName, takes: set.takes)]
            )
        }
    }

    private static func shortName(_ set: RecordedSet) -> String {
        "\(set.method) \(set.url.origin.authority)\(set.url.path)"
    }

    private static func unused(_ name: String, in taken: Set<String>) -> String {
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name) (\(number))") { number += 1 }
        return "\(name) (\(number))"
    }
}

extension ResponseSet {
    /// The variant that recordings go into: the first with a recorded take. Another one with recorded takes is a copy
    /// that a person made to keep, so it counts as written by hand.
    fileprivate var recordedVariant: Int? {
        self.variants.firstIndex { $0.takes.contains { $0.recorded != nil } }
    }
}

extension Variant {
    fileprivate var isWhollyRecorded: Bool { self.takes.allSatisfy { $0.recorded != nil } }
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
