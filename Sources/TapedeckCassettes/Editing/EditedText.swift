package import TapedeckCore
import TapedeckYAML

/// The text of a cassette during a series of edits. Everything that an edit does not name stays byte for byte:
/// comments, order, layout.
package struct EditedText {
    /// The text as it is now, and the cassette that it is.
    package private(set) var result: CassetteReader.Result
    private var originals: [String: String] = [:]

    /// - Parameter result: a cassette without errors, as it was read.
    package init(_ result: CassetteReader.Result) {
        self.result = result
    }

    package var cassette: Cassette { self.result.cassette }
    package var source: [UInt8] { self.result.document?.source ?? [] }
    private var path: String { self.cassette.path ?? self.cassette.name }

    /// - Throws: ``CassetteEdit/Invalid`` if the names do not fit the cassette, ``CassetteError`` if its text is laid out
    ///   in a way that cannot be edited. Nothing is changed then.
    package mutating func make(_ edit: CassetteEdit) throws {
        let expected = try edit.applied(to: self.cassette)
        guard expected != self.cassette else { return }
        // Parts of a one-line `{ … }` cannot be replaced separately; then the whole variant or set is rewritten.
        for make in [Self.text(with:_:), Self.text(withVariantOf:_:), Self.text(withSetOf:_:)] {
            guard let text = make(self)(edit, expected) else { continue }
            if (try? self.take(text, as: expected)) != nil { return }
        }
        throw self.unedited()
    }

    /// Accepts a text that must be read as this cassette.
    ///
    /// - Parameter originals: the current paths of body files that are still to be copied, by their new paths.
    mutating func take(
        _ text: [UInt8],
        as expected: Cassette,
        originals: [String: String] = [:]
    ) throws(CassetteError) {
        self.originals.merge(originals) { $1 }
        let result = CassetteReader.read(text, name: self.cassette.name, path: self.path, originals: self.originals)
        guard !result.hasErrors else { throw CassetteError(result.diagnostics.filter { $0.severity == .error }) }
        // Secrets have no order of their own.
        var (found, wanted) = (result.cassette, expected)
        found.secrets.sort { $0.name < $1.name }
        wanted.secrets.sort { $0.name < $1.name }
        guard found == wanted else { throw self.unedited() }
        self.result = result
    }

    func unedited() -> CassetteError {
        CassetteError(path: self.path, "its text is laid out in a way that cannot be edited; change it by hand")
    }

    // MARK: One edit

    private func text(with edit: CassetteEdit, _ expected: Cassette) -> [UInt8]? {
        guard let lines = SetLines(self.result) else { return nil }
        var editor = SourceEditor(self.source)
        let sets = self.cassette.responseSets
        func node(_ set: String) -> YAMLNode? { sets.firstIndex { $0.name == set }.map { lines.nodes[$0] } }
        func variants(_ set: String) -> [YAMLNode]? { node(set).flatMap(Self.items("variants")) }
        func variant(_ name: String, _ set: String) -> YAMLNode? {
            variants(set)?.first { $0["name"]?.string == name }
        }

        switch edit {
        case .renameSet(let name, let new):
            guard let old = node(name)?["name"] else { return nil }
            editor.replace(old.range, with: Self.scalar(new))
        case .removeSets(let names):
            let removed = Set(names)
            lines.keep(sets.indices.filter { !removed.contains(sets[$0].name) }, in: &editor)
        case .moveSet(let name, let place):
            guard let order = try? edit.order(of: self.cassette, moving: name, to: place) else { return nil }
            lines.reorder(order, in: &editor)
        case .copySet(let name, let new):
            guard let index = sets.firstIndex(where: { $0.name == name }),
                let nameNode = lines.nodes[index]["name"]
            else { return nil }
            let copy = Self.copy(of: lines.items[index], replacing: nameNode, with: new, in: self.source)
            editor.insert(lines.separator(of: index) + copy, at: lines.items[index].upperBound)
        case .renameVariant(let name, let set, let new):
            guard let node = node(set), let variants = variants(set), let old = variant(name, set)?["name"] else {
                return nil
            }
            editor.replace(old.range, with: Self.scalar(new))
            if let selected = node["selected"], selected.string == name {
                editor.replace(selected.range, with: Self.scalar(new))
            }
            for use in variants.flatMap({ Self.references(in: $0) }) where use.string == name {
                editor.replace(use.range, with: Self.scalar(new))
            }
        case .removeVariant(let name, let set):
            guard let item = variant(name, set), let range = SourceEditor.lines(of: item, in: self.source) else {
                return nil
            }
            editor.replace(SourceEditor.withComment(range, in: self.source), with: [])
            if let node = node(set), node["selected"]?.string == name, !self.removePair("selected", of: node, &editor) {
                return nil
            }
        case .copyVariant(let name, let set, let new):
            guard let item = variant(name, set), let nameNode = item["name"],
                let range = SourceEditor.lines(of: item, in: self.source)
            else { return nil }
            let copy = Self.copy(of: range, replacing: nameNode, with: new, in: self.source)
            editor.insert(copy, at: range.upperBound)
        case .makeDefault(_, let set):
            guard let node = node(set), let now = expected.responseSets.first(where: { $0.name == set }) else {
                return nil
            }
            guard self.select(now.selected, in: node, &editor) else { return nil }
        case .removeTake(let number, let set, let name):
            guard let takes = variant(name, set).flatMap(Self.items("takes")), takes.indices.contains(number - 1),
                let range = SourceEditor.lines(of: takes[number - 1], in: self.source)
            else { return nil }
            editor.replace(SourceEditor.withComment(range, in: self.source), with: [])
        case .changeTake(let number, let set, let name, let take):
            guard let place = try? self.cassette.place(ofTake: number, variant: name, set: set),
                let takes = variant(name, set).flatMap(Self.items("takes")), takes.indices.contains(number - 1)
            else { return nil }
            let old = sets[place.set].variants[place.variant].takes[number - 1]
            guard TakeEditing.change(takes[number - 1], from: old, to: take, in: &editor) else { return nil }
        case .addVarying(let places):
            for (index, set) in expected.responseSets.enumerated() where places[set.name] != nil {
                guard self.write(set.varies, in: lines.nodes[index], &editor) else { return nil }
            }
        }
        if let root = self.result.document?.root,
            !ProfileEditing.change(root, from: self.cassette.profiles, to: expected.profiles, edit, in: &editor)
        {
            return nil
        }
        return editor.result()
    }

    /// Returns the text with the edit's variant rewritten, if that is an item with its own lines.
    private func text(withVariantOf edit: CassetteEdit, _ expected: Cassette) -> [UInt8]? {
        switch edit {
        case .removeTake(_, let set, let name), .changeTake(_, let set, let name, _):
            self.text(rewriting: name, of: set, expected)
        default: nil
        }
    }

    private func text(rewriting name: String, of set: String, _ expected: Cassette) -> [UInt8]? {
        guard let lines = SetLines(self.result), let place = try? expected.indices(ofVariant: name, of: set),
            let items = Self.items("variants")(lines.nodes[place.set]), items.indices.contains(place.variant),
            let range = SourceEditor.lines(of: items[place.variant], in: self.source)
        else { return nil }
        var editor = SourceEditor(self.source)
        let variant = expected.responseSets[place.set].variants[place.variant]
        let indent = self.source[range].prefix { $0 == ASCII.space }.count
        editor.replace(range, with: CassetteWriter.item(variant, indent: indent))
        return editor.result()
    }

    /// Returns the text with the edit's set rewritten.
    private func text(withSetOf edit: CassetteEdit, _ expected: Cassette) -> [UInt8]? {
        let name: String
        switch edit {
        case .renameSet, .removeSets, .moveSet, .copySet, .addVarying: return nil
        case .renameVariant(_, let set, _), .removeVariant(_, let set), .copyVariant(_, let set, _),
            .makeDefault(_, let set), .removeTake(_, let set, _), .changeTake(_, let set, _, _):
            name = set
        }
        guard let lines = SetLines(self.result), let root = self.result.document?.root,
            let index = expected.responseSets.firstIndex(where: { $0.name == name }),
            let range = SourceEditor.lines(of: lines.nodes[index], in: self.source)
        else { return nil }
        var editor = SourceEditor(self.source)
        editor.replace(range, with: CassetteWriter.item(expected.responseSets[index], indent: lines.column))
        guard ProfileEditing.change(root, from: self.cassette.profiles, to: expected.profiles, edit, in: &editor) else {
            return nil
        }
        return editor.result()
    }

    /// Writes `selected:` in front of the variants, or takes it away.
    private func select(_ name: String?, in set: YAMLNode, _ editor: inout SourceEditor) -> Bool {
        if let selected = set["selected"] {
            guard let name else { return self.removePair("selected", of: set, &editor) }
            editor.replace(selected.range, with: Self.scalar(name))
            return true
        }
        guard let name else { return true }
        guard let key = set.pairs.first(where: { $0.key.string == "variants" })?.key else { return false }
        var line = Array("selected: ".utf8) + Self.scalar(name) + [ASCII.lineFeed]
        line += [UInt8](repeating: ASCII.space, count: key.column)
        editor.insert(line, at: key.range.lowerBound)
        return true
    }

    /// Writes `varies:` in front of the variants, anew if it is there.
    private func write(_ places: [VaryingPlace], in set: YAMLNode, _ editor: inout SourceEditor) -> Bool {
        guard !set.isFlow, let key = set.pairs.first(where: { $0.key.string == "variants" })?.key else { return false }
        if set["varies"] != nil, !self.removePair("varies", of: set, &editor) { return false }
        var changed = ResponseSet(name: "", request: RequestMatcher(), variants: [])
        changed.varies = places
        let lines = CassetteWriter.varies(changed, indent: key.column)
        editor.insert(
            lines.dropFirst(key.column) + [UInt8](repeating: ASCII.space, count: key.column),
            at: key.range.lowerBound
        )
        return true
    }

    /// Removes a line with a key and its value from a mapping.
    private func removePair(_ key: String, of mapping: YAMLNode, _ editor: inout SourceEditor) -> Bool {
        guard let pair = mapping.pairs.first(where: { $0.key.string == key }),
            let lines = SourceEditor.lines(from: pair.key, to: pair.value, in: self.source)
        else { return false }
        editor.replace(lines, with: [])
        return true
    }

    // MARK: Nodes

    static func scalar(_ text: String) -> [UInt8] {
        var yaml = YAMLWriter()
        yaml.scalar(text)
        return yaml.bytes
    }

    private static func items(_ key: String) -> (YAMLNode) -> [YAMLNode]? {
        { node in
            guard let list = node[key], list.kind == .sequence, !list.isFlow else { return nil }
            return Array(list.items)
        }
    }

    /// The lines of an item, with another text in the place of a scalar in it.
    private static func copy(
        of lines: Range<Int>,
        replacing node: YAMLNode,
        with text: String,
        in source: [UInt8]
    ) -> [UInt8] {
        Array(source[lines.lowerBound..<node.range.lowerBound]) + self.scalar(text)
            + Array(source[node.range.upperBound..<lines.upperBound])
    }

    /// The scalars of a behaviour that name other variants of its set, as `CassetteReader.readBehaviour` finds them.
    private static func references(in behaviour: YAMLNode) -> [YAMLNode] {
        behaviour.pairs.flatMap { key, value -> [YAMLNode] in
            switch key.string {
            case "variant": [value]
            case "after": value["variant"].map { [$0] } ?? []
            case "then", "otherwise": value.kind == .scalar ? [value] : self.references(in: value)
            case "sequence", "random":
                value.items.flatMap { $0.kind == .scalar ? [$0] : self.references(in: $0) }
            default: []
            }
        }
    }
}
