extension Behaviour {
    /// Changes every take in it, however deep.
    package mutating func changeTakes(_ change: (inout Take) -> Void) {
        func changed(_ behaviour: Behaviour) -> Behaviour {
            var behaviour = behaviour
            behaviour.changeTakes(change)
            return behaviour
        }
        switch self.answer {
        case .takes(var takes):
            for index in takes.indices { change(&takes[index]) }
            self.answer = .takes(takes)
        case .sequence(let parts): self.answer = .sequence(parts.map(changed))
        case .random(let parts):
            self.answer = .random(parts.map { Behaviour.Weighted(weight: $0.weight, changed($0.behaviour)) })
        case .conditional(let when, let then, let otherwise):
            self.answer = .conditional(when: when, then: changed(then), otherwise: otherwise.map(changed))
        case .variant, .passthrough, .hold: break
        }
    }
}
