package import TapedeckCore

/// One change to a cassette on request of a person.
package enum CassetteEdit: Sendable, Equatable {
    /// The new place of a response set.
    package enum Place: Sendable, Equatable {
        case first
        case last
        case before(String)
        case after(String)
    }

    case renameSet(String, to: String)
    case removeSets([String])
    case moveSet(String, to: Place)
    /// The copy comes behind the set.
    case copySet(String, as: String)
    case renameVariant(String, of: String, to: String)
    case removeVariant(String, of: String)
    /// The copy comes behind the variant.
    case copyVariant(String, of: String, as: String)
    /// The variant plays unless another is selected.
    case makeDefault(String, of: String)
    /// Takes are numbered from 1.
    case removeTake(Int, of: String, variant: String)
    /// The new take has everything that the old one has and that does not change.
    case changeTake(Int, of: String, variant: String, to: Take)
    /// Places of recorded requests differ from run to run, by the names of their sets.
    case addVarying([String: [VaryingPlace]])

    /// A name or number that the cassette does not have, or cannot have.
    package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Returns the cassette after the change.
    ///
    /// - Throws: ``Invalid`` if a name is unknown, taken or not allowed, or if something else needs what is removed.
    func applied(to cassette: Cassette) throws(Invalid) -> Cassette {
        var cassette = cassette
        switch self {
        case .renameSet(let name, let new):
            let index = try cassette.index(ofSet: name)
            try cassette.checkFree(new)
            cassette.responseSets[index].name = new
            cassette.changeChoices { $0.target == .set(name) ? Profile.Choice(.set(new), $0.variant) : $0 }
        case .removeSets(let names):
            let known = Set(cassette.responseSets.map(\.name))
            for name in names where !known.contains(name) { _ = try cassette.index(ofSet: name) }
            let removed = Set(names)
            cassette.responseSets.removeAll { removed.contains($0.name) }
            cassette.profiles = Profile.choosing(among: cassette.responseSets, of: cassette.profiles)
        case .moveSet(let name, let place):
            cassette.responseSets = try self.order(of: cassette, moving: name, to: place).map {
                cassette.responseSets[$0]
            }
        case .copySet(let name, let new):
            let index = try cassette.index(ofSet: name)
            try cassette.checkFree(new)
            var copy = cassette.responseSets[index]
            copy.name = new
            cassette.responseSets.insert(copy, at: index + 1)
        case .renameVariant(let name, let set, let new):
            try cassette.renameVariant(name, of: set, to: new)
        case .removeVariant(let name, let set):
            try cassette.removeVariant(name, of: set)
        case .copyVariant(let name, let set, let new):
            let (index, variant) = try cassette.indices(ofVariant: name, of: set)
            try cassette.responseSets[index].checkFree(new)
            var copy = cassette.responseSets[index].variants[variant]
            copy.name = new
            cassette.responseSets[index].variants.insert(copy, at: variant + 1)
        case .makeDefault(let name, let set)
        where BuiltInVariant(rawValue: name) != nil && !cassette.hasVariant(name, of: set):
            let index = try cassette.index(ofSet: set)
            cassette.responseSets[index].selected = name
        case .makeDefault(let name, let set):
            let (index, variant) = try cassette.indices(ofVariant: name, of: set)
            cassette.responseSets[index].selected = variant == 0 ? nil : name
        case .removeTake(let number, let set, let variant):
            let place = try cassette.place(ofTake: number, variant: variant, set: set)
            guard cassette.responseSets[place.set].variants[place.variant].takes.count > 1 else {
                throw Invalid("it is the only take of the variant \"\(variant)\"; remove the variant instead")
            }
            cassette.responseSets[place.set].variants[place.variant].takes.remove(at: number - 1)
        case .changeTake(let number, let set, let variant, let take):
            let place = try cassette.place(ofTake: number, variant: variant, set: set)
            cassette.responseSets[place.set].variants[place.variant].takes[number - 1] = take
        case .addVarying(let places):
            for (set, places) in places {
                VaryingPlace.merge(places, into: &cassette.responseSets[try cassette.index(ofSet: set)].varies)
            }
        }
        return cassette
    }

    /// The edit with the names of sets in place of their URLs, and of names that a table has cut.
    func namingSets(of cassette: Cassette) -> CassetteEdit {
        switch self {
        case .renameSet(let set, let new): .renameSet(cassette.setName(set), to: new)
        case .removeSets(let sets): .removeSets(sets.map(cassette.setName))
        case .moveSet(let set, .before(let other)):
            .moveSet(cassette.setName(set), to: .before(cassette.setName(other)))
        case .moveSet(let set, .after(let other)):
            .moveSet(cassette.setName(set), to: .after(cassette.setName(other)))
        case .moveSet(let set, let place): .moveSet(cassette.setName(set), to: place)
        case .copySet(let set, let new): .copySet(cassette.setName(set), as: new)
        case .renameVariant(let name, let set, let new):
            .renameVariant(name, of: cassette.setName(set), to: new)
        case .removeVariant(let name, let set): .removeVariant(name, of: cassette.setName(set))
        case .copyVariant(let name, let set, let new): .copyVariant(name, of: cassette.setName(set), as: new)
        case .makeDefault(let name, let set): .makeDefault(name, of: cassette.setName(set))
        case .removeTake(let number, let set, let variant):
            .removeTake(number, of: cassette.setName(set), variant: variant)
        case .changeTake(let number, let set, let variant, let take):
            .changeTake(number, of: cassette.setName(set), variant: variant, to: take)
        case .addVarying: self
        }
    }

    /// Returns the old numbers of the sets in their new order.
    func order(of cassette: Cassette, moving name: String, to place: Place) throws(Invalid) -> [Int] {
        let index = try cassette.index(ofSet: name)
        var order = Array(cassette.responseSets.indices)
        order.remove(at: index)
        switch place {
        case .first: order.insert(index, at: 0)
        case .last: order.append(index)
        case .before(let other), .after(let other):
            let target = try cassette.index(ofSet: other)
            guard let position = order.firstIndex(of: target) else {
                throw Invalid("the response set \"\(name)\" cannot be placed before or after itself")
            }
            order.insert(index, at: place == .before(other) ? position : position + 1)
        }
        return order
    }
}

extension Cassette {
    /// - Throws: ``CassetteEdit/Invalid`` that suggests a name.
    package func index(ofSet name: String) throws(CassetteEdit.Invalid) -> Int {
        let meant = self.setName(name)
        if let index = self.responseSets.firstIndex(where: { $0.name == meant }) { return index }
        let several = self.responseSets.named(name).map(\.name)
        guard several.isEmpty else {
            throw CassetteEdit.Invalid("\(several.count) response sets fit \"\(name)\": \(Spelling.list(several))")
        }
        let hint = Spelling.hint(for: name, among: self.responseSets.map(\.name))
        throw CassetteEdit.Invalid("there is no response set \"\(name)\"\(hint)")
    }

    /// - Throws: ``CassetteEdit/Invalid`` that lists the variants.
    package func indices(
        ofVariant name: String,
        of set: String
    ) throws(CassetteEdit.Invalid) -> (set: Int, variant: Int) {
        let index = try self.index(ofSet: set)
        let names = self.responseSets[index].variants.map(\.name)
        if let variant = names.firstIndex(of: name) { return (index, variant) }
        throw CassetteEdit.Invalid(CassetteReader.missing(name, of: set, having: names, allowsBuiltIns: false))
    }

    /// - Throws: ``CassetteEdit/Invalid`` if the variant does not play takes, or has fewer.
    package func place(
        ofTake number: Int,
        variant: String,
        set: String
    ) throws(CassetteEdit.Invalid) -> (set: Int, variant: Int) {
        let place = try self.indices(ofVariant: variant, of: set)
        let takes = self.responseSets[place.set].variants[place.variant].takes
        guard !takes.isEmpty else {
            throw CassetteEdit.Invalid("the variant \"\(variant)\" of \"\(set)\" plays no takes of its own")
        }
        guard takes.indices.contains(number - 1) else {
            throw CassetteEdit.Invalid(
                "the variant \"\(variant)\" of \"\(set)\" has \(Plural.text(takes.count, "take", "takes")), and no take \(number)"
            )
        }
        return place
    }

    fileprivate func checkFree(_ name: String) throws(CassetteEdit.Invalid) {
        guard !name.isEmpty, name.count <= 1_000,
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw CassetteEdit.Invalid(
                "the name of a response set has 1 to 1000 characters, none of them a control character"
            )
        }
        // A profile could not name such a set.
        guard name != "*", Origin(name) == nil else {
            throw CassetteEdit.Invalid("\"\(name)\" stands for several response sets in a profile; choose another name")
        }
        guard !self.responseSets.contains(where: { $0.name == name }) else {
            throw CassetteEdit.Invalid("there is a response set \"\(name)\" already; choose another name")
        }
    }

    /// Changes the choices of all profiles; a choice that becomes `nil` is removed.
    fileprivate mutating func changeChoices(_ change: (Profile.Choice) -> Profile.Choice?) {
        for index in self.profiles.indices {
            self.profiles[index].choices = self.profiles[index].choices.compactMap(change)
        }
    }

    fileprivate func hasVariant(_ name: String, of set: String) -> Bool {
        self.responseSets.contains { $0.name == set && $0.variants.contains { $0.name == name } }
    }

    private func hasVariant(_ name: String) -> Bool {
        self.responseSets.contains { $0.variants.contains { $0.name == name } }
    }

    fileprivate mutating func renameVariant(
        _ name: String,
        of set: String,
        to new: String
    ) throws(CassetteEdit.Invalid) {
        let (index, variant) = try self.indices(ofVariant: name, of: set)
        try self.responseSets[index].checkFree(new)
        self.responseSets[index].variants[variant].name = new
        if self.responseSets[index].selected == name { self.responseSets[index].selected = new }
        for number in self.responseSets[index].variants.indices {
            self.responseSets[index].variants[number].behaviour.renameVariant(name, to: new)
        }
        self.changeChoices { $0.target == .set(set) && $0.variant == name ? Profile.Choice($0.target, new) : $0 }
        guard BuiltInVariant(rawValue: name) == nil else { return }
        // A choice for several sets would miss this one, or select nothing.
        let isOnly = !self.hasVariant(name)
        let request = self.responseSets[index].request
        for number in self.profiles.indices {
            let meant = self.profiles[number].choices.indices.filter { choice in
                let choice = self.profiles[number].choices[choice]
                guard choice.variant == name else { return false }
                switch choice.target {
                case .all: return true
                case .origin(let other): return isOnly || request.isOnly(for: other)
                case .set: return false
                }
            }
            if isOnly {
                for choice in meant { self.profiles[number].choices[choice].variant = new }
            } else if !meant.isEmpty, !self.profiles[number].choices.contains(where: { $0.target == .set(set) }) {
                self.profiles[number].choices.append(Profile.Choice(.set(set), new))
            }
        }
    }

    fileprivate mutating func removeVariant(_ name: String, of set: String) throws(CassetteEdit.Invalid) {
        let (index, variant) = try self.indices(ofVariant: name, of: set)
        guard self.responseSets[index].variants.count > 1 else {
            throw CassetteEdit.Invalid(
                "\"\(name)\" is the only variant of the response set \"\(set)\"; remove the set instead"
            )
        }
        self.responseSets[index].variants.remove(at: variant)
        if let other = self.responseSets[index].variants.first(where: { $0.behaviour.namedVariants.contains(name) }) {
            throw CassetteEdit.Invalid(
                "the variant \"\(other.name)\" of \"\(set)\" plays \"\(name)\"; change or remove that one first"
            )
        }
        if self.responseSets[index].selected == name { self.responseSets[index].selected = nil }
        self.changeChoices { $0.target == .set(set) && $0.variant == name ? nil : $0 }
        self.profiles = Profile.choosing(among: self.responseSets, of: self.profiles)
    }
}

extension Profile {
    /// Returns profiles without the choices that no longer select anything: those for sets that are gone, and those for several
    /// sets whose variant no set has any more.
    ///
    /// - Parameter sets: the sets that are left.
    static func choosing(among sets: [ResponseSet], of profiles: [Profile]) -> [Profile] {
        guard !profiles.isEmpty else { return [] }
        let names = Set(sets.map(\.name))
        let variants = Set(sets.lazy.flatMap { $0.variants.map(\.name) })
        return profiles.map { profile in
            var profile = profile
            profile.choices.removeAll { choice in
                if case .set(let name) = choice.target { return !names.contains(name) }
                return !variants.contains(choice.variant) && BuiltInVariant(rawValue: choice.variant) == nil
            }
            return profile
        }
    }
}

extension ResponseSet {
    fileprivate func checkFree(_ name: String) throws(CassetteEdit.Invalid) {
        do {
            _ = try ScenarioName(name)
        } catch {
            throw CassetteEdit.Invalid(error.description)
        }
        guard !self.variants.contains(where: { $0.name == name }) else {
            throw CassetteEdit.Invalid(
                "the response set \"\(self.name)\" has a variant \"\(name)\" already; choose another name"
            )
        }
    }
}

extension Behaviour {
    fileprivate mutating func renameVariant(_ name: String, to new: String) {
        switch self.answer {
        case .takes, .passthrough, .hold: break
        case .variant(let other): if other == name { self.answer = .variant(new) }
        case .sequence(let parts): self.answer = .sequence(parts.map { $0.renamingVariant(name, to: new) })
        case .random(let parts):
            self.answer = .random(
                parts.map { Behaviour.Weighted(weight: $0.weight, $0.behaviour.renamingVariant(name, to: new)) }
            )
        case .conditional(let when, let then, let otherwise):
            self.answer = .conditional(
                when: when,
                then: then.renamingVariant(name, to: new),
                otherwise: otherwise?.renamingVariant(name, to: new)
            )
        }
        if self.after == .variant(name) { self.after = .variant(new) }
    }

    private func renamingVariant(_ name: String, to new: String) -> Behaviour {
        var behaviour = self
        behaviour.renameVariant(name, to: new)
        return behaviour
    }
}
