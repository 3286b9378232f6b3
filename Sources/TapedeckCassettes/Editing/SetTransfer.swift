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
    private let lines: ListLines

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
        _ lines: ListLines,
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
        var expected = self.source.cassette
        expected.profiles = Profile.choosing(among: self.sets, of: expected.profiles)
        guard
            let text = CassettePatch.text(
                of: self.source.result,
                keeping: self.indices,
                of: self.lines,
                as: expected
            )
        else { throw self.source.unedited() }
        let source = self.renamed(text)
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
        guard let targetLines = ListLines(setsOf: target.result) else { throw target.unedited() }
        var expected = target.cassette
        // Those of several sets are kept apart as the others are.
        let separator = targetLines.items.count > 1 ? [] : first.lines.separator(of: 0)
        let column = targetLines.column ?? 2
        var texts: [String: [UInt8]] = [:]
        var choices = AddedChoices()
        var secrets = AddedSecrets(target.cassette)
        var originals: [String: String] = [:]
        for transfer in transfers {
            try transfer.checkSettings(target.cassette)
            for (set, item) in zip(transfer.sets, transfer.items(column: column)) {
                texts[set.name] = targetLines.nodes.isEmpty && texts.isEmpty ? item : separator + item
            }
            choices.add(transfer.choices)
            try secrets.add(transfer.secrets, from: transfer.sourceLocation, to: transfer.location)
            originals.merge(transfer.originals) { $1 }
            expected.responseSets += transfer.sets
        }
        choices.add(to: &expected.profiles)
        expected.secrets.add(secrets.new)
        try target.change(to: expected, texts: texts, originals: originals)
    }

    /// The lines of the sets.
    ///
    /// - Parameter column: the column of their dashes.
    private func items(column: Int) -> [[UInt8]] {
        self.indices.map { index in
            let text = self.renamed(Array(self.source.source[self.lines.items[index]]))
            return text.indented(by: column - (self.lines.column ?? column))
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
    var originals: [String: String] {
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
                    editor.replace(value.range, with: CassettePatch.scalar(name))
                }
                nodes.append(value)
            }
        }
        return editor.result()
    }

    // MARK: What goes along

    /// The choices for the sets, by the names of their profiles. In the other cassette a choice for all sets, or for those of an
    /// origin, would count for others too: each set gets a choice of its own.
    private var choices: [(profile: String, choices: [Profile.Choice])] {
        let sets = self.indices.map { self.source.cassette.responseSets[$0] }
        return self.source.cassette.profiles.compactMap { profile in
            var seen: Set<String> = []
            let choices = sets.compactMap { set -> Profile.Choice? in
                guard let variant = set.choice(of: profile.choices), seen.insert(set.name).inserted else { return nil }
                return Profile.Choice(.set(set.name), variant)
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
