package import TapedeckCore

extension CassetteStore {
    /// A response set that cannot be written.
    package struct RefusedSet: Sendable, Equatable {
        /// Its place among those that were given.
        package let number: Int
        package let reason: String
    }

    /// Adds response sets that another tool's stubs were made into to a cassette, behind those that it has.
    ///
    /// Their bodies are in memory, as base64, and are put where a recording puts them. Names that are taken get a number.
    ///
    /// - Returns: the sets that no cassette can hold, with the reasons; all others are written.
    /// - Throws: ``CassetteError`` when the cassette cannot be used, `FileError` when it cannot be written.
    package func add(
        _ sets: [ResponseSet],
        state: [StateEntry],
        to location: CassetteLocation
    ) throws -> [RefusedSet] {
        guard !sets.isEmpty else { return [] }
        var cassette = try self.existing(location)?.cassette ?? Cassette(name: location.name, responseSets: [])
        let storage = BodyStorage(location, ledger: try BodyLedger(location, isLasting: false), digest: self.digest)
        for entry in state where !cassette.state.contains(where: { $0.key == entry.key }) {
            cassette.state.append(entry)
        }
        var names = Set(cassette.responseSets.map(\.name))
        var refused: [RefusedSet] = []
        for (number, given) in sets.enumerated() {
            var set = given
            set.name = Self.unusedName(set.name.isEmpty ? "unnamed" : set.name, in: names)
            for index in set.variants.indices {
                set.variants[index].behaviour = try set.variants[index].behaviour.stored(in: storage, name: set.name)
            }
            if let reason = Self.refusal(of: set, location) {
                refused.append(RefusedSet(number: number, reason: reason))
                continue
            }
            names.insert(set.name)
            cassette.responseSets.append(set)
        }
        guard refused.count < sets.count else { return refused }
        let text = CassetteWriter.text(of: cassette)
        let read = CassetteReader.read(text, name: location.name, path: location.path)
        guard !read.hasErrors else { throw CassetteError(read.diagnostics.filter { $0.severity == .error }) }
        try FileContents.makeFolder(location.folder)
        try FileContents.replace(location.path, with: text)
        return refused
    }

    /// Returns a name of a response set that no other has: with a number, if it is taken.
    package static func unusedName(_ name: String, in taken: Set<String>) -> String {
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name) (\(number))") { number += 1 }
        return "\(name) (\(number))"
    }

    /// The first error of a cassette of this set alone; `nil` for a set that can be played.
    private static func refusal(of set: ResponseSet, _ location: CassetteLocation) -> String? {
        let text = CassetteWriter.text(of: Cassette(name: location.name, responseSets: [set]))
        return CassetteReader.read(text, name: location.name, path: location.path).diagnostics
            .first { $0.severity == .error }?.message
    }
}

extension Behaviour {
    /// The behaviour with the bodies of its takes where a recording puts them.
    fileprivate func stored(in storage: BodyStorage, name: String) throws -> Behaviour {
        var behaviour = self
        switch self.answer {
        case .takes(let takes):
            behaviour.answer = .takes(try takes.map { try $0.stored(in: storage, name, isTemplate: self.isTemplate) })
        case .sequence(let parts):
            behaviour.answer = .sequence(try parts.map { try $0.stored(in: storage, name: name) })
        case .random(let parts):
            behaviour.answer = .random(
                try parts.map { Weighted(weight: $0.weight, try $0.behaviour.stored(in: storage, name: name)) }
            )
        case .conditional(let when, let then, let otherwise):
            behaviour.answer = .conditional(
                when: when,
                then: try then.stored(in: storage, name: name),
                otherwise: try otherwise?.stored(in: storage, name: name)
            )
        case .variant, .passthrough, .hold:
            break
        }
        return behaviour
    }
}

extension Take {
    fileprivate func stored(in storage: BodyStorage, _ name: String, isTemplate: Bool) throws -> Take {
        guard case .inline(let body) = self.body else { return self }
        var take = self
        let label = String(
            name.unicodeScalars.prefix(48).map { scalar in
                scalar.isASCII && ASCII.isUnreserved(UInt8(scalar.value)) && scalar != "~" && scalar != "."
                    ? Character(scalar) : "-"
            }
        )
        let content = body.content
        take.body = try storage.store(
            .bytes(isTemplate ? content : PlaceholderEscape.escaped(content)),
            headers: self.headers,
            label: label.isEmpty ? "body" : label
        )
        return take
    }
}
