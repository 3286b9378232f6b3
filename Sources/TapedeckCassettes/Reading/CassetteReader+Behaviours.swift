import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    /// The place of a behaviour.
    enum BehaviourPlace: Equatable {
        case variant
        /// A part of a `sequence`, which may say how often.
        case step
        /// A choice of `random`, which may say how likely.
        case choice
        /// `then` or `otherwise`.
        case branch(String)

        var name: String {
            switch self {
            case .variant: "a variant"
            case .step: "a part of `sequence`"
            case .choice: "a choice of `random`"
            case .branch(let name): "`\(name)`"
            }
        }

        /// The keys that only a behaviour in this place has.
        var ownKeys: [String] {
            switch self {
            case .variant: ["name"]
            case .step: ["times"]
            case .choice: ["weight"]
            case .branch: []
            }
        }
    }

    /// The values of the keys of a behaviour, found in one pass.
    private struct Keys {
        /// `name`, `times` or `weight`.
        var own: YAMLNode?
        /// The key that says what it does.
        var answer: (key: YAMLNode, value: YAMLNode)?
        var then: (key: YAMLNode, value: YAMLNode)?
        var otherwise: (key: YAMLNode, value: YAMLNode)?
        var after: (key: YAMLNode, value: YAMLNode)?
        var urlError: (key: YAMLNode, value: YAMLNode)?
        var template: YAMLNode?
        var merge: YAMLNode?
        var fuzz: YAMLNode?
        var sets: YAMLNode?
        /// `grpcStatus`, `grpcMessage` and `grpcDetails`.
        var call = CallKeys()
        var pacing = PacingKeys()
    }

    /// - Parameter url: the URL of the set, if it could be read; templates can use its captures.
    mutating func readVariant(_ node: YAMLNode, for url: URLMatcher?) -> Variant? {
        guard self.expectMapping(node, "a variant"), let keys = self.readKeys(node, .variant) else { return nil }
        guard let nameNode = keys.own else {
            self.error(node, "a variant needs `name`")
            return nil
        }
        self.sawTemplate = false
        guard let name = self.text(nameNode, "name"),
            let behaviour = self.readBehaviour(node, keys, .variant, "the variant \"\(name)\"")
        else { return nil }
        if self.sawTemplate, let url { self.checkTemplates(node, of: url) }
        return Variant(name: name, behaviour: behaviour)
    }

    /// A behaviour within another; a plain text is the name of a variant.
    private mutating func readPart(_ node: YAMLNode, _ place: BehaviourPlace) -> (Behaviour, own: YAMLNode?)? {
        if node.kind == .scalar {
            return self.readReference(node, place.name).map { (Behaviour(.variant($0)), nil) }
        }
        guard self.expectMapping(node, place.name), let keys = self.readKeys(node, place) else { return nil }
        return self.readBehaviour(node, keys, place, place.name).map { ($0, keys.own) }
    }

    private mutating func readReference(_ node: YAMLNode, _ what: String) -> String? {
        guard let name = self.text(node, what) else { return nil }
        self.references.add(name, node)
        return name
    }

    private mutating func readKeys(_ node: YAMLNode, _ place: BehaviourPlace) -> Keys? {
        var keys = Keys()
        for (key, value) in node.pairs {
            if place == .variant, key.scalarEquals("name") {
                keys.own = value
                continue
            }
            let name = key.scalarEquals("takes") ? "takes" : key.string
            switch name {
            case "takes", "fault", "empty", "grpcStatus", "sequence", "random", "when", "variant", "passthrough",
                CassetteKeys.hold:
                if let first = keys.answer?.key.string {
                    self.error(key, Self.twoAnswers(first, name, place))
                    return nil
                }
                keys.answer = (key, value)
                if name == "grpcStatus" { _ = keys.call.take(key, value) }
            case "grpcMessage", "grpcDetails": _ = keys.call.take(key, value)
            case "then": keys.then = (key, value)
            case "otherwise": keys.otherwise = (key, value)
            case "after": keys.after = (key, value)
            case "urlError": keys.urlError = (key, value)
            case "template": keys.template = value
            case "merge": keys.merge = value
            case "fuzz": keys.fuzz = value
            case "sets": keys.sets = value
            case "delay": keys.pacing.delay = value
            case "bandwidth": keys.pacing.bandwidth = value
            case "dribble": keys.pacing.dribble = value
            case "times" where place == .step, "weight" where place == .choice: keys.own = value
            default: self.unknown(key, place.ownKeys + CassetteKeys.behaviour, of: place.name)
            }
        }
        return keys
    }

    private static func twoAnswers(_ first: String, _ second: String, _ place: BehaviourPlace) -> String {
        let hint = [first, second].sorted() == ["fault", "takes"] ? "; a take can have a fault of its own" : ""
        return "\(place.name) has `\(first)` or `\(second)`, not both\(hint)"
    }

    private mutating func readBehaviour(
        _ node: YAMLNode,
        _ keys: Keys,
        _ place: BehaviourPlace,
        _ what: String
    ) -> Behaviour? {
        guard let (key, value) = keys.answer else {
            self.error(node, "\(what) needs one of \(CassetteKeys.answer.joined(separator: ", "))")
            return nil
        }
        let kind = key.string
        if kind == CassetteKeys.hold { return self.readHold(key, value, in: node, isVariant: place == .variant) }
        for part in [keys.then, keys.otherwise] where kind != "when" {
            if let part { self.error(part.key, "`\(part.key.string)` goes with `when`") }
        }
        if let (urlErrorKey, _) = keys.urlError, kind != "fault" {
            let hint = kind == "takes" ? "; a take with a fault can have one of its own" : ""
            self.error(urlErrorKey, "`urlError` goes with `fault`\(hint)")
        }
        if let (detail, _) = keys.call.message ?? keys.call.details, kind != "grpcStatus" {
            self.error(detail, "`\(detail.string)` goes with `grpcStatus`")
        }
        let mayBeTemplate = self.mayBeTemplate
        self.mayBeTemplate = mayBeTemplate || keys.template?.bool == true
        defer { self.mayBeTemplate = mayBeTemplate }
        guard let answer = self.readAnswer(kind, value, keys, what) else { return nil }
        if case .passthrough = answer { self.checkPassthrough(node) }
        var behaviour = Behaviour(answer)
        if let (afterKey, value) = keys.after {
            if kind != "takes", kind != "sequence" { self.error(afterKey, "`after` goes with `takes` or `sequence`") }
            behaviour.after = self.readAfter(value) ?? .repeatLast
        }
        behaviour.pacing = self.readPacing(keys.pacing)
        if case .recorded = behaviour.pacing.delay, let delay = keys.pacing.delay {
            self.checkLatencies(of: behaviour, delay)
        }
        if let template = keys.template {
            behaviour.isTemplate = self.bool(template, "template")
            if behaviour.isTemplate { self.sawTemplate = true }
        }
        if let merge = keys.merge, let (_, patch) = self.readJSON(merge, "merge") {
            behaviour.changes.append(.merge(patch))
        }
        if let fuzz = keys.fuzz { behaviour.changes += self.readFuzz(fuzz) }
        if let sets = keys.sets { behaviour.sets = self.state(sets, "sets") }
        return behaviour
    }

    private mutating func readAnswer(
        _ kind: String,
        _ value: YAMLNode,
        _ keys: Keys,
        _ what: String
    ) -> Behaviour.Answer? {
        switch kind {
        case "takes": return self.readTakes(value, what).map(Behaviour.Answer.takes)
        case "fault":
            guard let (fault, options) = self.readFault(value) else { return nil }
            var take = Take(fault: fault, faultOptions: options)
            if let (_, name) = keys.urlError {
                take.urlError = self.readURLError(name)
                self.checkURLError(of: take, hasFault: true, name)
            }
            self.checkFault(of: take, hasStatus: false, value, fault: value)
            return .takes([take])
        case "empty": return self.readEmpty(value).map { .takes([Take(status: $0)]) }
        case "grpcStatus":
            var take = Take()
            self.readCall(keys.call, into: &take)
            return .takes([take])
        case "sequence": return self.readSequence(value).map(Behaviour.Answer.sequence)
        case "random": return self.readRandom(value).map(Behaviour.Answer.random)
        case "when": return self.readConditional(value, keys, what)
        case "variant": return self.readReference(value, "variant").map(Behaviour.Answer.variant)
        default:
            if self.bool(value, "passthrough") { return .passthrough }
            if value.bool == false { self.error(value, "`passthrough` is true; there is no other answer here") }
            return nil
        }
    }

    // MARK: Kinds

    private mutating func readTakes(_ node: YAMLNode, _ what: String) -> [Take]? {
        guard self.expectSequence(node, "takes") else { return nil }
        if node.count == 0 { self.error(node, "\(what) has no takes, so it has no answer") }
        var takes: [Take] = []
        takes.reserveCapacity(node.count)
        for item in node.items {
            if let take = self.readTake(item) { takes.append(take) }
        }
        return takes.isEmpty ? nil : takes
    }

    private mutating func readEmpty(_ node: YAMLNode) -> Int? {
        if node.bool == true { return 204 }
        if let status = node.int, (200...999).contains(status) { return status }
        self.error(node, "`empty` is true, which answers with 204, or a status from 200 to 999")
        return nil
    }

    private mutating func readSequence(_ node: YAMLNode) -> [Behaviour]? {
        guard self.expectSequence(node, "sequence") else { return nil }
        if node.count == 0 { self.error(node, "`sequence` is an empty list, so it has no answer") }
        let parts = node.items.compactMap { item -> Behaviour? in
            guard let (step, times) = self.readPart(item, .step) else { return nil }
            var part = step
            part.times = times.flatMap { self.count($0, "times", 1...1_000_000) }
            return part
        }
        return parts.isEmpty ? nil : parts
    }

    private mutating func readRandom(_ node: YAMLNode) -> [Behaviour.Weighted]? {
        guard self.expectSequence(node, "random") else { return nil }
        if node.count == 0 { self.error(node, "`random` is an empty list, so it has no answer") }
        let choices = node.items.compactMap { item -> Behaviour.Weighted? in
            guard let (part, weight) = self.readPart(item, .choice) else { return nil }
            return Behaviour.Weighted(weight: weight.flatMap { self.count($0, "weight", 1...1_000_000) } ?? 1, part)
        }
        return choices.isEmpty ? nil : choices
    }

    private mutating func readConditional(_ node: YAMLNode, _ keys: Keys, _ what: String) -> Behaviour.Answer? {
        let condition = self.readMatcher(node, .condition("when"))
        guard let thenNode = keys.then?.value else {
            self.error(keys.answer?.key ?? node, "`when` needs `then`: what \(what) does if the request meets it")
            return nil
        }
        let then = self.readPart(thenNode, .branch("then"))?.0
        let otherwise = keys.otherwise.flatMap { self.readPart($0.value, .branch("otherwise"))?.0 }
        guard let condition, let then else { return nil }
        return .conditional(when: condition, then: then, otherwise: otherwise)
    }

    // MARK: What goes with them

    private mutating func readAfter(_ node: YAMLNode) -> Behaviour.AfterLast? {
        switch node.string {
        case "repeat": return .repeatLast
        case "cycle": return .cycle
        case "unmatched": return .unmatched
        default: break
        }
        guard node.kind == .mapping, node.count == 1, let name = node["variant"] else {
            self.error(node, "`after` is one of repeat, cycle, unmatched and { variant: NAME }")
            return nil
        }
        return self.readReference(name, "variant").map(Behaviour.AfterLast.variant)
    }

    private mutating func readFuzz(_ node: YAMLNode) -> [BodyChange] {
        guard self.expectMapping(node, "`fuzz`") else { return [] }
        if node.count == 0 { self.error(node, "`fuzz` needs a path and what becomes of it, such as `$..name: emoji`") }
        return node.pairs.compactMap { key, value in
            let path = self.path(key, "fuzz")
            guard let kind = self.choice(value, "fuzz", JSONFuzz.allCases), let path else { return nil }
            return .fuzz(kind, at: path)
        }
    }

    /// Checks that a live answer is not changed.
    private mutating func checkPassthrough(_ node: YAMLNode) {
        let wrong = ["template", "merge", "fuzz", "bandwidth", "dribble"]
        for (key, _) in node.pairs where wrong.contains(key.string) {
            self.error(
                key,
                "`\(key.string)` goes with takes, not with `passthrough`: only `delay` and `sets` do"
            )
        }
    }

    private mutating func checkLatencies(of behaviour: Behaviour, _ node: YAMLNode) {
        let silent = behaviour.allTakes.filter { $0.latency == nil && !$0.isFaultAlone }.count
        guard silent > 0 else { return }
        self.warn(
            node,
            "\(silent == 1 ? "a take here does" : "\(silent) takes here do") not say in `recorded` how long the "
                + "answer took (\"…, answered in 120 ms\"), so there is no delay to repeat"
        )
    }
}
