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
        for name in names { try left.make(.removeSet(name)) }
        rewrite.add(source, from: old.result, to: left.result)
        return rewrite
    }

    /// Works out the text of a cassette with all that others have. A set that both have in the same way stays
    /// as it is.
    ///
    /// - Parameter removes: true if the others go.
    /// - Throws: ``CassetteError`` if two sets of one name are different, or if cassettes exclude each other.
    package func merge(
        _ others: [CassetteLocation],
        into target: CassetteLocation,
        removing removes: Bool
    ) throws -> CassetteRewrite {
        let old = try self.edited(target)
        var text = old
        var copies: [CassetteRewrite.Copy] = []
        var gone: [(CassetteLocation, EditedText)] = []
        for location in others {
            guard location.path != target.path, !gone.contains(where: { $0.0.path == location.path }) else {
                throw CassetteError(path: location.path, "the cassette is named twice")
            }
            let other = try self.edited(location)
            gone.append((location, other))
            let all = try SetTransfer(Array(other.cassette.responseSets.indices), of: other, at: location, to: target)
            let known = text.cassette.responseSets
            let new = try all.sets.indices.filter { index in
                let set = all.sets[index]
                guard let mine = known.first(where: { $0.name == set.name }) else { return true }
                guard mine == set, try mine.hasBodies(of: other.cassette.responseSets[index]) else {
                    throw CassetteError(
                        path: location.path,
                        "its response set \"\(set.name)\" is not that of \(target.path); rename one of the two first, "
                            + "with `tapedeck set rename`"
                    )
                }
                return false
            }
            guard !new.isEmpty else { continue }
            let transfer = try SetTransfer(new, of: other, at: location, to: target)
            copies += transfer.copies
            try transfer.add(to: &text)
        }
        var rewrite = CassetteRewrite()
        rewrite.add(target, from: old.result, to: text.result, copying: copies)
        if removes { for (location, other) in gone { rewrite.add(location, from: other.result, to: nil) } }
        return rewrite
    }

    /// Returns the texts of new cassettes next to one, each with a part of its response sets.
    ///
    /// - Parameters:
    ///   - part: returns the ending of a set's new cassette, which follows the name of the old one.
    ///   - removes: true to remove the old cassette.
    /// - Throws: ``CassetteError`` if one of the new cassettes exists.
    package func split(
        _ location: CassetteLocation,
        removing removes: Bool,
        by part: (ResponseSet) -> String
    ) throws -> CassetteRewrite {
        let old = try self.edited(location)
        var parts: [(name: String, sets: [String])] = []
        for set in old.cassette.responseSets {
            let name = CassetteName.nearest(to: part(set))
            if let index = parts.firstIndex(where: { $0.name == name }) {
                parts[index].sets.append(set.name)
            } else {
                parts.append((name, [set.name]))
            }
        }
        guard parts.count > 1 else {
            throw CassetteError(path: location.path, "all of its response sets would be in one cassette")
        }
        var rewrite = CassetteRewrite()
        for (name, sets) in parts {
            let path = "\(FilePath.withoutYAMLEnding(location.path))-\(name).yaml"
            let target = CassetteLocation(path, folder: "")
            guard !FileContents.exists(path) else {
                throw CassetteError(path: path, "there is such a cassette already; rename or remove it first")
            }
            try self.add(sets, of: old, at: location, to: target, in: &rewrite)
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
        let indices = source.cassette.responseSets.indices.filter {
            names.contains(source.cassette.responseSets[$0].name)
        }
        let transfer = try SetTransfer(indices, of: source, at: sourceLocation, to: target)
        guard FileContents.exists(target.path) else {
            rewrite.add(target, from: nil, to: try transfer.newCassette(), copying: transfer.copies)
            return
        }
        let old = try self.edited(target)
        for name in names where old.cassette.responseSets.contains(where: { $0.name == name }) {
            throw CassetteError(
                path: target.path,
                "there is a response set \"\(name)\" already; rename one of the two first, with `tapedeck set rename`"
            )
        }
        var new = old
        try transfer.add(to: &new)
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
