import TapedeckCassettes
package import TapedeckCore

/// Compares two cassettes by their answers, by response sets, whatever their order and place in the file.
///
/// Sets are paired by their requests, else by their names. Times of recording, recorded requests, names of body files
/// and the spelling of JSON are ignored.
package struct CassetteComparison {
    private let digest: Digest

    /// - Parameter digest: names bodies that are not readable.
    package init(digest: @escaping Digest) {
        self.digest = digest
    }

    /// - Throws: `FileError` for a body file that cannot be read.
    package func difference(from old: Cassette, to new: Cassette) throws -> CassetteDifference {
        var difference = CassetteDifference()
        difference.settings = LineDiff.lines(from: Self.settings(of: old), to: Self.settings(of: new))
        let pairs = SetAlignment.pairs(old.responseSets, new.responseSets)
        let found = Set(pairs.compactMap { $0 })
        let added = new.responseSets.indices.filter { !found.contains($0) }.map { new.responseSets[$0] }
        let removed = zip(old.responseSets, pairs).filter { $1 == nil }.map(\.0)
        for (set, place) in zip(old.responseSets, pairs) {
            guard let place else {
                difference.sets.append(Self.lone(set, .onlyInFirst, others: added))
                continue
            }
            if let change = try self.change(from: set, to: new.responseSets[place]) {
                difference.sets.append(change)
            } else {
                difference.sameSets += 1
            }
        }
        difference.sets += added.map { Self.lone($0, .onlyInSecond, others: removed) }
        return difference
    }

    /// Everything of a cassette but its sets, as YAML.
    private static func settings(of cassette: Cassette) -> String {
        var cassette = cassette
        cassette.responseSets = []
        return String(decoding: CassetteWriter.text(of: cassette), as: UTF8.self)
    }

    private static func lone(_ set: ResponseSet, _ kind: DifferenceKind, others: [ResponseSet]) -> SetDifference {
        var difference = SetDifference(kind: kind, name: set.name, request: set.request.summary)
        let place = SetAlignment.place(of: set)
        difference.resembles = others.first { SetAlignment.place(of: $0) == place }?.name
        return difference
    }

    private func change(from old: ResponseSet, to new: ResponseSet) throws -> SetDifference? {
        var difference = SetDifference(kind: .changed, name: old.name, request: old.request.summary)
        if old.name != new.name { difference.newName = new.name }
        difference.requestLines = Self.outdented(
            LineDiff.lines(from: SetAlignment.requestText(of: old), to: SetAlignment.requestText(of: new))
        )
        difference.variants = try self.variants(from: old.variants, to: new.variants)
        let isSame = difference.newName == nil && difference.requestLines.isEmpty && difference.variants.isEmpty
        return isSame ? nil : difference
    }

    /// Lines with a mark in front, without the spaces behind it that all of them have.
    private static func outdented(_ lines: [String]) -> [String] {
        let indent = lines.map { $0.dropFirst(2).prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.prefix(2) + $0.dropFirst(2 + indent)) }
    }

    // MARK: Variants

    private func variants(from old: [Variant], to new: [Variant]) throws -> [VariantDifference] {
        var left = new.filter { variant in !old.contains { $0.name == variant.name } }
        var differences: [VariantDifference] = []
        for variant in old {
            if let same = new.first(where: { $0.name == variant.name }) {
                if let change = try self.change(from: variant, to: same) { differences.append(change) }
            } else if let renamed = try left.firstIndex(where: { try self.playsAlike(variant, $0) }) {
                var difference = Self.lone(variant, .changed)
                difference.newName = left.remove(at: renamed).name
                differences.append(difference)
            } else {
                differences.append(Self.lone(variant, .onlyInFirst))
            }
        }
        differences += left.map { Self.lone($0, .onlyInSecond) }
        if differences.isEmpty, let first = old.first?.name, let now = new.first?.name, first != now {
            // The first one is the one that plays.
            var difference = VariantDifference(kind: .changed, name: first, summary: "")
            difference.lines = ["- first", "+ behind \(now)"]
            differences.append(difference)
        }
        return differences
    }

    private static func lone(_ variant: Variant, _ kind: DifferenceKind) -> VariantDifference {
        let takes = variant.behaviour.allTakes.map { $0.isFaultAlone ? $0.faultText ?? "" : "\($0.status)" }
        let parts = [variant.behaviour.summary, takes.joined(separator: ", ")].filter { !$0.isEmpty }
        return VariantDifference(kind: kind, name: variant.name, summary: parts.joined(separator: ": "))
    }

    private func playsAlike(_ old: Variant, _ new: Variant) throws -> Bool {
        var renamed = new
        renamed.name = old.name
        return try self.change(from: old, to: renamed) == nil
    }

    private func change(from old: Variant, to new: Variant) throws -> VariantDifference? {
        var difference = Self.lone(old, .changed)
        difference.lines = Self.outdented(LineDiff.lines(from: Self.frame(of: old), to: Self.frame(of: new)))
        difference.takes = try self.takes(from: old.behaviour.allTakes, to: new.behaviour.allTakes)
        return difference.lines.isEmpty && difference.takes.isEmpty ? nil : difference
    }

    /// Returns a variant's behaviour without its takes, as YAML.
    static func frame(of variant: Variant) -> String {
        var variant = variant
        variant.name = "-"
        variant.behaviour = variant.behaviour.withoutTakes
        return String(decoding: CassetteWriter.item(variant, indent: 0), as: UTF8.self)
    }

    // MARK: Takes

    /// Pairs takes with the same status and body, whatever is in between; the takes between them are compared one by
    /// one.
    private func takes(from old: [Take], to new: [Take]) throws -> [TakeChange] {
        let old = try old.map { try ComparableTake($0, digest: self.digest) }
        let new = try new.map { try ComparableTake($0, digest: self.digest) }
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in new.map(\.key).difference(from: old.map(\.key)) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var changes: [TakeChange] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            switch (removed.contains(left), inserted.contains(right)) {
            case (true, true), (false, false):
                let change = old[left].change(to: new[right], number: left + 1, digest: self.digest)
                if let change { changes.append(change) }
                (left, right) = (left + 1, right + 1)
            case (true, false):
                changes.append(TakeChange(kind: .onlyInFirst, number: left + 1))
                left += 1
            case (false, true):
                changes.append(TakeChange(kind: .onlyInSecond, number: right + 1))
                right += 1
            }
        }
        return changes
    }
}

extension Behaviour {
    /// A copy with one empty take in place of the takes of each part.
    fileprivate var withoutTakes: Behaviour {
        var behaviour = self
        switch self.answer {
        case .takes: behaviour.answer = .takes([Take()])
        case .sequence(let parts): behaviour.answer = .sequence(parts.map(\.withoutTakes))
        case .random(let parts):
            behaviour.answer = .random(parts.map { Weighted(weight: $0.weight, $0.behaviour.withoutTakes) })
        case .conditional(let condition, let then, let otherwise):
            behaviour.answer = .conditional(
                when: condition,
                then: then.withoutTakes,
                otherwise: otherwise?.withoutTakes
            )
        case .variant, .passthrough, .hold: break
        }
        return behaviour
    }
}
