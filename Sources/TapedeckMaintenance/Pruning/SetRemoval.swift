package import TapedeckCassettes
import TapedeckCore
import TapedeckYAML

/// Takes response sets out of a cassette's text. Everything else stays as it stands; the comment right above a set goes
/// with it.
package enum SetRemoval {
    /// The text without the sets of these names.
    ///
    /// - Parameter result: the cassette as it was read.
    /// - Throws: ``CassetteError`` when its list of sets is written in a way that cannot be edited, or when what is left
    ///   would be no cassette.
    package static func text(
        of result: CassetteReader.Result,
        without names: Set<String>
    ) throws(CassetteError) -> [UInt8] {
        let path = result.cassette.path ?? result.cassette.name
        guard let text = self.edit(result, without: names) else {
            throw CassetteError(
                path: path,
                "its `responseSets` are not written as lines with a dash each, so sets cannot be taken out; do it by hand"
            )
        }
        let left = CassetteReader.read(text, name: result.cassette.name, path: path)
        guard !left.hasErrors else { throw CassetteError(left.diagnostics.filter { $0.severity == .error }) }
        var expected = result.cassette
        expected.responseSets.removeAll { names.contains($0.name) }
        guard left.cassette == expected else {
            throw CassetteError(path: path, "taking the sets out would change others, too; do it by hand")
        }
        return text
    }

    private static func edit(_ result: CassetteReader.Result, without names: Set<String>) -> [UInt8]? {
        guard let document = result.document, let root = document.root, !root.isFlow,
            let pair = root.pairs.first(where: { $0.key.string == "responseSets" }),
            pair.value.kind == .sequence, !pair.value.isFlow,
            pair.value.count == result.cassette.responseSets.count
        else { return nil }
        let source = document.source
        var removed: [Range<Int>] = []
        var left = 0
        for (set, item) in zip(result.cassette.responseSets, pair.value.items) {
            guard names.contains(set.name) else {
                left += 1
                continue
            }
            guard let lines = SourceEditor.lines(of: item, in: source) else { return nil }
            let whole = self.withComment(lines, in: source)
            if let last = removed.last, last.upperBound == whole.lowerBound {
                removed[removed.count - 1] = last.lowerBound..<whole.upperBound
            } else {
                removed.append(whole)
            }
        }
        var editor = SourceEditor(source)
        for lines in removed { editor.replace(self.withEmptyLine(lines, in: source), with: []) }
        if left == 0 {
            let colon = pair.key.range.upperBound
            guard source[colon] == ASCII.colon else { return nil }
            editor.insert(Array(" []".utf8), at: colon + 1)
        }
        return editor.result()
    }

    /// The lines of a set with the comment lines right above them that stand in the column of its dash.
    private static func withComment(_ lines: Range<Int>, in source: [UInt8]) -> Range<Int> {
        let column = source[lines].prefix { $0 == ASCII.space }.count
        var start = lines.lowerBound
        while let line = self.line(before: start, in: source) {
            let text = source[line].drop { $0 == ASCII.space }
            guard text.first == ASCII.hash, text.startIndex - line.lowerBound == column else { break }
            start = line.lowerBound
        }
        return start..<lines.upperBound
    }

    /// The lines, and the empty one above them where another one, or the end of the file, comes below.
    private static func withEmptyLine(_ lines: Range<Int>, in source: [UInt8]) -> Range<Int> {
        let isLast = lines.upperBound == source.count || source[lines.upperBound] == ASCII.lineFeed
        guard isLast, let line = self.line(before: lines.lowerBound, in: source),
            source[line].allSatisfy({ $0 <= ASCII.space })
        else { return lines }
        return line.lowerBound..<lines.upperBound
    }

    /// The line that ends right before `offset`, with its line end.
    private static func line(before offset: Int, in source: [UInt8]) -> Range<Int>? {
        guard offset > 0 else { return nil }
        let start = source[..<(offset - 1)].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
        return start..<offset
    }
}
