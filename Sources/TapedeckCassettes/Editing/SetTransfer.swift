import TapedeckCore
import TapedeckYAML

/// Response sets on their way from one cassette into another, with their comments, body files, secrets and the choices of
/// profiles that name them.
struct SetTransfer {
    private let source: EditedText
    private let sourceLocation: CassetteLocation
    private let location: CassetteLocation
    /// The sets to take along, by their numbers in the source.
    private let indices: [Int]
    private let lines: SetLines

    /// The new names of the body files of the sets next to the other cassette, by their old ones.
    private let bodies: [String: String]
    /// The sets, with the new names of their body files.
    let sets: [ResponseSet]

    /// - Parameters:
    ///   - indices: in ascending order.
    ///   - lines: those of the source.
    init(
        _ indices: [Int],
        of source: EditedText,
        _ lines: SetLines,
        at sourceLocation: CassetteLocation,
        to location: CassetteLocation
    ) {
        self.lines = lines
        self.source = source
        self.sourceLocation = sourceLocation
        self.location = location
        self.indices = indices
        let moved = indices.map { source.cassette.responseSets[$0] }
        let bodies = Self.names(of: moved, from: sourceLocation, to: location)
        self.bodies = bodies
        self.sets = moved.map { set in
            var set = set
            for index in set.variants.indices {
                set.variants[index].behaviour.changeTakes { take in
                    take.body.rename(bodies, in: location.folder)
                    take.request?.body.rename(bodies, in: location.folder)
                }
            }
            return set
        }
    }

    private static func names(
        of sets: [ResponseSet],
        from source: CassetteLocation,
        to target: CassetteLocation
    ) -> [String: String] {
        let own = "\(source.bodyFolderName)/"
        return Cassette(name: "", responseSets: sets).bodyFiles.reduce(into: [:]) { names, file in
            names[file.name] =
                file.name.hasPrefix(own)
                ? "\(target.bodyFolderName)/\(file.name.dropFirst(own.count))" : file.name
        }
    }

    // MARK: A new cassette

    /// Returns a new cassette: the text of the source, settings and comments included, without its other sets and without
    /// what profiles choose for those.
    func newCassette() throws -> CassetteReader.Result {
        var editor = SourceEditor(self.source.source)
        self.lines.keep(self.indices, in: &editor)
        let old = self.source.cassette.profiles
        guard let root = self.source.result.document?.root,
            ProfileEditing.change(
                root,
                from: old,
                to: Profile.choosing(among: self.sets, of: old),
                .removeSets([]),
                in: &editor
            )
        else { throw self.source.unedited() }
        let source = self.renamed(editor.result())
        let (name, path) = (self.location.name, self.location.path)
        let result = CassetteReader.read(source, name: name, path: path, originals: self.originals)
        guard !result.hasErrors else { throw CassetteError(result.diagnostics.filter { $0.severity == .error }) }
        guard result.cassette.responseSets == self.sets else { throw self.source.unedited() }
        return result
    }

    // MARK: An existing cassette

    /// Puts the sets of several transfers into one cassette, behind those that it has.
    ///
    /// - Throws: ``CassetteError`` if the cassettes have settings or secrets that exclude each other.
    static func add(_ transfers: [SetTransfer], to target: inout EditedText) throws {
        guard let first = transfers.first else { return }
        guard let root = target.result.document?.root, let targetLines = SetLines(target.result) else {
            throw target.unedited()
        }
        var expected = target.cassette
        let separator =
            targetLines.items.count > 1
            ? targetLines.separator(of: targetLines.items.count - 1) : first.lines.separator(of: 0)
        let column = targetLines.nodes.isEmpty ? 2 : targetLines.column
        var items: [[UInt8]] = []
        var choices = AddedChoices()
        var secrets = AddedSecrets(target.cassette)
        var originals: [String: String] = [:]
        for transfer in transfers {
            try transfer.checkSettings(target.cassette)
            items += transfer.items(column: column)
            choices.add(transfer.choices)
            try secrets.add(transfer.secrets, from: transfer.sourceLocation, to: transfer.location)
            originals.merge(transfer.originals) { $1 }
            expected.responseSets += transfer.sets
        }
        choices.add(to: &expected.profiles)
        expected.secrets += secrets.new

        var editor = SourceEditor(target.source)
        guard targetLines.insert(items, separator: separator, in: &editor),
            ProfileEditing.add(choices.profiles, to: target.cassette.profiles, root, in: &editor)
        else { throw target.unedited() }
        var text = editor.result()
        if !secrets.new.isEmpty {
            let location = first.location
            let read = CassetteReader.read(text, name: location.name, path: location.path, originals: originals)
            guard let whole = CassetteMerge.text(of: read, adding: secrets.new) else { throw target.unedited() }
            text = whole
        }
        try target.take(text, as: expected, originals: originals)
    }

    /// The lines of the sets.
    ///
    /// - Parameter column: the column of their dashes.
    private func items(column: Int) -> [[UInt8]] {
        self.indices.map { index in
            let text = self.renamed(Array(self.source.source[self.lines.items[index]]))
            return Self.indented(text, by: column - self.lines.column)
        }
    }

    /// Settings hold for a whole cassette, so those of both must be the same.
    private func checkSettings(_ target: Cassette) throws(CassetteError) {
        let source = self.source.cassette
        let pairs: [(key: String, isSame: Bool)] = [
            ("match` or `ignore", source.matching == target.matching),
            ("redact", source.redaction == target.redaction),
            ("time", source.time == target.time),
            ("delay", source.delay == target.delay),
            ("streams", source.streams == target.streams),
            ("state", source.state == target.state),
            ("maxAge", source.maxAge == target.maxAge),
        ]
        guard let other = pairs.first(where: { !$0.isSame }) else { return }
        throw CassetteError(
            path: self.location.path,
            "its `\(other.key)` is not that of \(self.sourceLocation.path), and holds for a whole cassette; "
                + "make the two the same first"
        )
    }

    // MARK: Body files

    /// The files to copy.
    var copies: [CassetteRewrite.Copy] {
        var seen: Set<String> = []
        return self.movedFrom.bodyFiles.filter { seen.insert($0.name).inserted }.compactMap { file in
            guard let name = self.bodies[file.name] else { return nil }
            let isInPlace = FilePath.join(self.location.folder, name) == file.path
            return isInPlace ? nil : CassetteRewrite.Copy(source: file, name: name, location: self.location)
        }
    }

    /// The paths of body files before they are copied, by those that they get.
    private var originals: [String: String] {
        self.copies.reduce(into: [:]) { $0[FilePath.join(self.location.folder, $1.name)] = $1.source.path }
    }

    private var movedFrom: Cassette {
        Cassette(name: "", responseSets: self.indices.map { self.source.cassette.responseSets[$0] })
    }

    /// A text with the new names of body files.
    private func renamed(_ text: [UInt8]) -> [UInt8] {
        guard self.bodies.contains(where: { $0.key != $0.value }), let root = (try? YAMLDocument(parsing: text))?.root
        else { return text }
        var editor = SourceEditor(text)
        var nodes = [root]
        while let node = nodes.popLast() {
            nodes += node.items
            for (key, value) in node.pairs {
                if key.string == "file", let name = self.bodies[value.string], name != value.string {
                    editor.replace(value.range, with: EditedText.scalar(name))
                }
                nodes.append(value)
            }
        }
        return editor.result()
    }

    /// Lines that are moved to the right, or to the left as far as there are spaces.
    private static func indented(_ text: [UInt8], by columns: Int) -> [UInt8] {
        guard columns != 0 else { return text }
        var result: [UInt8] = []
        for line in text.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).dropLast() {
            if columns > 0, line.contains(where: { $0 != 0x0D }) {
                result += repeatElement(ASCII.space, count: columns)
            }
            let spaces = line.prefix { $0 == ASCII.space }.count
            result += columns > 0 ? line : line.dropFirst(min(-columns, spaces))
            result.append(ASCII.lineFeed)
        }
        return result
    }

    // MARK: What goes along

    /// The choices for the sets, by the names of their profiles.
    private var choices: [(profile: String, choices: [Profile.Choice])] {
        let names = Set(self.indices.map { self.source.cassette.responseSets[$0].name })
        return self.source.cassette.profiles.compactMap { profile in
            let choices = profile.choices.filter { choice in
                guard case .set(let name) = choice.target else { return false }
                return names.contains(name)
            }
            return choices.isEmpty ? nil : (profile.name, choices)
        }
    }

    /// The secrets in the sets that the source describes.
    private var secrets: [SecretDescription] {
        guard !self.source.cassette.secrets.isEmpty else { return [] }
        let moved = self.movedFrom
        var names = moved.hiddenSecrets
        for index in self.indices {
            names.formUnion(SecretPlaceholder.names(in: Array(self.source.source[self.lines.items[index]])))
        }
        for file in moved.bodyFiles where file.size <= BodyStorage.inspectionLimit {
            if let content = try? file.contents() { names.formUnion(SecretPlaceholder.names(in: content)) }
        }
        return self.source.cassette.secrets.filter { names.contains($0.name) }
    }
}

/// The choices of profiles that come with sets, in the order of their first profile.
private struct AddedChoices {
    private(set) var profiles: [(profile: String, choices: [Profile.Choice])] = []
    private var places: [String: Int] = [:]

    mutating func add(_ choices: [(profile: String, choices: [Profile.Choice])]) {
        for (profile, choices) in choices {
            if let place = self.places[profile] {
                self.profiles[place].choices += choices
            } else {
                self.places[profile] = self.profiles.count
                self.profiles.append((profile, choices))
            }
        }
    }

    /// Adds them to the profiles of a cassette.
    func add(to profiles: inout [Profile]) {
        for (name, choices) in self.profiles {
            if let index = profiles.firstIndex(where: { $0.name == name }) {
                profiles[index].choices += choices
            } else {
                profiles.append(Profile(name: name, choices: choices))
            }
        }
    }
}

/// The descriptions of secrets that come with sets and that the other cassette does not have.
private struct AddedSecrets {
    private(set) var new: [SecretDescription] = []
    private var known: [String: SecretDescription]

    init(_ target: Cassette) {
        self.known = Dictionary(target.secrets.map { ($0.name, $0) }) { first, _ in first }
    }

    /// - Throws: ``CassetteError`` if the other cassette has another secret of the same name.
    mutating func add(
        _ secrets: [SecretDescription],
        from source: CassetteLocation,
        to target: CassetteLocation
    ) throws(CassetteError) {
        for secret in secrets {
            guard let other = self.known[secret.name] else {
                self.known[secret.name] = secret
                self.new.append(secret)
                continue
            }
            guard other == secret else {
                throw CassetteError(
                    path: target.path,
                    "its secret `\(secret.name)` is not that of \(source.path); give one of the two another name first"
                )
            }
        }
    }
}

extension SetLines {
    /// Puts items behind the last set.
    fileprivate func insert(_ items: [[UInt8]], separator: [UInt8], in editor: inout SourceEditor) -> Bool {
        guard let last = self.items.last else { return false }
        editor.insert(items.flatMap { separator + $0 }, at: last.upperBound)
        return true
    }
}

extension ProfileEditing {
    /// Adds choices to profiles, and profiles that are new.
    static func add(
        _ added: [(profile: String, choices: [Profile.Choice])],
        to old: [Profile],
        _ root: YAMLNode,
        in editor: inout SourceEditor
    ) -> Bool {
        guard !added.isEmpty else { return true }
        let source = root.document.source
        guard let node = root["profiles"], node.kind == .mapping, !node.isFlow, let first = Array(node.pairs).first
        else {
            guard root["profiles"] == nil, root.column == 0 else { return false }
            let profiles = added.map { Profile(name: $0.profile, choices: $0.choices) }
            editor.insert(CassetteWriter.text(of: profiles), at: source.count)
            return true
        }
        for (name, choices) in added {
            if let (key, value) = node.pairs.first(where: { $0.key.string == name }) {
                guard !value.isFlow, let last = Array(value.pairs).last,
                    let lines = SourceEditor.lines(from: last.key, to: last.value, in: source)
                else {
                    guard let profile = old.first(where: { $0.name == name }),
                        source[key.range.upperBound] == ASCII.colon
                    else { return false }
                    let text = [ASCII.space] + CassetteWriter.flowText(of: profile.choices + choices)
                    editor.replace(key.range.upperBound + 1..<value.range.upperBound, with: text)
                    continue
                }
                editor.insert(CassetteWriter.text(of: choices, indent: value.column), at: lines.upperBound)
            } else {
                guard let last = Array(node.pairs).last,
                    let lines = SourceEditor.lines(from: last.key, to: last.value, in: source)
                else { return false }
                let profile = Profile(name: name, choices: choices)
                editor.insert(CassetteWriter.text(of: profile, indent: first.key.column), at: lines.upperBound)
            }
        }
        return true
    }
}

extension StoredBody {
    /// Renames its files, for a cassette in `folder`.
    fileprivate mutating func rename(_ names: [String: String], in folder: String) {
        func renamed(_ file: BodyFile) -> BodyFile {
            guard let name = names[file.name] else { return file }
            var file = file
            file.name = name
            file.path = FilePath.join(folder, name)
            return file
        }
        if case .file(let file) = self { self = .file(renamed(file)) }
        if var coding = self.coding, case .file(let file) = coding.kept {
            coding.kept = .file(renamed(file))
            self.coding = coding
        }
    }
}
