import TapedeckCore

extension ResponseSet {
    /// The set without the bodies of takes that are larger than `limit`, in bytes: an answer that repeats what a client
    /// just sent need not have them.
    func withoutBodies(over limit: Int) -> ResponseSet {
        var set = self
        for index in set.variants.indices { set.variants[index].behaviour.removeBodies(over: limit) }
        return set
    }
}

extension Behaviour {
    fileprivate mutating func removeBodies(over limit: Int) {
        switch self.answer {
        case .takes(var takes):
            for index in takes.indices where takes[index].body.decodedSize > limit { takes[index].body = .none }
            self.answer = .takes(takes)
        case .sequence(var parts):
            for index in parts.indices { parts[index].removeBodies(over: limit) }
            self.answer = .sequence(parts)
        case .random(var parts):
            for index in parts.indices { parts[index].behaviour.removeBodies(over: limit) }
            self.answer = .random(parts)
        case .conditional(let when, var then, var otherwise):
            then.removeBodies(over: limit)
            otherwise?.removeBodies(over: limit)
            self.answer = .conditional(when: when, then: then, otherwise: otherwise)
        case .variant, .passthrough, .hold: break
        }
    }
}
