import TapedeckCore
import TapedeckYAML

/// Turns the text of a cassette into that of a changed cassette, by replacing the smallest parts that differ. All else
/// stays byte for byte: comments, order, layout.
///
/// The differences are found by writing the old cassette and the new one: a key or an item that is the same in both texts is not
/// touched, in whatever form it stands in the file. What cannot be replaced by itself, such as a part of a `{ … }`, is
/// replaced with what is around it.
struct CassettePatch {
    private let source: [UInt8]
    private var editor: SourceEditor

    /// True if a set that differs is replaced as a whole.
    private let replacesSets: Bool

    private init(_ source: [UInt8], replacesSets: Bool = false) {
        self.replacesSets = replacesSets
        self.source = source
        self.editor = SourceEditor(source)
    }

    /// - Parameters:
    ///   - result: the cassette as it was read, with a line end behind its last line.
    ///   - texts: the lines of new sets that have a text already, by their names, with the dash in the column of the others.
    ///   - replacesSets: true to replace a set that differs as a whole: where the text is not the new cassette otherwise, as
    ///     a key that is not there means another thing beside others.
    /// - Returns: `nil` where the layout leaves no place. Whether the text is the new cassette is for the caller to check.
    static func text(
        of result: CassetteReader.Result,
        as new: Cassette,
        texts: [String: [UInt8]] = [:],
        replacesSets: Bool = false
    ) -> [UInt8]? {
        guard let document = result.document, let root = document.root, root.kind == .mapping, !root.isFlow else {
            return nil
        }
        var patch = CassettePatch(document.source, replacesSets: replacesSets)
        guard let old = Written(frameOf: result.cassette), let frame = Written(frameOf: new),
            patch.patch(sets: root, result.cassette.responseSets, new.responseSets, texts),
            patch.patch(mapping: root, old.root, frame.root)
        else { return nil }
        return patch.editor.result()
    }

    /// Returns the text with some of the sets alone, and with the settings and profiles of another cassette.
    ///
    /// - Parameter indices: in ascending order.
    static func text(
        of result: CassetteReader.Result,
        keeping indices: [Int],
        of lines: ListLines,
        as new: Cassette
    ) -> [UInt8]? {
        guard let root = result.document?.root, let old = Written(frameOf: result.cassette),
            let frame = Written(frameOf: new)
        else { return nil }
        var patch = CassettePatch(result.source)
        lines.keep(indices, in: &patch.editor)
        return patch.patch(mapping: root, old.root, frame.root) ? patch.editor.result() : nil
    }

    // MARK: Sets

    private mutating func patch(
        sets root: YAMLNode,
        _ old: [ResponseSet],
        _ new: [ResponseSet],
        _ texts: [String: [UInt8]]
    ) -> Bool {
        guard old != new else { return true }
        guard let pair = root.pairs.first(where: { $0.key.string == "responseSets" }) else {
            guard root.column == 0 else { return false }
            self.editor.insert(Array("responseSets:\n".utf8) + self.items(new, texts, column: 2), at: self.source.count)
            return true
        }
        guard let list = ListLines(pair.key, pair.value, in: self.source), list.nodes.count == old.count else {
            return false
        }
        let column = list.column ?? pair.key.column + 2
        let steps = Alignment.steps(from: old.map(\.name), to: new.map(\.name))
        return self.apply(steps, to: list) { patch, from, to in
            guard let from else { return patch.item(new[to], texts, column) }
            guard old[from] != new[to] else { return [] }
            let (before, after) = (Written(old[from], column: column), Written(new[to], column: column))
            guard let before, let after else { return nil }
            let isPatched =
                !patch.replacesSets && patch.attempt { $0.patch(list.nodes[from], before.root, after.root) }
            if isPatched { return [] }
            return after.source
        }
    }

    private func item(_ set: ResponseSet, _ texts: [String: [UInt8]], _ column: Int) -> [UInt8] {
        texts[set.name] ?? CassetteWriter.item(set, indent: column)
    }

    private func items(_ sets: [ResponseSet], _ texts: [String: [UInt8]], column: Int) -> [UInt8] {
        sets.flatMap { self.item($0, texts, column) }
    }

    static func scalar(_ text: String) -> [UInt8] {
        var yaml = YAMLWriter()
        yaml.scalar(text)
        return yaml.bytes
    }

    /// The lines of an item, with another name.
    static func copy(
        of node: YAMLNode,
        _ lines: Range<Int>,
        named name: String,
        in source: [UInt8]
    ) -> [UInt8]? {
        guard let old = node["name"] else { return nil }
        return Array(source[lines.lowerBound..<old.range.lowerBound]) + Self.scalar(name)
            + Array(source[old.range.upperBound..<lines.upperBound])
    }

    // MARK: Lists

    /// Makes the steps of an alignment.
    ///
    /// - Parameters:
    ///   - change: returns the new lines of an item with the dash in the column of the others, none for one that is as it
    ///     should be, or `nil` if that is impossible. Its arguments are the places of the old item, if there is one, and of
    ///     the new one.
    private mutating func apply(
        _ steps: [Alignment.Step],
        to list: ListLines,
        change: (inout Self, Int?, Int) -> [UInt8]?
    ) -> Bool {
        let kept = steps.compactMap(\.old)
        guard kept == kept.sorted() else { return self.reorder(steps, list, change) }
        var last: Int?
        var pending: [UInt8] = []
        var hasNew = false
        // The end of the item that stands last so far, and true if empty lines behind it would be a part of it.
        var end = list.items.last?.upperBound ?? 0
        var keepsLines = list.nodes.last?.endsInKeptLines ?? false
        for step in steps {
            switch step {
            case .keep(let from, let to):
                guard let text = change(&self, from, to) else { return false }
                (last, end) = (from, list.items[from].upperBound)
                keepsLines = list.nodes[from].endsInKeptLines
                guard !text.isEmpty else { continue }
                end = self.replaceLines(list.lines[from], with: text)
                keepsLines = text.endsInEmptyLine
            case .add(let to):
                guard let text = change(&self, nil, to) else { return false }
                hasNew = true
                guard !list.nodes.isEmpty else {
                    pending += text
                    continue
                }
                let next = last == nil ? steps.lazy.compactMap(\.old).first : nil
                let separator = keepsLines ? [] : list.separator(of: last ?? next ?? list.nodes.count - 1)
                if let next {
                    self.editor.insert(
                        text + (text.endsInEmptyLine ? [] : separator),
                        at: list.items[next].lowerBound
                    )
                } else {
                    end = self.insertLines(text, behind: separator, at: end)
                    keepsLines = text.endsInEmptyLine
                }
            }
        }
        if list.nodes.isEmpty { return list.fill(pending, in: &self.editor) }
        list.keep(kept, adding: hasNew, in: &self.editor)
        return true
    }

    /// Puts the same items into another order. The text between them stays.
    private mutating func reorder(
        _ steps: [Alignment.Step],
        _ list: ListLines,
        _ change: (inout Self, Int?, Int) -> [UInt8]?
    ) -> Bool {
        guard steps.count == list.nodes.count, steps.allSatisfy({ $0.old != nil }) else { return false }
        for (place, step) in steps.enumerated() {
            guard case .keep(let from, let to) = step, change(&self, from, to)?.isEmpty == true else { return false }
            if place != from { self.editor.replace(list.items[place], with: Array(self.source[list.items[from]])) }
        }
        return true
    }

    // MARK: Lines

    /// Inserts lines, behind others. Empty lines that follow would be a part of a text that ends in some: they stand in front
    /// of it then, instead of the others.
    ///
    /// - Returns: the place for what comes next.
    @discardableResult
    private mutating func insertLines(_ text: [UInt8], behind separator: [UInt8], at offset: Int) -> Int {
        let end = text.endsInEmptyLine ? self.endOfEmptyLines(at: offset) : offset
        self.editor.insert(end > offset ? text : separator + text, at: end)
        return end
    }

    /// Replaces lines, with the empty ones that would become a part of the new text.
    ///
    /// - Returns: the place for what comes next.
    @discardableResult
    private mutating func replaceLines(_ lines: Range<Int>, with text: [UInt8]) -> Int {
        let end = text.endsInEmptyLine ? self.endOfEmptyLines(at: lines.upperBound) : lines.upperBound
        self.editor.replace(lines.lowerBound..<end, with: text)
        return end
    }

    private func endOfEmptyLines(at offset: Int) -> Int {
        var end = offset
        while let line = self.source[end...].firstIndex(of: ASCII.lineFeed),
            self.source[end..<line].allSatisfy({ $0 <= ASCII.space })
        {
            end = line + 1
        }
        return end
    }

    // MARK: Nodes

    /// Makes edits, or none if not all are possible.
    private mutating func attempt(_ edits: (inout Self) -> Bool) -> Bool {
        let count = self.editor.count
        if edits(&self) { return true }
        self.editor.removeEdits(from: count)
        return false
    }

    /// - Parameters:
    ///   - node: in the text.
    ///   - old: what it is, as it is written.
    ///   - new: what it is to be.
    private mutating func patch(_ node: YAMLNode, _ old: YAMLNode, _ new: YAMLNode) -> Bool {
        guard node.kind == old.kind, old.kind == new.kind else { return false }
        switch node.kind {
        case .scalar: break
        case .mapping: if self.attempt({ $0.patch(mapping: node, old, new) }) { return true }
        case .sequence: if self.attempt({ $0.patch(sequence: node, old, new) }) { return true }
        }
        // On one line, what is behind it stays.
        guard node.isInline, !node.range.isEmpty, let text = new.inlineText, node.kind == .scalar || node.count > 0
        else { return false }
        self.editor.replace(node.range, with: text)
        return true
    }

    private mutating func patch(mapping node: YAMLNode, _ old: YAMLNode, _ new: YAMLNode) -> Bool {
        var previous: Range<Int>?
        let renamed = Self.renamed(old, new)
        for (key, value) in new.pairs {
            let name = key.string
            if let before = renamed[name], let pair = node.pairs.first(where: { $0.key.string == before }) {
                self.editor.replace(pair.key.range, with: key.sourceText)
                previous = SourceEditor.lines(from: pair.key, to: pair.value, in: self.source)
                continue
            }
            let pair = node.pairs.first { $0.key.string == name }
            guard let before = old[name] else {
                guard !node.isFlow else { return false }
                guard let pair else {
                    guard self.insert(key, value, into: node, behind: previous) else { return false }
                    continue
                }
                // A key without a value says nothing.
                guard pair.value.isNull || pair.value.count == 0,
                    let lines = SourceEditor.lines(from: pair.key, to: pair.value, in: self.source)
                else { return false }
                self.replace(lines, pair.key, with: key, value)
                continue
            }
            guard let pair else {
                if before.sourceText == value.sourceText { continue }
                return false
            }
            let lines = SourceEditor.lines(from: pair.key, to: pair.value, in: self.source)
            previous = lines ?? previous
            if before.isSame(as: value) { continue }
            if self.attempt({ $0.patch(pair.value, before, value) }) { continue }
            guard !node.isFlow, let lines else { return false }
            if self.empty(pair.key, pair.value, lines, value) { continue }
            self.replace(lines, pair.key, with: key, value)
        }
        let gone = Set(old.pairs.map(\.key.string)).subtracting(new.pairs.map(\.key.string))
            .subtracting(renamed.values)
        return gone.isEmpty || self.remove(gone, from: node)
    }

    /// The old names of keys that have another name and the same text, by the new ones.
    private static func renamed(_ old: YAMLNode, _ new: YAMLNode) -> [String: String] {
        guard old.count == new.count else { return [:] }
        var names: [String: String] = [:]
        for (before, after) in zip(old.pairs, new.pairs) where before.key.bytes != after.key.bytes {
            guard before.value.kind == .scalar, before.value.isSame(as: after.value), new[before.key.string] == nil,
                old[after.key.string] == nil
            else {
                return [:]
            }
            names[after.key.string] = before.key.string
        }
        return names
    }

    /// Takes all lines from a block and writes `{}` or the like in its place; what is behind its key stays.
    private mutating func empty(_ key: YAMLNode, _ block: YAMLNode, _ lines: Range<Int>, _ value: YAMLNode) -> Bool {
        guard value.isInline, value.count == 0, block.count > 0, !block.isFlow,
            let end = self.source[key.range.upperBound...].firstIndex(of: ASCII.lineFeed),
            end < block.range.lowerBound, self.source[key.range.upperBound] == ASCII.colon
        else { return false }
        self.editor.insert([ASCII.space] + value.sourceText, at: key.range.upperBound + 1)
        self.editor.replace(end + 1..<lines.upperBound, with: [])
        return true
    }

    private mutating func remove(_ names: Set<String>, from node: YAMLNode) -> Bool {
        guard !node.isFlow else { return false }
        let pairs = Array(node.pairs)
        guard !pairs.allSatisfy({ names.contains($0.key.string) }) else { return false }
        for (index, pair) in pairs.enumerated() where names.contains(pair.key.string) {
            guard let lines = SourceEditor.lines(from: pair.key, to: pair.value, in: self.source) else { return false }
            let holdsDash = self.source[lines.lowerBound..<pair.key.range.lowerBound].contains(0x2D)
            if !holdsDash {
                self.editor.replace(lines, with: [])
            } else if index + 1 < pairs.count, !names.contains(pairs[index + 1].key.string) {
                // The dash stays, in front of the next key.
                self.editor.replace(pair.key.range.lowerBound..<pairs[index + 1].key.range.lowerBound, with: [])
            } else {
                return false
            }
        }
        return true
    }

    /// Replaces the lines of a key with those of its new value.
    private mutating func replace(_ lines: Range<Int>, _ old: YAMLNode, with key: YAMLNode, _ value: YAMLNode) {
        let text = Self.lines(key, value, column: old.column)
        let prefix = self.source[lines.lowerBound..<old.range.lowerBound]
        if prefix.contains(0x2D) {
            // A key that comes first now goes between the dash and this one.
            self.replaceLines(old.range.lowerBound..<lines.upperBound, with: text)
        } else {
            self.replaceLines(lines, with: prefix + text)
        }
    }

    private mutating func insert(
        _ key: YAMLNode,
        _ value: YAMLNode,
        into node: YAMLNode,
        behind previous: Range<Int>?
    ) -> Bool {
        let column = node.column
        let indent = [UInt8](repeating: ASCII.space, count: column)
        let text = Self.lines(key, value, column: column)
        // Settings come in front of the sets, and of the comment above the key that comes next.
        let order = CassetteGrammar.cassette.names
        if node.range == node.document.root?.range, let place = order.firstIndex(of: key.string) {
            let next = node.pairs.first { order.firstIndex(of: $0.key.string).map { $0 > place } ?? false }
            guard let next else {
                self.editor.insert(text, at: self.source.count)
                return true
            }
            guard let lines = SourceEditor.lines(from: next.key, to: next.value, in: self.source) else { return false }
            self.editor.insert(text, at: SourceEditor.withComment(lines, in: self.source).lowerBound)
        } else if let previous {
            self.insertLines(indent + text, behind: [], at: previous.upperBound)
        } else {
            let start = node.range.lowerBound
            let line = self.source[..<start].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
            let isOwnLine = self.source[line..<start].allSatisfy { $0 == ASCII.space }
            self.editor.insert(isOwnLine ? indent + text : text + indent, at: isOwnLine ? line : start)
        }
        return true
    }

    private mutating func patch(sequence node: YAMLNode, _ old: YAMLNode, _ new: YAMLNode) -> Bool {
        let (before, after) = (Array(old.items), Array(new.items))
        if node.isFlow, node.count == before.count, before.count == after.count {
            let items = zip(Array(node.items), zip(before, after))
            return items.allSatisfy { $1.0.isSame(as: $1.1) || self.patch($0, $1.0, $1.1) }
        }
        guard !node.isFlow, node.count == before.count, !after.isEmpty, let list = ListLines(node, in: self.source),
            let column = list.column
        else { return false }
        let steps = Alignment.steps(from: before.map(\.identity), to: after.map(\.identity))
        return self.apply(steps, to: list) { patch, from, to in
            let text = Self.lines(ofItem: after[to], column: column)
            guard let from else {
                // One that is another's copy looks like it.
                let twin = before.indices.first { before[$0].isSame(as: after[to], butForName: true) }
                let copy = twin.flatMap { twin in
                    after[to]["name"].flatMap {
                        Self.copy(of: list.nodes[twin], list.lines[twin], named: $0.string, in: patch.source)
                    }
                }
                return copy ?? text
            }
            if before[from].isSame(as: after[to]) { return [] }
            return patch.attempt({ $0.patch(list.nodes[from], before[from], after[to]) }) ? [] : text
        }
    }

    /// The lines of an item with its dash in a column.
    private static func lines(ofItem item: YAMLNode, column: Int) -> [UInt8] {
        let source = item.document.source
        guard let lines = SourceEditor.lines(of: item, in: source) else {
            // It is written in a list on one line.
            return [UInt8](repeating: ASCII.space, count: column) + Array("- ".utf8) + item.sourceText + [
                ASCII.lineFeed
            ]
        }
        return Array(source[lines]).indented(by: column - (item.dashColumn ?? column))
    }

    /// The lines of a key and its value from the key on, with the key in a column.
    private static func lines(_ key: YAMLNode, _ value: YAMLNode, column: Int) -> [UInt8] {
        let source = key.document.source
        guard let lines = SourceEditor.lines(from: key, to: value, in: source) else { return [] }
        let all = Array(source[lines])
        let first = all.prefix { $0 != ASCII.lineFeed }.count + 1
        return Array(all[(key.range.lowerBound - lines.lowerBound)..<first])
            + Array(all[first...]).indented(by: column - key.column)
    }
}

/// A part of a cassette as it is written.
private struct Written {
    let root: YAMLNode
    let source: [UInt8]

    /// All but the sets.
    init?(frameOf cassette: Cassette) {
        var frame = cassette
        frame.responseSets = []
        self.init(CassetteWriter.text(of: frame)) { $0 }
    }

    init?(_ set: ResponseSet, column: Int) {
        self.init(CassetteWriter.item(set, indent: column)) { $0.items.first { _ in true } }
    }

    private init?(_ source: [UInt8], part: (YAMLNode) -> YAMLNode?) {
        guard let root = (try? YAMLDocument(parsing: source))?.root.flatMap(part) else { return nil }
        (self.root, self.source) = (root, source)
    }
}

extension YAMLNode {
    fileprivate var sourceText: [UInt8] { Array(self.document.source[self.range]) }

    /// The column of the dash of an item.
    fileprivate var dashColumn: Int? {
        self.indicator.map { indicator in
            let source = self.document.source
            return indicator - (source[..<indicator].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0)
        }
    }

    /// The item among its neighbours: its name, or all of it.
    fileprivate var identity: String { self["name"]?.string ?? String(decoding: self.sourceText, as: UTF8.self) }

    /// True for a literal or folded block that keeps the empty lines behind it (`|+`), or what ends with one.
    fileprivate var endsInKeptLines: Bool {
        guard self.kind == .scalar else {
            let last = Array(self.pairs).last?.value ?? Array(self.items).last
            return last?.endsInKeptLines ?? false
        }
        return !self.isInline && self.sourceText.prefix { $0 != ASCII.lineFeed }.contains(0x2B)
    }

    /// True for what needs no lines of its own.
    fileprivate var isInline: Bool {
        self.kind == .scalar ? self.style != .literal && self.style != .folded : self.isFlow
    }

    /// The text on one line; `nil` for one that has several.
    fileprivate var inlineText: [UInt8]? {
        guard !self.isInline else { return self.sourceText }
        guard self.kind == .mapping else { return nil }
        var pairs: [[UInt8]] = []
        for (key, value) in self.pairs {
            guard value.kind == .scalar, value.isInline else { return nil }
            pairs.append(key.sourceText + Array(": ".utf8) + value.sourceText)
        }
        return Array("{ ".utf8) + pairs.joined(separator: Array(", ".utf8)) + Array(" }".utf8)
    }

    fileprivate func isSame(as other: YAMLNode, butForName: Bool = false) -> Bool {
        guard self.kind == other.kind, self.count == other.count else { return false }
        switch self.kind {
        case .scalar: return self.bytes == other.bytes && self.style == other.style
        case .sequence: return zip(self.items, other.items).allSatisfy { $0.isSame(as: $1) }
        case .mapping:
            return zip(self.pairs, other.pairs).allSatisfy { pair, its in
                let name = pair.key.string
                return name == its.key.string && (butForName && name == "name" || pair.value.isSame(as: its.value))
            }
        }
    }
}

extension [UInt8] {
    /// True for lines of which the last is empty, as a block that keeps the empty lines behind it (`|+`) is written.
    fileprivate var endsInEmptyLine: Bool {
        guard self.last == ASCII.lineFeed else { return false }
        return self.dropLast().last { $0 != ASCII.space && $0 != 0x0D } == ASCII.lineFeed
    }

    /// Whole lines that are moved to the right, or to the left as far as there are spaces.
    func indented(by columns: Int) -> [UInt8] {
        guard columns != 0 else { return self }
        var result: [UInt8] = []
        for line in self.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).dropLast() {
            if columns > 0, line.contains(where: { $0 != 0x0D }) {
                result += repeatElement(ASCII.space, count: columns)
            }
            let spaces = line.prefix { $0 == ASCII.space }.count
            result += columns > 0 ? line : line.dropFirst(Swift.min(-columns, spaces))
            result.append(ASCII.lineFeed)
        }
        return result
    }
}
