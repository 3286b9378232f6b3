extension Tapedeck.Answer {
    /// As the only variant of a response set, as JSON text.
    package func json(variantName name: String) -> String {
        Variant(name, self).shape.text
    }

    /// As one take: a response or a fault. `nil` for what is more than that.
    var takeShape: Tapedeck.JSON? {
        self.loneTake?.shape
    }

    /// The take of an answer that is nothing else.
    private var loneTake: StaticTake? {
        guard case .take(let take) = self.action, self == Tapedeck.Answer(take) else { return nil }
        return take
    }

    /// The keys of a behaviour, in the order that the deck writes them.
    var shape: [Tapedeck.JSON.Member] {
        let around = Tapedeck.JSON(shape: [
            ("template", Tapedeck.JSON(ifTrue: self.isTemplate)), ("delay", self.delay?.shape),
            ("bandwidth", self.bytesPerSecond.map { Self.speed($0) }), ("dribble", self.dribble),
            ("merge", self.merge.map { Tapedeck.JSON($0.cassetteText) }),
            ("fuzz", Tapedeck.JSON(unlessEmpty: self.fuzz)),
            ("sets", Tapedeck.JSON(unlessEmpty: self.sets)),
            // Outside a sequence too, where the deck rejects it: the test must get an error for it.
            ("times", self.times.map { Tapedeck.JSON($0) }),
        ])
        return (around.members ?? []) + self.actionShape
    }

    /// In the largest unit that it is a whole number of, as the deck writes it.
    private static func speed(_ bytes: Int) -> Tapedeck.JSON {
        let units = [
            ("GB/s", 1_000_000_000), ("GiB/s", 1 << 30), ("MB/s", 1_000_000), ("MiB/s", 1 << 20), ("kB/s", 1_000),
            ("KiB/s", 1 << 10),
        ]
        let (unit, size) = units.first { bytes > 0 && bytes.isMultiple(of: $0.1) } ?? ("B/s", 1)
        return "\(bytes / size) \(unit)"
    }

    private var actionShape: [Tapedeck.JSON.Member] {
        switch self.action {
        case .take(let take):
            if let fault = take.loneFault { return [Tapedeck.JSON.Member("fault", fault)] }
            return [Tapedeck.JSON.Member("takes", [take.shape])]
        case .sequence(let parts, let after):
            let takes = parts.compactMap(\.loneTake)
            // Plain responses in a row are what takes are.
            let list =
                takes.count == parts.count
                ? Tapedeck.JSON.Member("takes", Tapedeck.JSON(takes.map(\.shape)))
                : Tapedeck.JSON.Member("sequence", Tapedeck.JSON(parts.map { $0.step }))
            return (after == .repeat ? [] : [Tapedeck.JSON.Member("after", after.shape)]) + [list]
        case .random(let choices):
            let shapes = choices.map { $0.answer.part("weight", $0.weight == 1 ? nil : $0.weight) }
            return [Tapedeck.JSON.Member("random", Tapedeck.JSON(shapes))]
        case .conditional(let request, let then, let otherwise):
            let branches = [("then", then), ("otherwise", otherwise)].compactMap { name, answer in
                answer.map { Tapedeck.JSON.Member(name, $0.part("", nil)) }
            }
            return [Tapedeck.JSON.Member("when", request.conditionShape)] + branches
        case .variant(let name): return [Tapedeck.JSON.Member("variant", Tapedeck.JSON(name))]
        case .passthrough: return [Tapedeck.JSON.Member("passthrough", true)]
        }
    }

    /// As a part of a sequence, which begins with how often it answers.
    private var step: Tapedeck.JSON {
        self.with { $0.times = nil }.part("times", self.times)
    }

    /// Returns the JSON of a part of another behaviour, with its number; only the name for another variant.
    private func part(_ key: String, _ number: Int?) -> Tapedeck.JSON {
        if number == nil, case .variant(let name) = self.action, self == .variant(name) { return Tapedeck.JSON(name) }
        return Tapedeck.JSON((number.map { [Tapedeck.JSON.Member(key, Tapedeck.JSON($0))] } ?? []) + self.shape)
    }
}
