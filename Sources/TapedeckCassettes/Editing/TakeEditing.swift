import TapedeckCore
import TapedeckYAML

/// Changes one take in a cassette's text, key by key.
enum TakeEditing {
    /// Edits the keys of a take that differ. Returns false if the text is laid out in a way that cannot be edited.
    static func change(_ node: YAMLNode, from old: Take, to new: Take, in editor: inout SourceEditor) -> Bool {
        let source = node.document.source
        guard let lines = SourceEditor.lines(of: node, in: source), let indicator = node.indicator else { return false }
        let start = source[..<indicator].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
        let indent = indicator - start
        let (before, after) = (Keys(old, indent: indent), Keys(new, indent: indent))
        // Lines of keys can be exchanged only where the keys are in the column in which they are written.
        guard let before, let after, node.kind == .mapping, !node.isFlow, node.column == indent + 2 else {
            editor.replace(lines, with: CassetteWriter.items([new], indent: indent))
            return true
        }
        var end = lines.lowerBound
        var isFirst = true
        for name in after.names + before.names.filter({ !after.names.contains($0) }) {
            guard let pair = node.pairs.first(where: { $0.key.string == name }) else {
                if let text = after.texts[name] {
                    // Behind the key that comes before it where takes are written.
                    guard !isFirst else { return self.replace(lines, with: new, indent, in: &editor) }
                    editor.insert(text, at: end)
                }
                continue
            }
            guard let range = SourceEditor.lines(from: pair.key, to: pair.value, in: source) else {
                return self.replace(lines, with: new, indent, in: &editor)
            }
            let holdsDash = range.contains(indicator)
            if before.texts[name] != after.texts[name] {
                guard let text = after.texts[name] else {
                    if holdsDash { return self.replace(lines, with: new, indent, in: &editor) }
                    editor.replace(range, with: [])
                    continue
                }
                // The dash stays in the first line.
                let dashed =
                    [UInt8](repeating: ASCII.space, count: indent) + Array("- ".utf8) + text.dropFirst(indent + 2)
                editor.replace(range, with: holdsDash ? dashed : text)
            }
            end = range.upperBound
            isFirst = false
        }
        return true
    }

    private static func replace(
        _ lines: Range<Int>,
        with take: Take,
        _ indent: Int,
        in editor: inout SourceEditor
    ) -> Bool {
        editor.replace(lines, with: CassetteWriter.items([take], indent: indent))
        return true
    }

    /// The lines of each key of a take, as they are written.
    private struct Keys {
        var names: [String] = []
        var texts: [String: [UInt8]] = [:]

        init?(_ take: Take, indent: Int) {
            let list = CassetteWriter.items([take], indent: indent)
            guard let item = (try? YAMLDocument(parsing: list))?.root?.items.first(where: { _ in true }) else {
                return nil
            }
            for (key, value) in item.pairs {
                guard let range = SourceEditor.lines(from: key, to: value, in: list) else { return nil }
                var text = Array(list[range])
                // The dash in front of the first key.
                if range.lowerBound == 0 { text.replaceSubrange(indent..<indent + 1, with: [ASCII.space]) }
                self.names.append(key.string)
                self.texts[key.string] = text
            }
        }
    }
}
