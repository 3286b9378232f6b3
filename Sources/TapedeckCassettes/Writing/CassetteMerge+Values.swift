import TapedeckCore
import TapedeckYAML

/// The surroundings of the runs that recorded a cassette.
extension CassetteMerge {
    /// Adds the surroundings of a recording to `values:`. Returns false when the text is laid out in a way that cannot be
    /// edited.
    mutating func editValues(_ root: YAMLNode, _ input: Input) -> Bool {
        let values = input.cassette.surroundings.union(input.surroundings)
        guard values != input.cassette.surroundings else { return true }
        let source = self.document.source
        let text = CassetteWriter.text(of: values)
        if let pair = root.pairs.first(where: { $0.key.string == "values" }) {
            guard let lines = SourceEditor.lines(from: pair.key, to: pair.value, in: source) else { return false }
            self.editor.replace(lines, with: text)
            return true
        }
        guard root.column == 0 else { return false }
        guard let next = root.pairs.first(where: { ["responseSets", "profiles"].contains($0.key.string) }) else {
            self.editor.insert(text, at: source.count)
            return true
        }
        guard let lines = SourceEditor.lines(from: next.key, to: next.value, in: source) else { return false }
        self.editor.insert(text, at: SourceEditor.withComment(lines, in: source).lowerBound)
        return true
    }
}
