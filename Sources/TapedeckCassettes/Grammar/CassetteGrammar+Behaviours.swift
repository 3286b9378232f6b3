import TapedeckCore
import TapedeckYAML

/// A behaviour as a cassette has it: a variant, or a part of another one.
struct BehaviourEntry: Sendable {
    var behaviour: Behaviour
    /// Of a variant.
    var name: String?
    /// How often a part of a `sequence` comes, or how likely a choice of `random` is.
    var number: Int?
    /// The keys that say what it does: one, and by mistake another.
    var answers: (first: Entry, second: Entry?)?

    init(_ behaviour: Behaviour = Behaviour(.takes([])), number: Int? = nil) {
        (self.behaviour, self.number) = (behaviour, number)
    }

    init(_ variant: Variant) {
        (self.behaviour, self.name) = (variant.behaviour, variant.name)
    }

    /// The take of a behaviour that is only a fault, perhaps with a `urlError`. A truncated body has a status in any
    /// case.
    var loneFault: Take? {
        guard case .takes(let takes) = self.behaviour.answer, takes.count == 1, self.behaviour.after == .repeatLast,
            let fault = takes[0].fault, fault != .truncatedBody,
            takes[0] == Take(fault: fault, faultOptions: takes[0].faultOptions, urlError: takes[0].urlError)
        else { return nil }
        return takes[0]
    }
}

extension CassetteGrammar {
    static let variant = behaviour("variant", "a variant") {
        Key("name", \.name, .text)
            .means("required, unique in the set")
    }

    /// A part of a `sequence`.
    static let step = behaviour("step", "a part of `sequence`") {
        Key("times", \.number, .integer(1...1_000_000))
            .means("the number of requests that it answers")
    }

    /// A choice of `random`.
    static let choice = behaviour("choice", "a choice of `random`") {
        Key("weight", \.number, .integer(1...1_000_000))
            .means("how likely it is, beside the others; default 1")
    }

    static let then = behaviour("branch", "`then`") {}
    static let otherwise = behaviour("branch", "`otherwise`") {}

    private static func behaviour(
        _ name: String,
        _ what: String,
        @KeyList<BehaviourEntry> own: () -> [Key<BehaviourEntry>]
    ) -> Mapping<BehaviourEntry> {
        let own = own()
        return Mapping(
            name,
            what,
            rules: [
                .one(Self.answers.filter(\.isOfFiles).map(\.name)), .with("then", ["when"]),
                .with("otherwise", ["when"]),
                .with("urlError", ["fault"]), .with("grpcMessage", ["grpcStatus"]),
                .with("grpcDetails", ["grpcStatus"]),
                .with("after", ["takes", "sequence"]),
            ] + (name == "variant" ? [.all(["name"])] : [])
        ) {
            own
            Self.modifiers
            Self.answers
            Self.besideAnswers
        }
    }

    @KeyList<BehaviourEntry> static var modifiers: [Key<BehaviourEntry>] {
        Key("template", \.behaviour.isTemplate, .bool, usually: false)
            .means("`true`: answers are [templates](#templates-of-responses)")
        Key("delay", \.behaviour.pacing.delay, .delay)
            .means("[Pacing](#pacing)")
        Key("bandwidth", \.behaviour.pacing.bandwidth, .bandwidth)
            .means("[Pacing](#pacing)")
        Key("dribble", \.behaviour.pacing.dribble, .dribble)
            .means("[Pacing](#pacing)")
        Key("merge", .json, late: true) { reader, entry, owner in
            if let (_, patch) = reader.readJSON(entry.value, "merge") {
                owner.behaviour.changes.append(.merge(patch))
            }
        } write: { writer, owner in
            for case .merge(let patch) in owner.behaviour.changes {
                writer.key("merge")
                writer.json(patch)
            }
        }
        .means("a JSON merge patch (RFC 7396) as text")
        Key("fuzz", .map(.words(JSONFuzz.allCases.map(\.rawValue))), late: true) { reader, entry, owner in
            owner.behaviour.changes += reader.readFuzz(entry.value)
        } write: { writer, owner in
            writer.writeFuzz(owner.behaviour.changes)
        }
        .means(
            "JSONPath to `longStrings`, `emoji`, `emptyStrings`, `nulls`, `dropKeys`, `wrongTypes`, `hugeNumbers` or "
                + "`negativeNumbers`, for the values there and below"
        )
        Key("sets", \.behaviour.sets, .state, usually: [])
            .means("as `sets` of the set")
        Key("after", .either([.words(["repeat", "cycle", "unmatched"]), .pairs([("variant", .text)])])) {
            reader,
            entry,
            owner in
            owner.behaviour.after = reader.readAfter(entry.value) ?? .repeatLast
        } write: { writer, owner in
            switch owner.behaviour.after {
            case .repeatLast: break
            case .cycle: writer.pair("after") { $0.yaml.raw("cycle") }
            case .unmatched: writer.pair("after") { $0.yaml.raw("unmatched") }
            case .variant(let name):
                writer.pair("after") { $0.flowMapping { $0.pair("variant") { $0.yaml.scalar(name) } } }
            }
        }
        .means(
            "with `takes` or `sequence`: `repeat` the last (default), `cycle`, `unmatched` (tries the next set) or "
                + "`{ variant: NAME }`"
        )
    }

    /// The keys of which a behaviour has one.
    static let answers: [Key<BehaviourEntry>] = keys {
        Self.answer("takes", .list(.mapping("take"), atLeast: 1)) { writer, owner in
            guard case .takes(let takes) = owner.behaviour.answer, owner.loneFault == nil else { return }
            writer.key("takes")
            writer.items(takes) { $0.write(TakeEntry($1), by: Self.take) }
        }
        .means("list, one per request")
        Self.answer("fault", .fault) { writer, owner in
            guard let take = owner.loneFault, let fault = FaultEntry(take) else { return }
            writer.key("fault")
            writer.write(fault)
            if let error = take.urlError { writer.pair("urlError") { $0.yaml.scalar(error.name) } }
        }
        .means("a [fault](#faults), optionally with `urlError`")
        Self.answer("empty", .either([.yes, .integer(200...999)]))
            .means("`true` (204) or a status: no body")
        Self.answer("grpcStatus", .text)
            .means("a [gRPC status](grpc.md#answers), optionally with `grpcMessage` and `grpcDetails`")
        Self.answer("sequence", .list(.either([.text, .mapping("step")]), atLeast: 1)) { writer, owner in
            guard case .sequence(let parts) = owner.behaviour.answer else { return }
            writer.key("sequence")
            writer.parts(parts.map { BehaviourEntry($0, number: $0.times) }, by: Self.step)
        }
        .means("behaviours in order; each answers one request, or its number of `takes`, or `times: N`")
        Self.answer("random", .list(.either([.text, .mapping("choice")]), atLeast: 1)) { writer, owner in
            guard case .random(let choices) = owner.behaviour.answer else { return }
            writer.key("random")
            writer.parts(
                choices.map { BehaviourEntry($0.behaviour, number: $0.weight == 1 ? nil : $0.weight) },
                by: Self.choice
            )
        }
        .means("behaviours by `weight: N` (default 1)")
        Self.answer("when", .mapping("condition")) { writer, owner in
            guard case .conditional(let condition, let then, let otherwise) = owner.behaviour.answer else { return }
            writer.key("when")
            writer.block { $0.write(MatcherEntry(condition), by: Self.request) }
            writer.branch("then", then)
            if let otherwise { writer.branch("otherwise", otherwise) }
        }
        .means("a request; behaviour `then` if it matches, else `otherwise`, else the next set")
        Self.answer("variant", .text) { writer, owner in
            if case .variant(let name) = owner.behaviour.answer { writer.pair("variant") { $0.yaml.scalar(name) } }
        }
        .means("another variant of the set, or a built-in one")
        Self.answer("passthrough", .yes) { writer, owner in
            if case .passthrough = owner.behaviour.answer { writer.pair("passthrough") { $0.yaml.raw("true") } }
        }
        .means(
            "`true`: the live response, not recorded; in `append`, in `replay` with `--allow-passthrough`; only with `delay` "
                + "and `sets`"
        )
        // Files do not have it, because their requests would wait for ever.
        Self.answer("hold", .yes, isOfFiles: false) { writer, owner in
            if case .hold = owner.behaviour.answer { writer.pair("hold") { $0.yaml.raw("true") } }
        }
        .means("`true`: requests wait until they are let go")
    }

    /// Keys that go with one answer, which reads and writes them.
    @KeyList<BehaviourEntry> private static var besideAnswers: [Key<BehaviourEntry>] {
        Key("then", .either([.text, .mapping("branch")]))
            .means("with `when`: a behaviour")
        Key("otherwise", .either([.text, .mapping("branch")]))
            .means("with `when`: a behaviour")
        Key("urlError", .words(URLErrorCode.names))
            .means("with `fault`: [what a URLSession reports](#what-a-urlsession-reports)")
        Key("grpcMessage", .text)
            .means("with `grpcStatus`: its message")
        Key("grpcDetails", .json)
            .means("with `grpcStatus`: its details")
    }

    private static func answer(
        _ name: StaticString,
        _ shape: Shape,
        isOfFiles: Bool = true,
        write: @escaping Key<BehaviourEntry>.Write = { _, _ in }
    ) -> Key<BehaviourEntry> {
        Key(
            name,
            shape,
            isOfFiles: isOfFiles,
            // It is read last, in the light of the keys beside it.
            read: { _, entry, owner in owner.answers = owner.answers.map { ($0.first, entry) } ?? (entry, nil) },
            write: write
        )
    }
}

extension CassetteWriter {
    /// Parts of a behaviour, as a list; one that only names a variant is that name.
    fileprivate mutating func parts(_ parts: [BehaviourEntry], by mapping: Mapping<BehaviourEntry>) {
        self.items(parts) { writer, part in
            if part.number == nil, let variant = part.behaviour.loneVariant {
                writer.line { $0.yaml.scalar(variant) }
            } else {
                writer.write(part, by: mapping)
            }
        }
    }

    fileprivate mutating func branch(_ name: StaticString, _ behaviour: Behaviour) {
        self.key(name)
        if let variant = behaviour.loneVariant {
            self.inline { $0.yaml.scalar(variant) }
        } else {
            self.block { $0.write(BehaviourEntry(behaviour), by: CassetteGrammar.then) }
        }
    }

    fileprivate mutating func writeFuzz(_ changes: [BodyChange]) {
        guard changes.contains(where: { if case .fuzz = $0 { true } else { false } }) else { return }
        self.key("fuzz")
        self.block { writer in
            for case .fuzz(let kind, let path) in changes {
                writer.key(path.description)
                writer.inline { $0.yaml.scalar(kind.rawValue) }
            }
        }
    }
}

extension Behaviour {
    /// The variant that a behaviour refers to, if that is its only content.
    fileprivate var loneVariant: String? {
        guard case .variant(let name) = self.answer, self == Behaviour(.variant(name)) else { return nil }
        return name
    }
}

extension CassetteReader {
    mutating func readVariant(_ node: YAMLNode) -> Variant? {
        var entry = BehaviourEntry()
        guard self.readKeys(node, CassetteGrammar.variant, &entry) else { return nil }
        guard node["name"] != nil else {
            self.error(node, "a variant needs `name`")
            return nil
        }
        self.sawTemplate = false
        guard let name = entry.name,
            let behaviour = self.readBehaviour(node, entry, isVariant: true, "the variant \"\(name)\"")
        else { return nil }
        if self.sawTemplate, let url = self.url { self.checkTemplates(node, of: url) }
        return Variant(name: name, behaviour: behaviour)
    }

    /// A behaviour within another; a plain text is the name of a variant.
    private mutating func readPart(
        _ node: YAMLNode,
        _ mapping: Mapping<BehaviourEntry>
    ) -> (behaviour: Behaviour, number: Int?)? {
        if node.kind == .scalar {
            return self.readReference(node, mapping.what).map { (Behaviour(.variant($0)), nil) }
        }
        var entry = BehaviourEntry()
        guard self.readKeys(node, mapping, &entry) else { return nil }
        return self.readBehaviour(node, entry, isVariant: false, mapping.what)
            .map { ($0, entry.number) }
    }

    private mutating func readReference(_ node: YAMLNode, _ what: String) -> String? {
        guard let name = self.text(node, what, allowsEmpty: true) else { return nil }
        guard !name.isEmpty else {
            self.error(node, "\(what == "variant" ? "`variant`" : what) is empty; write the name of a variant")
            return nil
        }
        self.references.add(name, node)
        return name
    }

    /// Reads all keys but the answer; false for a behaviour with two of them, which is reported.
    private mutating func readKeys(
        _ node: YAMLNode,
        _ mapping: Mapping<BehaviourEntry>,
        _ entry: inout BehaviourEntry
    ) -> Bool {
        guard self.read(node, by: mapping, into: &entry) else { return false }
        guard let answers = entry.answers, let second = answers.second else { return true }
        self.error(second.key, Self.twoAnswers(answers.first.key.string, second.key.string, mapping.what))
        return false
    }

    private static func twoAnswers(_ first: String, _ second: String, _ what: String) -> String {
        let hint = [first, second].sorted() == ["fault", "takes"] ? "; a take can have a fault of its own" : ""
        return "\(what) has `\(first)` or `\(second)`, not both\(hint)"
    }

    private mutating func readBehaviour(
        _ node: YAMLNode,
        _ read: BehaviourEntry,
        isVariant: Bool,
        _ what: String
    ) -> Behaviour? {
        var behaviour = read.behaviour
        guard let entry = read.answers?.first else {
            let names = CassetteGrammar.answers.filter(\.isOfFiles).map(\.name).joined(separator: ", ")
            self.error(node, "\(what) needs one of \(names)")
            return nil
        }
        let kind = entry.key.string
        if kind == "hold" { return self.readHold(entry.key, entry.value, in: node, isVariant: isVariant) }
        self.checkBeside(kind, node)
        let mayBeTemplate = self.mayBeTemplate
        self.mayBeTemplate = mayBeTemplate || behaviour.isTemplate
        defer { self.mayBeTemplate = mayBeTemplate }
        guard let answer = self.readAnswer(kind, entry, node, what) else { return nil }
        behaviour.answer = answer
        if case .passthrough = answer { self.checkPassthrough(node) }
        if case .recorded = behaviour.pacing.delay, let delay = node["delay"] {
            self.checkLatencies(of: behaviour, delay)
        }
        if behaviour.isTemplate { self.sawTemplate = true }
        return behaviour
    }

    /// Reports keys that go with another answer.
    private mutating func checkBeside(_ kind: String, _ node: YAMLNode) {
        for (key, _) in node.pairs {
            switch key.string {
            case "then", "otherwise":
                if kind != "when" { self.error(key, "`\(key.string)` goes with `when`") }
            case "urlError":
                let hint = kind == "takes" ? "; a take with a fault can have one of its own" : ""
                if kind != "fault" { self.error(key, "`urlError` goes with `fault`\(hint)") }
            case "grpcMessage", "grpcDetails":
                if kind != "grpcStatus" { self.error(key, "`\(key.string)` goes with `grpcStatus`") }
            case "after":
                if kind != "takes", kind != "sequence" { self.error(key, "`after` goes with `takes` or `sequence`") }
            default: break
            }
        }
    }

    private mutating func readAnswer(
        _ kind: String,
        _ entry: Entry,
        _ node: YAMLNode,
        _ what: String
    ) -> Behaviour.Answer? {
        let value = entry.value
        switch kind {
        case "takes": return self.readTakes(value, what).map(Behaviour.Answer.takes)
        case "fault":
            guard let fault = self.readFault(value) else { return nil }
            var take = Take(fault: fault.name, faultOptions: fault.options)
            if let name = node["urlError"] {
                take.urlError = self.readURLError(name)
                self.checkURLError(of: take, hasFault: true, name)
            }
            self.checkFault(of: take, hasStatus: false, value, fault: value)
            return .takes([take])
        case "empty": return self.readEmpty(value).map { .takes([Take(status: $0)]) }
        case "grpcStatus":
            var take = Take()
            self.readCall(node, into: &take)
            return .takes([take])
        case "sequence": return self.readSequence(value).map(Behaviour.Answer.sequence)
        case "random": return self.readRandom(value).map(Behaviour.Answer.random)
        case "when": return self.readConditional(entry, node, what)
        case "variant": return self.readReference(value, "variant").map(Behaviour.Answer.variant)
        default:
            if self.bool(value, "passthrough") == true { return .passthrough }
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
            guard let (step, times) = self.readPart(item, CassetteGrammar.step) else { return nil }
            var part = step
            part.times = times
            return part
        }
        return parts.isEmpty ? nil : parts
    }

    private mutating func readRandom(_ node: YAMLNode) -> [Behaviour.Weighted]? {
        guard self.expectSequence(node, "random") else { return nil }
        if node.count == 0 { self.error(node, "`random` is an empty list, so it has no answer") }
        let choices = node.items.compactMap { item in
            self.readPart(item, CassetteGrammar.choice).map { Behaviour.Weighted(weight: $0.number ?? 1, $0.behaviour) }
        }
        return choices.isEmpty ? nil : choices
    }

    private mutating func readConditional(_ entry: Entry, _ node: YAMLNode, _ what: String) -> Behaviour.Answer? {
        let condition = self.readMatcher(entry.value, .condition("when"))
        guard let thenNode = node["then"] else {
            self.error(entry.key, "`when` needs `then`: what \(what) does if the request meets it")
            return nil
        }
        let then = self.readPart(thenNode, CassetteGrammar.then)?.behaviour
        let otherwise = node["otherwise"].flatMap { self.readPart($0, CassetteGrammar.otherwise)?.behaviour }
        guard let condition, let then else { return nil }
        return .conditional(when: condition, then: then, otherwise: otherwise)
    }

    // MARK: What goes with them

    fileprivate mutating func readAfter(_ node: YAMLNode) -> Behaviour.AfterLast? {
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

    fileprivate mutating func readFuzz(_ node: YAMLNode) -> [BodyChange] {
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
