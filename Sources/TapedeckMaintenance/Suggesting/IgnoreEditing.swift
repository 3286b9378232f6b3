package import TapedeckCassettes
package import TapedeckCore
import TapedeckYAML

/// Adds to the `ignore:` of a cassette's text. Everything else stays unchanged, comments included.
package enum IgnoreEditing {
    /// The lines of YAML that say what is ignored.
    package static func yaml(_ rules: MatchingRules) -> [String] {
        let kinds = self.kinds(rules).filter { !$0.texts.isEmpty }
        return kinds.isEmpty
            ? [] : ["ignore:"] + kinds.map { "  \($0.key): \(String(decoding: self.list($0.texts), as: UTF8.self))" }
    }

    /// - Parameters:
    ///   - result: the parsed cassette.
    ///   - added: rules to ignore in addition to the existing ones.
    /// - Throws: ``CassetteError`` if the text's layout has no room for it.
    package static func text(
        of result: CassetteReader.Result,
        ignoring added: MatchingRules
    ) throws(CassetteError) -> [UInt8] {
        let path = result.cassette.path ?? result.cassette.name
        var expected = result.cassette
        expected.matching.ignore(added)
        if let text = self.edit(result, added, all: expected.matching) {
            let now = CassetteReader.read(text, name: result.cassette.name, path: path)
            if !now.hasErrors, now.cassette == expected { return text }
        }
        throw CassetteError(path: path, "its text leaves no place to add to `ignore` by itself; add the lines by hand")
    }

    private static func edit(_ result: CassetteReader.Result, _ added: MatchingRules, all: MatchingRules) -> [UInt8]? {
        guard let document = result.document, let root = document.root, root.kind == .mapping, !root.isFlow else {
            return nil
        }
        var editor = SourceEditor(document.source)
        guard let pair = root.pairs.first(where: { $0.key.string == "ignore" }) else {
            let place = root.pairs.first { $0.key.string == "responseSets" }?.key.range.lowerBound
            let lines = self.yaml(added).joined(separator: "\n") + "\n"
            editor.insert(Array(lines.utf8), at: place ?? document.source.count)
            return editor.result()
        }
        guard pair.value.kind == .mapping, !pair.value.isFlow else {
            // `ignore:` with nothing behind it, or `ignore: { … }`.
            let pairs = self.kinds(all).filter { !$0.texts.isEmpty }
                .map { Array("\($0.key): ".utf8) + self.list($0.texts) }
            var text = Array(" { ".utf8)
            text += pairs.joined(separator: Array(", ".utf8))
            text += Array(" }".utf8)
            editor.replace(pair.key.range.upperBound + 1..<pair.value.range.upperBound, with: text)
            return editor.result()
        }
        for (kind, whole) in zip(self.kinds(added), self.kinds(all)) where !kind.texts.isEmpty {
            self.add(kind.texts, to: pair.value[kind.key], kind.key, whole.texts, in: pair.value, &editor)
        }
        return editor.result()
    }

    private static func add(
        _ texts: [String],
        to list: YAMLNode?,
        _ key: String,
        _ all: [String],
        in mapping: YAMLNode,
        _ editor: inout SourceEditor
    ) {
        let source = mapping.document.source
        guard let list else {
            // In front of the first key, whose own indentation goes to the new line.
            var line = Array("\(key): ".utf8)
            line += self.list(texts)
            line.append(ASCII.lineFeed)
            line += [UInt8](repeating: ASCII.space, count: mapping.column)
            editor.insert(line, at: mapping.range.lowerBound)
            return
        }
        let items = Array(list.items)
        guard list.kind == .sequence, let last = items.last else {
            editor.replace(list.range, with: self.list(all))
            return
        }
        guard !list.isFlow, let lines = SourceEditor.lines(of: last, in: source), let dash = last.indicator else {
            editor.insert(texts.flatMap { Array(", ".utf8) + self.scalar($0) }, at: last.range.upperBound)
            return
        }
        let indent = source[lines.lowerBound..<dash]
        let isWhole = source[lines].last == ASCII.lineFeed
        var text: [UInt8] = isWhole ? [] : [ASCII.lineFeed]
        for item in texts {
            text += indent
            text += Array("- ".utf8)
            text += self.scalar(item)
            text.append(ASCII.lineFeed)
        }
        editor.insert(text, at: lines.upperBound)
    }

    private static func kinds(_ rules: MatchingRules) -> [(key: String, texts: [String])] {
        IgnoredPlace.Kind.allCases.map { ($0.rawValue, rules.ignored($0)) }
    }

    private static func list(_ texts: [String]) -> [UInt8] {
        var bytes: [UInt8] = [ASCII.openBracket]
        bytes += texts.map(self.scalar).joined(separator: Array(", ".utf8))
        bytes.append(ASCII.closeBracket)
        return bytes
    }

    private static func scalar(_ text: String) -> [UInt8] {
        var yaml = YAMLWriter()
        yaml.scalar(text)
        return yaml.bytes
    }
}
