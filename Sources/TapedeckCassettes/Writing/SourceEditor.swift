package import TapedeckYAML

/// Collects replacements of byte ranges in a text and applies them in one pass. All other text stays unchanged,
/// comments included. New text gets the line ends of the old one, LF or CRLF, by its first line.
package struct SourceEditor {
    private let source: [UInt8]
    private var edits: [(range: Range<Int>, text: [UInt8])] = []

    package init(_ source: [UInt8]) {
        self.source = source
    }

    /// Replacements at the same place are applied in the order of the calls.
    package mutating func replace(_ range: Range<Int>, with text: [UInt8]) {
        self.edits.append((range, text))
    }

    package mutating func insert(_ text: [UInt8], at offset: Int) {
        self.replace(offset..<offset, with: text)
    }

    var count: Int { self.edits.count }

    /// Takes back the edits from one on.
    mutating func removeEdits(from number: Int) {
        self.edits.removeSubrange(number...)
    }

    package func result() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(max(0, self.edits.reduce(self.source.count) { $0 + $1.text.count - $1.range.count }))
        var position = 0
        let sorted = self.edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
        }
        for (_, edit) in sorted {
            // Overlapping ranges would be the caller's mistake; the first one wins.
            guard edit.range.lowerBound >= position else { continue }
            output.append(contentsOf: self.source[position..<edit.range.lowerBound])
            output.append(contentsOf: self.withLineEnds(edit.text))
            position = edit.range.upperBound
        }
        output.append(contentsOf: self.source[position...])
        return output
    }

    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D

    /// The line end of a text: that of its first line.
    package static func lineEnd(of source: [UInt8]) -> [UInt8] {
        let first = source.firstIndex(of: Self.lineFeed) ?? 0
        let endsInCRLF = first > 0 && source[first - 1] == Self.carriageReturn
        return endsInCRLF ? [Self.carriageReturn, Self.lineFeed] : [Self.lineFeed]
    }

    /// The text of a document with a line end behind its last line. The text of a literal block there keeps its end.
    static func withLastLineEnd(_ document: YAMLDocument) -> [UInt8] {
        var source = document.source
        guard source.last != Self.lineFeed else { return source }
        var last = document.root
        while let node = last, node.kind != .scalar {
            last = Array(node.pairs).last?.value ?? Array(node.items).last
        }
        if let block = last, block.style == .literal || block.style == .folded, block.range.upperBound == source.count {
            let header = source[block.range].prefix { $0 != Self.lineFeed && $0 != 0x23 }
            if let plus = header.firstIndex(of: 0x2B) {
                source[plus] = 0x2D
            } else if !header.contains(0x2D) {
                source.insert(0x2D, at: block.range.lowerBound + 1)
            }
        }
        return source + Self.lineEnd(of: source)
    }

    /// Returns a new text with the line ends of the old one.
    private func withLineEnds(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(Self.lineFeed) else { return text }
        let endsInCRLF = Self.lineEnd(of: self.source).count == 2
        guard endsInCRLF || text.contains(Self.carriageReturn) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + text.count / 16)
        for byte in text {
            if byte == Self.lineFeed {
                if result.last == Self.carriageReturn { result.removeLast() }
                if endsInCRLF { result.append(Self.carriageReturn) }
            }
            result.append(byte)
        }
        return result
    }

    /// Returns the whole lines of an item of a block sequence, from its dash on.
    package static func lines(of item: YAMLNode, in source: [UInt8]) -> Range<Int>? {
        guard let indicator = item.indicator else { return nil }
        let start = source[..<indicator].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // `- - a` and similar: the dash does not begin its line.
        guard source[start..<indicator].allSatisfy({ $0 == 0x20 }) else { return nil }
        let last = max(item.range.upperBound, indicator + 1)
        if last > start, source[last - 1] == 0x0A { return start..<last }
        let end = source[last...].firstIndex(of: 0x0A).map { $0 + 1 } ?? source.count
        return start..<end
    }

    /// The whole lines of a key of a block mapping and its value; `nil` if the key does not begin its line, except behind
    /// the dash of an item.
    package static func lines(from key: YAMLNode, to value: YAMLNode, in source: [UInt8]) -> Range<Int>? {
        let start = source[..<key.range.lowerBound].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        guard source[start..<key.range.lowerBound].allSatisfy({ $0 == 0x20 || $0 == 0x2D }) else { return nil }
        let last = max(key.range.upperBound, value.range.upperBound)
        if last > start, source[last - 1] == 0x0A { return start..<last }
        return start..<(source[last...].firstIndex(of: 0x0A).map { $0 + 1 } ?? source.count)
    }

    /// The lines of an item with the comment lines right above them that begin in the column of its dash.
    package static func withComment(_ lines: Range<Int>, in source: [UInt8]) -> Range<Int> {
        let column = source[lines].prefix { $0 == 0x20 }.count
        var start = lines.lowerBound
        while let line = self.line(before: start, in: source) {
            let text = source[line].drop { $0 == 0x20 }
            guard text.first == 0x23, text.startIndex - line.lowerBound == column else { break }
            start = line.lowerBound
        }
        return start..<lines.upperBound
    }

    /// The line that ends right before `offset`, with its line end.
    package static func line(before offset: Int, in source: [UInt8]) -> Range<Int>? {
        guard offset > 0 else { return nil }
        let start = source[..<(offset - 1)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return start..<offset
    }
}
