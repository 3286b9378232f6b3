import TapedeckCore
import TapedeckYAML

/// The files with descriptors that a cassette names.
extension CassetteMerge {
    /// Adds the name of a recording's file to `descriptors:`. Returns false when the text is laid out in a way that cannot
    /// be edited.
    mutating func editDescriptors(_ root: YAMLNode, _ input: Input) -> Bool {
        let files = input.cassette.descriptors.adding(input.descriptors)
        guard files != input.cassette.descriptors else { return true }
        let source = self.document.source
        let line = CassetteWriter.line(descriptors: files)
        if let pair = root.pairs.first(where: { $0.key.string == "descriptors" }) {
            guard let lines = SourceEditor.lines(from: pair.key, to: pair.value, in: source) else { return false }
            self.editor.replace(lines, with: line)
            return true
        }
        guard root.column == 0 else { return false }
        guard let next = root.pairs.first(where: { ["responseSets", "profiles"].contains($0.key.string) }) else {
            self.editor.insert(line, at: source.count)
            return true
        }
        guard let lines = SourceEditor.lines(from: next.key, to: next.value, in: source) else { return false }
        self.editor.insert(line, at: SourceEditor.withComment(lines, in: source).lowerBound)
        return true
    }
}
