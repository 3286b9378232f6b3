import TapedeckCassettes
import TapedeckCore
import TapedeckYAML

extension YAMLNode {
    /// Returns a text in the style of this scalar, to replace it: a block as a block, everything else on one line.
    func scalar(_ content: [UInt8]) -> [UInt8] {
        var writer = YAMLWriter()
        let source = self.document.source
        guard self.style == .literal || self.style == .folded,
            content.withUnsafeBytes({ YAMLWriter.canBeLiteral($0) }),
            let feed = source[self.range].firstIndex(of: ASCII.lineFeed)
        else {
            writer.scalar(content)
            if self.range.upperBound > 0, source[self.range.upperBound - 1] == ASCII.lineFeed { writer.newline() }
            return writer.bytes
        }
        let header = source[self.range.lowerBound..<feed]
        let lines = source[source.index(after: feed)..<self.range.upperBound]
        let indent =
            lines.split(separator: ASCII.lineFeed).lazy.map { $0.prefix { $0 == ASCII.space }.count }.min() ?? 2
        let step = header.compactMap { (0x31...0x39).contains($0) ? Int($0 - 0x30) : nil }.first ?? 2
        content.withUnsafeBytes { writer.literal($0, indent: indent, step: step) }
        return writer.bytes
    }
}
