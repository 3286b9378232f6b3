import TapedeckCore
import TapedeckYAML

/// The files with descriptors that a cassette names.
extension CassetteMerge {
    /// Adds the name of a recording's file to `descriptors:`. Returns false when the text is laid out in a way that cannot
    /// be edited.
    mutating func editDescriptors(_ root: YAMLNode, _ input: Input) -> Bool {
        var cassette = input.cassette
        cassette.descriptors = cassette.descriptors.adding(input.descriptors)
        guard cassette.descriptors != input.cassette.descriptors else { return true }
        return self.replace("descriptors", of: root, with: CassetteWriter.text(of: "descriptors", in: cassette))
    }

    /// Replaces a key of the cassette and its value, or inserts them in front of the response sets and profiles. Returns false
    /// when the text is laid out in a way that cannot be edited.
    mutating func replace(_ key: String, of root: YAMLNode, with text: [UInt8]) -> Bool {
        let source = self.document.source
        if let pair = root.pairs.first(where: { $0.key.string == key }) {
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
