import TapedeckCore
import TapedeckYAML

/// The lines of the items of a list. A comment right above an item, in the column of its dash, is part of the item; empty
/// lines and other comments between items are not.
struct ListLines {
    /// The items, in the order of the file.
    let nodes: [YAMLNode]
    /// The lines of each item.
    let lines: [Range<Int>]
    /// The lines of each item, with its comment.
    let items: [Range<Int>]
    /// The items behind which there is more than empty lines before the next one, such as a comment about a group.
    private let textBehind: [Int]
    private let source: [UInt8]
    /// The position behind the colon of the list's key, if it is known.
    private let colon: Int?
    /// The place of a list without items.
    private let empty: Range<Int>

    /// `nil` unless it is written with a line for each dash, or has no items.
    init?(_ list: YAMLNode, colon: Int? = nil, in source: [UInt8]) {
        let isEmpty = list.count == 0 && (list.kind == .sequence || list.isNull)
        guard isEmpty || list.kind == .sequence && !list.isFlow else { return nil }
        self.nodes = Array(list.items)
        self.source = source
        self.colon = colon
        self.empty = list.range
        var lines: [Range<Int>] = []
        lines.reserveCapacity(self.nodes.count)
        for node in self.nodes {
            guard let range = SourceEditor.lines(of: node, in: source) else { return nil }
            lines.append(range)
        }
        self.lines = lines
        let items = lines.map { SourceEditor.withComment($0, in: source) }
        self.items = items
        self.textBehind = items.indices.dropLast().filter { index in
            !source[items[index].upperBound..<items[index + 1].lowerBound].allSatisfy { $0 <= ASCII.space }
        }
    }

    /// The list that is the value of a key.
    init?(_ key: YAMLNode, _ list: YAMLNode, in source: [UInt8]) {
        guard source[key.range.upperBound] == ASCII.colon else { return nil }
        self.init(list, colon: key.range.upperBound + 1, in: source)
    }

    /// The response sets of a cassette, if it has them as a list.
    init?(setsOf result: CassetteReader.Result) {
        guard let document = result.document, let root = document.root, !root.isFlow,
            let pair = root.pairs.first(where: { $0.key.string == "responseSets" }), pair.value.kind == .sequence,
            pair.value.count == result.cassette.responseSets.count
        else { return nil }
        self.init(pair.key, pair.value, in: document.source)
    }

    /// The column of the dashes.
    var column: Int? {
        guard let indicator = self.nodes.first?.indicator else { return nil }
        let start = self.source[..<indicator].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
        return indicator - start
    }

    /// Writes the first items of a list that has none.
    func fill(_ text: [UInt8], in editor: inout SourceEditor) -> Bool {
        guard let colon = self.colon, let end = self.source[self.empty.upperBound...].firstIndex(of: ASCII.lineFeed)
        else { return false }
        // `[]` goes, a comment behind it stays.
        if self.empty.upperBound > colon { editor.replace(colon..<self.empty.upperBound, with: []) }
        editor.insert(text, at: end + 1)
        return true
    }

    /// Removes all items but some, with the empty lines between them. Takes time in proportion to the items that stay, and
    /// to the comments between items, which stay too.
    ///
    /// - Parameters:
    ///   - indices: in ascending order.
    ///   - adding: true if the edits insert other items.
    func keep(_ indices: [Int], adding: Bool = false, in editor: inout SourceEditor) {
        var next = 0
        for index in indices + [self.items.count] {
            self.remove(next..<index, from: &editor)
            next = index + 1
        }
        if indices.isEmpty, !self.items.isEmpty, !adding, let colon = self.colon {
            editor.insert(Array(" []".utf8), at: colon)
        }
    }

    /// Removes items that follow each other.
    private func remove(_ indices: Range<Int>, from editor: inout SourceEditor) {
        guard let last = indices.last else { return }
        var first = indices.lowerBound
        var place = self.textBehind.partitioningIndex { $0 >= first }
        while first <= last {
            let end = place < self.textBehind.count ? min(self.textBehind[place], last) : last
            let lines = self.items[first].lowerBound..<self.items[end].upperBound
            editor.replace(self.withEmptyLine(lines), with: [])
            first = end + 1
            place += 1
        }
    }

    /// The empty lines that separate an item from the next one, else from the one before.
    func separator(of index: Int) -> [UInt8] {
        let gap: Range<Int>
        if index + 1 < self.items.count {
            gap = self.items[index].upperBound..<self.items[index + 1].lowerBound
        } else if index > 0 {
            gap = self.items[index - 1].upperBound..<self.items[index].lowerBound
        } else {
            return []
        }
        return self.source[gap].allSatisfy { $0 <= ASCII.space } ? Array(self.source[gap]) : []
    }

    /// The lines, and the empty one above them where another one, or the end of the file, comes below.
    private func withEmptyLine(_ lines: Range<Int>) -> Range<Int> {
        let below = self.source[lines.upperBound...].prefix { $0 != ASCII.lineFeed }
        let isLast = below.allSatisfy { $0 <= ASCII.space }
        guard isLast, let line = SourceEditor.line(before: lines.lowerBound, in: self.source),
            self.source[line].allSatisfy({ $0 <= ASCII.space })
        else { return lines }
        return line.lowerBound..<lines.upperBound
    }
}
