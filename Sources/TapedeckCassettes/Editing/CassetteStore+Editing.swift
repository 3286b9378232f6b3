package import TapedeckCore

extension CassetteStore {
    /// Returns the new texts of both cassettes after moving response sets into another, possibly new, cassette.
    ///
    /// - Parameters:
    ///   - removes: false to copy the sets.
    ///   - newName: the name of a single set in the other cassette; `nil` keeps its name.
    /// - Throws: ``CassetteEdit/Invalid`` for names that do not fit, ``CassetteError`` if the two cassettes exclude
    ///   each other.
    package func transfer(
        _ names: [String],
        from source: CassetteLocation,
        to target: CassetteLocation,
        removing removes: Bool,
        as newName: String? = nil
    ) throws -> CassetteRewrite {
        guard source.path != target.path else {
            throw CassetteError(path: source.path, "the two cassettes are one; name another with --to")
        }
        let old = try self.edited(source)
        let names = names.map(old.cassette.setName)
        var sent = old
        var name = names
        do {
            for name in names { _ = try old.cassette.index(ofSet: name) }
            if let newName, let first = names.first {
                try sent.make(.renameSet(first, to: newName))
                name = [newName]
            }
        } catch let error as CassetteEdit.Invalid {
            throw CassetteEdit.Invalid("\(source.path): \(error)")
        }
        var rewrite = CassetteRewrite()
        try self.add(name, of: sent, at: source, to: target, in: &rewrite)
        guard removes else { return rewrite }
        var left = old
        try left.make(.removeSets(names))
        rewrite.add(source, from: old.result, to: left.result)
        return rewrite
    }

    /// Works out the text of a cassette with all that others have: of a new one that begins as the first of them, if it is not
    /// there. A set that both have in the same way stays as it is.
    ///
    /// - Parameters:
    ///   - removes: true if the others go.
    ///   - progress: counts the others.
    /// - Throws: ``CassetteError`` if two sets of one name are different, or if cassettes exclude each other.
    package func merge(
        _ others: [CassetteLocation],
        into target: CassetteLocation,
        removing removes: Bool,
        progress: WorkProgress? = nil
    ) throws -> CassetteRewrite {
        // The sets as the target has them in the end, and where their bodies are now.
        var known: [String: (set: ResponseSet, source: ResponseSet)] = [:]
        let old = FileContents.exists(target.path) ? try self.edited(target) : nil
        for set in old?.cassette.responseSets ?? [] { known[set.name] = (set, set) }
        var new: (text: EditedText, copies: [CassetteRewrite.Copy])?
        var transfers: [SetTransfer] = []
        var gone: [(CassetteLocation, EditedText)] = []
        var paths: Set = [target.path]
        progress?.begin(others.count)
        for location in others {
            guard paths.insert(location.path).inserted else {
                throw CassetteError(path: location.path, "the cassette is named twice")
            }
            let other = try self.edited(location)
            guard let lines = ListLines(setsOf: other.result) else { throw other.unedited() }
            gone.append((location, other))
            let all = SetTransfer(
                Array(other.cassette.responseSets.indices),
                of: other,
                lines,
                at: location,
                to: target
            )
            let isFirst = old == nil && new == nil
            if isFirst { new = (EditedText(try all.newCassette(), originals: all.originals), all.copies) }
            var added: [Int] = []
            for (index, set) in all.sets.enumerated() {
                let source = other.cassette.responseSets[index]
                guard let mine = known.updateValue((set, source), forKey: set.name) else {
                    added.append(index)
                    continue
                }
                guard mine.set == set, try mine.source.hasBodies(of: source) else {
                    throw CassetteError(
                        path: location.path,
                        "its response set \"\(set.name)\" is not that of \(target.path); rename one of the two first, "
                            + "with `tapedeck set rename`"
                    )
                }
            }
            progress?.step()
            guard !added.isEmpty, !isFirst else { continue }
            transfers.append(SetTransfer(added, of: other, lines, at: location, to: target))
        }
        let copies = (new?.copies ?? []) + transfers.flatMap(\.copies)
        try CassetteRewrite.check(copies)
        var text = try old ?? new?.text ?? self.edited(target)
        try SetTransfer.add(transfers, to: &text)
        var rewrite = CassetteRewrite()
        rewrite.add(target, from: old?.result, to: text.result, copying: copies)
        if removes { for (location, other) in gone { rewrite.add(location, from: other.result, to: nil) } }
        return rewrite
    }

    /// Returns the texts of new cassettes next to one, each with a part of its response sets.
    ///
    /// - Parameters:
    ///   - part: returns the ending of a set's new cassette, which follows the name of the old one.
    ///   - removes: true to remove the old cassette.
    ///   - progress: counts the new cassettes.
    /// - Throws: ``CassetteError`` if one of the new cassettes exists.
    package func split(
        _ location: CassetteLocation,
        removing removes: Bool,
        progress: WorkProgress? = nil,
        by part: (ResponseSet) -> String
    ) throws -> CassetteRewrite {
        let old = try self.edited(location)
        guard let lines = ListLines(setsOf: old.result) else { throw old.unedited() }
        var parts: [(name: String, sets: [Int])] = []
        var places: [String: Int] = [:]
        for (index, set) in old.cassette.responseSets.enumerated() {
            let name = CassetteName.nearest(to: part(set))
            if let place = places[name] {
                parts[place].sets.append(index)
            } else {
                places[name] = parts.count
                parts.append((name, [index]))
            }
        }
        guard parts.count > 1 else {
            throw CassetteError(path: location.path, "all of its response sets would be in one cassette")
        }
        var rewrite = CassetteRewrite()
        progress?.begin(parts.count)
        for (name, sets) in parts {
            let path = "\(FilePath.withoutYAMLEnding(location.path))-\(name).yaml"
            let target = CassetteLocation(path, folder: "")
            guard !FileContents.exists(path) else {
                throw CassetteError(path: path, "there is such a cassette already; rename or remove it first")
            }
            let transfer = SetTransfer(sets, of: old, lines, at: location, to: target)
            rewrite.add(target, from: nil, to: try transfer.newCassette(), copying: transfer.copies)
            progress?.step()
        }
        if removes { rewrite.add(location, from: old.result, to: nil) }
        return rewrite
    }

    /// Adds sets of a cassette to another one, or to a new one.
    private func add(
        _ names: [String],
        of source: EditedText,
        at sourceLocation: CassetteLocation,
        to target: CassetteLocation,
        in rewrite: inout CassetteRewrite
    ) throws {
        guard let lines = ListLines(setsOf: source.result) else { throw source.unedited() }
        let names = Set(names)
        let indices = source.cassette.responseSets.indices.filter {
            names.contains(source.cassette.responseSets[$0].name)
        }
        let transfer = SetTransfer(indices, of: source, lines, at: sourceLocation, to: target)
        guard FileContents.exists(target.path) else {
            rewrite.add(target, from: nil, to: try transfer.newCassette(), copying: transfer.copies)
            return
        }
        let old = try self.edited(target)
        if let set = old.cassette.responseSets.first(where: { names.contains($0.name) }) {
            throw CassetteError(
                path: target.path,
                "there is a response set \"\(set.name)\" already; rename one of the two first, with `tapedeck set rename`"
            )
        }
        var new = old
        try SetTransfer.add([transfer], to: &new)
        rewrite.add(target, from: old.result, to: new.result, copying: transfer.copies)
    }
}

extension ResponseSet {
    /// Returns true if its body files have the contents of those of another set, one by one.
    fileprivate func hasBodies(of other: ResponseSet) throws -> Bool {
        let files = [self, other].map { Cassette(name: "", responseSets: [$0]).bodyFiles }
        return try zip(files[0], files[1]).allSatisfy { try $0.path == $1.path || $0.contents() == $1.contents() }
    }
}
