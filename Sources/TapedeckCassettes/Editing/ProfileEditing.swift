import TapedeckCore
import TapedeckYAML

/// Changes the profiles in a cassette's text along with what they name.
enum ProfileEditing {
    /// Edits `profiles:` to match `new`, without adding or removing profiles. Returns false if the layout of the text
    /// cannot be edited.
    ///
    /// - Parameter edit: the change of the cassette, which determines the new form of each choice.
    static func change(
        _ root: YAMLNode,
        from old: [Profile],
        to new: [Profile],
        _ edit: CassetteEdit,
        in editor: inout SourceEditor
    ) -> Bool {
        guard old != new else { return true }
        guard let node = root["profiles"], node.kind == .mapping, node.count == old.count, old.count == new.count else {
            return false
        }
        for (pair, (old, new)) in zip(node.pairs, zip(old, new)) where old != new {
            guard self.change(pair.key, pair.value, from: old, to: new, edit, in: &editor) else { return false }
        }
        return true
    }

    private static func change(
        _ key: YAMLNode,
        _ node: YAMLNode,
        from old: Profile,
        to new: Profile,
        _ edit: CassetteEdit,
        in editor: inout SourceEditor
    ) -> Bool {
        let source = node.document.source
        guard node.kind == .mapping, node.count == old.choices.count, source[key.range.upperBound] == ASCII.colon else {
            return false
        }
        var left = new.choices[...]
        // The new choice in the place of each old one; `nil` for one that goes.
        let changes = old.choices.map { choice -> Profile.Choice? in
            left.first?.target == self.target(of: choice, after: edit) ? left.popFirst() : nil
        }
        guard !node.isFlow || left.isEmpty && changes.allSatisfy({ $0 != nil }) else {
            let text = CassetteWriter.flowText(of: new.choices)
            editor.replace(node.range, with: text)
            return true
        }
        for ((target, variant), (choice, now)) in zip(node.pairs, zip(old.choices, changes)) {
            guard let now else {
                guard let lines = SourceEditor.lines(from: target, to: variant, in: source) else { return false }
                editor.replace(lines, with: [])
                continue
            }
            if now.target != choice.target { editor.replace(target.range, with: EditedText.scalar(now.target.key)) }
            if now.variant != choice.variant { editor.replace(variant.range, with: EditedText.scalar(now.variant)) }
        }
        if new.choices.isEmpty, !node.isFlow { editor.insert(Array(" {}".utf8), at: key.range.upperBound + 1) }
        guard !left.isEmpty else { return true }
        guard let last = Array(node.pairs).last,
            let lines = SourceEditor.lines(from: last.key, to: last.value, in: source)
        else { return false }
        editor.insert(CassetteWriter.text(of: Array(left), indent: node.column), at: lines.upperBound)
        return true
    }

    private static func target(of choice: Profile.Choice, after edit: CassetteEdit) -> Profile.Choice.Target {
        if case .renameSet(let name, let new) = edit, choice.target == .set(name) { return .set(new) }
        return choice.target
    }
}
