extension YAMLNode {
    /// The position in the file of a byte of the scalar's text. `nil` for a text that is folded or has escapes, because
    /// its bytes are not those of the file.
    package func position(ofTextByte offset: Int) -> YAMLPosition? {
        let record = self.record
        switch record.shape {
        case .plain, .singleQuoted, .doubleQuoted:
            guard record.isSimple else { return nil }
            return self.document.position(ofByte: record.inner.lowerBound + min(offset, record.inner.count))
        case .literal:
            return self.document.position(ofByte: self.sourceOffset(ofLiteralByte: offset))
        case .folded, .mapping, .sequence:
            return nil
        }
    }

    private func sourceOffset(ofLiteralByte offset: Int) -> Int {
        let source = self.document.source
        let indent = Int(self.record.count)
        let end = self.range.upperBound
        func lineEnd(_ start: Int) -> Int { source[start..<end].firstIndex(of: YAMLByte.lineFeed) ?? end }
        var start = min(lineEnd(self.range.lowerBound) + 1, end)
        var left = offset
        while start < end {
            let feed = lineEnd(start)
            let last = feed > start && source[feed - 1] == YAMLByte.carriageReturn ? feed - 1 : feed
            let first = min(start + indent, last)
            // The line end counts as one byte of the text.
            guard left > last - first, feed + 1 < end else { return min(first + left, last) }
            left -= last - first + 1
            start = feed + 1
        }
        return end
    }
}
