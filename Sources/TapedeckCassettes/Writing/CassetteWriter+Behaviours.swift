import TapedeckCore
import TapedeckYAML

extension CassetteWriter {
    /// Writes the lines of a behaviour: its modifiers first, then its action.
    mutating func write(_ behaviour: Behaviour, indent: Int) {
        if behaviour.isTemplate { self.line("template", indent: indent) { $0.yaml.raw("true") } }
        self.write(behaviour.pacing, indent: indent)
        self.write(behaviour.changes, indent: indent)
        self.write(behaviour.sets, as: "sets", indent: indent)
        self.write(behaviour.after, indent: indent)
        switch behaviour.answer {
        case .takes(let takes):
            if let take = behaviour.loneFault, let fault = take.fault {
                self.write(fault, take.faultOptions, indent: indent)
                if let error = take.urlError { self.pair("urlError", error.name, indent: indent) }
            } else {
                self.key("takes", indent: indent)
                for take in takes { self.write(take, indent: indent + 2) }
            }
        case .sequence(let parts):
            self.key("sequence", indent: indent)
            for part in parts { self.write(part, as: "times", part.times, indent: indent + 2) }
        case .random(let choices):
            self.key("random", indent: indent)
            for choice in choices {
                let weight = choice.weight == 1 ? nil : choice.weight
                self.write(choice.behaviour, as: "weight", weight, indent: indent + 2)
            }
        case .conditional(let condition, let then, let otherwise):
            self.key("when", indent: indent)
            self.write(condition, indent: indent + 2)
            self.write(then, as: "then", indent: indent)
            if let otherwise { self.write(otherwise, as: "otherwise", indent: indent) }
        case .variant(let name): self.pair("variant", name, indent: indent)
        case .passthrough: self.line("passthrough", indent: indent) { $0.yaml.raw("true") }
        case .hold: self.line(CassetteKeys.hold, indent: indent) { $0.yaml.raw("true") }
        }
    }

    /// A behaviour as an item of a list, with a number of its own.
    private mutating func write(_ part: Behaviour, as name: String, _ number: Int?, indent: Int) {
        if number == nil, let variant = part.loneVariant {
            self.yaml.indent(indent)
            self.yaml.raw("- ")
            self.yaml.scalar(variant)
            self.yaml.newline()
            return
        }
        self.item(indent: indent) { writer in
            if let number { writer.line(name, indent: indent + 2) { $0.yaml.int(number) } }
            writer.write(part, indent: indent + 2)
        }
    }

    private mutating func write(_ branch: Behaviour, as name: StaticString, indent: Int) {
        if let variant = branch.loneVariant {
            self.pair(name, variant, indent: indent)
        } else {
            self.key(name, indent: indent)
            self.write(branch, indent: indent + 2)
        }
    }

    private mutating func write(_ after: Behaviour.AfterLast, indent: Int) {
        switch after {
        case .repeatLast: break
        case .cycle: self.pair("after", "cycle", indent: indent)
        case .unmatched: self.pair("after", "unmatched", indent: indent)
        case .variant(let name):
            self.line("after", indent: indent) { writer in
                writer.flowMapping([("variant", { $0.yaml.scalar(name) })])
            }
        }
    }

    private mutating func write(_ changes: [BodyChange], indent: Int) {
        for case .merge(let patch) in changes { self.line("merge", patch, indent: indent) }
        let fuzzes = changes.compactMap { change -> (JSONFuzz, JSONPath)? in
            if case .fuzz(let kind, let path) = change { (kind, path) } else { nil }
        }
        guard !fuzzes.isEmpty else { return }
        self.key("fuzz", indent: indent)
        for (kind, path) in fuzzes {
            self.line(path.description, indent: indent + 2) { $0.yaml.scalar(kind.rawValue) }
        }
    }

    // MARK: Pacing

    private mutating func write(_ pacing: Pacing, indent: Int) {
        if let delay = pacing.delay { self.write(delay, indent: indent) }
        if let bandwidth = pacing.bandwidth {
            let speed = CassetteReader.speeds.first { bandwidth.isMultiple(of: $0.bytes) }
            self.line("bandwidth", indent: indent) { writer in
                writer.yaml.int(bandwidth / (speed?.bytes ?? 1))
                writer.yaml.raw(" \(speed?.unit ?? "B/s")")
            }
        }
        if let dribble = pacing.dribble {
            self.line("dribble", indent: indent) { writer in
                writer.flowMapping([
                    ("pieces", { $0.yaml.int(dribble.pieces) }), ("over", { $0.time(dribble.milliseconds) }),
                ])
            }
        }
    }

    mutating func write(_ delay: Pacing.Delay, indent: Int) {
        self.line("delay", indent: indent) { writer in
            switch delay {
            case .fixed(let time): writer.time(time)
            case .uniform(let from, let to):
                writer.flowMapping([("uniform", { $0.flowList([from, to]) { $0.time($1) } })])
            case .normal(let mean, let deviation):
                writer.flowMapping([("normal", { $0.time(mean) }), ("deviation", { $0.time(deviation) })])
            case .logNormal(let median, let sigma):
                writer.flowMapping([("logNormal", { $0.time(median) }), ("sigma", { $0.number(sigma) })])
            case .recorded(let factor): writer.flowMapping([("recorded", { $0.number(factor) })])
            }
        }
    }

    mutating func time(_ milliseconds: Int) {
        self.yaml.raw(TimeSpan(milliseconds: Int64(milliseconds)).description)
    }

    private mutating func number(_ value: Double) {
        let text = value.description
        self.yaml.raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}

extension Behaviour {
    /// The take of a behaviour that is only a fault, perhaps with a `urlError`. A truncated body has a status in any
    /// case.
    fileprivate var loneFault: Take? {
        guard case .takes(let takes) = self.answer, takes.count == 1, self.after == .repeatLast,
            let fault = takes[0].fault, fault != .truncatedBody,
            takes[0] == Take(fault: fault, faultOptions: takes[0].faultOptions, urlError: takes[0].urlError)
        else { return nil }
        return takes[0]
    }

    /// The variant that a behaviour refers to, if that is its only content.
    fileprivate var loneVariant: String? {
        guard case .variant(let name) = self.answer, self == Behaviour(.variant(name)) else { return nil }
        return name
    }
}
