import TapedeckCore
import TapedeckYAML

/// The lines of the response sets in a cassette's text. A comment right above a set, in the column of its dash, is part of
/// the set; empty lines and other comments between sets are not.
struct SetLines {
    /// The sets, in the order of the file.
    let nodes: [YAMLNode]
    /// The lines of each set, with its comment.
    let items: [Range<Int>]
    /// The sets behind which there is more than empty lines before the next one, such as a comment about a group of sets.
    private let textBehind: [Int]
    private let source: [UInt8]
    /// The position behind the colon of `responseSets:`.
    private let colon: Int

    /// `nil` if the sets are not written as a list with a line for each dash.
    init?(_ result: CassetteReader.Result) {
        guard let document = result.document, let root = document.root, !root.isFlow,
            let pair = root.pairs.first(where: { $0.key.string == "responseSets" }),
            pair.value.kind == .sequence, !pair.value.isFlow,
            pair.value.count == result.cassette.responseSets.count,
            document.source[pair.key.range.upperBound] == ASCII.colon
        else { return nil }
        self.nodes = Array(pair.value.items)
        self.source = document.source
        self.colon = pair.key.range.upperBound + 1
        var items: [Range<Int>] = []
        items.reserveCapacity(self.nodes.count)
        for node in self.nodes {
            guard let lines = SourceEditor.lines(of: node, in: document.source) else { return nil }
            items.append(SourceEditor.withComment(lines, in: document.source))
        }
        self.items = items
        let source = document.source
        self.textBehind = items.indices.dropLast().filter { index in
            !source[items[index].upperBound..<items[index + 1].lowerBound].allSatisfy { $0 <= ASCII.space }
        }
    }

    /// The column of the dashes.
    var column: Int {
        guard let node = self.nodes.first, let indicator = node.indicator else { return 2 }
        let start = self.source[..<indicator].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
        return indicator - start
    }

    /// Removes all sets but some, with the empty lines between them. Takes time in proportion to the sets that stay, and to
    /// the comments between sets, which stay too.
    ///
    /// - Parameters:
    ///   - indices: in ascending order.
    ///   - adding: true if the edits insert other sets.
    func keep(_ indices: [Int], adding: Bool = false, in editor: inout SourceEditor) {
        var next = 0
        for index in indices + [self.items.count] {
            self.remove(next..<index, from: &editor)
            next = index + 1
        }
        if indices.isEmpty, !adding { editor.insert(Array(" []".utf8), at: self.colon) }
    }

    /// Removes sets that follow each other.
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

    /// Changes the order of the sets. The text between them stays.
    func reorder(_ order: [Int], in editor: inout SourceEditor) {
        for (place, old) in order.enumerated() where place != old {
            editor.replace(self.items[place], with: Array(self.source[self.items[old]]))
        }
    }

    /// The empty lines that separate a set from the next one, else from the one before.
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
