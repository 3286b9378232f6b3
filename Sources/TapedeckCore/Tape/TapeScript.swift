/// The compiled behaviours of a tape's variants: a node for each behaviour, takes by number, names resolved.
struct TapeScript: Sendable {
    /// The continuation of a behaviour that has played everything.
    enum AfterLast: Sendable {
        case repeatLast
        case cycle
        case unmatched
        case node(Int)

        /// Returns the position of a request among as many as are answered; `nil` if they are used up.
        ///
        /// - Parameter position: the number of requests before.
        func position(_ position: Int, of count: Int) -> Int? {
            guard position >= count else { return position }
            switch self {
            case .repeatLast: return count - 1
            case .cycle: return position % count
            case .unmatched, .node: return nil
            }
        }
    }

    enum Action: Sendable {
        /// `count` takes from `first` on.
        case takes(first: Int, count: Int)
        /// Nodes, with the number of requests each answers.
        case sequence([(node: Int, length: Int)])
        /// Nodes, with the sum of the weights up to and including each.
        case random([(node: Int, upTo: Int)])
        /// `otherwise` -1: not answered.
        case conditional(when: Int, then: Int, otherwise: Int)
        case node(Int)
        case builtIn(BuiltInVariant)
        /// A variant of an unknown name.
        case nothing
        case passthrough
        case hold
    }

    struct Node: Sendable {
        var action: Action
        var after: AfterLast
        /// An identity that is equal for an equal behaviour in an edited file; positions are kept by it.
        var identity: UInt64
        /// True if playing it takes more than sending a take.
        var isStaged: Bool
        /// True if its takes are selected by conditions or ranges of requests; see ``TapeScript/selectors``.
        var selects = false
    }

    /// The steps in addition to sending a take.
    struct Steps: Sendable {
        var pacing: Pacing
        var isTemplate: Bool
        var changes: [BodyChange]
        var sets: [StateEntry]

        var isNone: Bool { self.pacing.isNone && !self.isTemplate && self.changes.isEmpty && self.sets.isEmpty }
    }

    /// The data of a set's default variant for every request.
    struct Fast: Sendable {
        var first: Int32
        var count: Int32
        /// The node's number; -1 where the default variant is more than takes that repeat.
        var node: Int32
    }

    private(set) var nodes: [Node] = []
    private(set) var steps: [Int: Steps] = [:]
    /// Selects among the takes of nodes, by their numbers.
    private(set) var selectors: [Int: TakeSelector] = [:]
    /// The number of requests that the takes of nodes answer, by their numbers.
    private(set) var runs: [Int: TakeRuns] = [:]
    private(set) var takes = TakeList()
    private(set) var cassetteOfTake: [Int32] = []
    /// The number of the first take of each set.
    private var firstTake: [Int] = []
    private(set) var conditions: [CompiledMatcher] = []
    /// The nodes of a set's variants are `roots[firstRoot[set]..<firstRoot[set + 1]]`.
    private var roots: [Int] = []
    private var firstRoot: [Int] = [0]
    private(set) var fast: [Fast] = []
    private(set) var defaultDelays: [Pacing.Delay?] = []
    /// For each set, true if an answer depends on the request's body.
    private(set) var usesBody: [Bool] = []
    /// True if any answer depends on header fields.
    private(set) var asksForFields = false
    /// The secrets that conditions name by placeholders.
    private(set) var secretNames: Set<String> = []
    private(set) var usesRandom = false
    private var builtIns: [BuiltInVariant: Int] = [:]
    /// Those of sets for calls.
    private var callBuiltIns: [BuiltInVariant: Int] = [:]
    /// The number behind the last node of a set.
    private var endOfSets = 0
    /// The recorded requests with safe methods, for each cassette where that was asked for.
    private var reads: [Int: [(order: RecordedOrder, count: Int)]] = [:]

    /// The node of a variant of a set.
    func root(of variant: Int, set: Int) -> Int {
        self.roots[self.firstRoot[set] + variant]
    }

    /// The variant of a set that a node is, by number; `nil` for a part of a variant, and for other sets' nodes.
    func variant(ofNode node: Int, set: Int) -> Int? {
        let first = self.firstRoot[set]
        // The nodes of a set's variants are adjacent.
        let variant = node - self.roots[first]
        return variant >= 0 && variant < self.firstRoot[set + 1] - first ? variant : nil
    }

    /// The node of a built-in variant that is not a wrapper.
    ///
    /// - Parameter isCall: true for a set that answers calls of gRPC.
    func root(of builtIn: BuiltInVariant, isCall: Bool) -> Int? {
        isCall ? self.callBuiltIns[builtIn] : self.builtIns[builtIn]
    }

    /// Returns the identities by which the positions of a set's behaviours are kept.
    func identities(of set: Int) -> [UInt64] {
        // The nodes of a set are adjacent, beginning with those of its variants.
        let first = self.roots[self.firstRoot[set]]
        let end = set + 2 < self.firstRoot.count ? self.roots[self.firstRoot[set + 1]] : self.endOfSets
        return (first..<end).flatMap { number in
            let identity = self.nodes[number].identity
            return [identity] + (self.selectors[number]?.groups.map { StableHash.of($0, seed: identity) } ?? [])
        }
    }

    /// Returns the number of a set's take among those of its variant, from 1.
    func place(ofTake take: Int, in set: ResponseSet, number: Int) -> Int {
        // The takes of a set are adjacent, in the order of its variants.
        var place = take - self.firstTake[number]
        for variant in set.variants {
            let count = variant.behaviour.allTakes.count
            if place < count { return place + 1 }
            place -= count
        }
        // Those of the built-in variants come after all sets.
        return 1
    }

    // MARK: Making

    /// Makes room for a number of sets, most of which have one variant with one take.
    mutating func reserve(_ count: Int) {
        let withBuiltIns = count + 2 * BuiltInVariant.allCases.count
        self.nodes.reserveCapacity(withBuiltIns)
        self.takes.reserveCapacity(withBuiltIns)
        self.cassetteOfTake.reserveCapacity(withBuiltIns)
        self.firstTake.reserveCapacity(count)
        self.roots.reserveCapacity(count)
        self.firstRoot.reserveCapacity(count + 1)
        self.fast.reserveCapacity(count)
        self.defaultDelays.reserveCapacity(count)
        self.usesBody.reserveCapacity(count)
    }

    mutating func add(_ set: ResponseSet, of cassette: Cassette, number: Int, identity: UInt64) {
        let firstNode = self.nodes.count
        self.firstTake.append(self.takes.count)
        // The roots come first, so that behaviours can name them.
        for _ in set.variants {
            self.roots.append(self.nodes.count)
            self.nodes.append(Node(action: .nothing, after: .repeatLast, identity: 0, isStaged: false))
        }
        self.firstRoot.append(self.roots.count)
        var compiler = SetCompiler(set: set, cassette: cassette, number: number, firstNode: firstNode)
        for (index, variant) in set.variants.enumerated() {
            let node = self.compile(
                variant.behaviour,
                &compiler,
                identity: StableHash.of(variant.name, seed: identity)
            )
            self.nodes[firstNode + index] = node
            self.note(compiler, node: firstNode + index)
        }
        let added = self.takes.count - self.cassetteOfTake.count
        self.cassetteOfTake.append(contentsOf: repeatElement(Int32(number), count: added))
        self.usesBody.append(compiler.usesBody)
        self.defaultDelays.append(cassette.delay)
        self.fast.append(self.fastPath(of: set, cassette, node: firstNode + set.defaultVariant))
        if set.selectedBuiltIn?.isWrapper == true { self.usesRandom = true }
        if compiler.usesRandom || cassette.delay?.isRandom == true { self.usesRandom = true }
    }

    private func fastPath(of set: ResponseSet, _ cassette: Cassette, node number: Int) -> Fast {
        let node = self.nodes[number]
        guard case .takes(let first, let count) = node.action, case .repeatLast = node.after, !node.isStaged,
            !node.selects, self.runs[number] == nil, set.sets.isEmpty, set.selectedBuiltIn == nil,
            cassette.delay == nil,
            !cassette.time.shifts,
            cassette.streams?.factor == nil
                || !self.takes[first..<(first + count)].contains(where: { $0.pieces != nil }),
            !self.takes[first..<(first + count)].contains(where: { !$0.echoedFields.isEmpty })
        else { return Fast(first: 0, count: 0, node: -1) }
        return Fast(first: Int32(first), count: Int32(count), node: Int32(number))
    }

    mutating func addBuiltIns() {
        self.endOfSets = self.nodes.count
        for builtIn in BuiltInVariant.allCases {
            if let take = builtIn.take { self.builtIns[builtIn] = self.add(take, of: builtIn) }
            if let take = builtIn.callTake { self.callBuiltIns[builtIn] = self.add(take, of: builtIn) }
        }
    }

    private mutating func add(_ take: Take, of builtIn: BuiltInVariant) -> Int {
        let action = Action.takes(first: self.takes.count, count: 1)
        let identity = StableHash.of(builtIn.rawValue)
        self.nodes.append(Node(action: action, after: .repeatLast, identity: identity, isStaged: false))
        self.takes.append([take])
        self.cassetteOfTake.append(-1)
        return self.nodes.count - 1
    }

    /// The state of compiling the variants of one set.
    private struct SetCompiler {
        let set: ResponseSet
        let cassette: Cassette
        /// Of the cassette.
        let number: Int
        /// The node of the first variant.
        let firstNode: Int
        var usesBody = false
        var usesRandom = false
        /// The steps of the behaviour that was compiled last.
        var steps: Steps?
        /// Selects among its takes.
        var selector: TakeSelector?
        /// How often they play.
        var runs: TakeRuns?
    }

    private func node(ofVariant name: String, _ compiler: SetCompiler) -> Int? {
        compiler.set.variants.firstIndex { $0.name == name }.map { compiler.firstNode + $0 }
    }

    /// Notes what else belongs to the node that was compiled last.
    private mutating func note(_ compiler: SetCompiler, node number: Int) {
        if let steps = compiler.steps { self.steps[number] = steps }
        if let selector = compiler.selector {
            self.selectors[number] = selector
            self.nodes[number].selects = true
        }
        if let runs = compiler.runs { self.runs[number] = runs }
    }

    private mutating func add(_ behaviour: Behaviour, _ compiler: inout SetCompiler, identity: UInt64) -> Int {
        let node = self.compile(behaviour, &compiler, identity: identity)
        self.nodes.append(node)
        self.note(compiler, node: self.nodes.count - 1)
        return self.nodes.count - 1
    }

    private mutating func compile(
        _ behaviour: Behaviour,
        _ compiler: inout SetCompiler,
        identity: UInt64
    ) -> Node {
        let action = self.action(of: behaviour, &compiler, identity: identity)
        let after: AfterLast =
            switch behaviour.after {
            case .repeatLast: .repeatLast
            case .cycle: .cycle
            case .unmatched: .unmatched
            case .variant(let name): self.node(ofVariant: name, compiler).map(AfterLast.node) ?? .unmatched
            }
        let steps = Steps(
            pacing: behaviour.pacing,
            isTemplate: behaviour.isTemplate,
            changes: behaviour.changes,
            sets: behaviour.sets
        )
        if steps.isTemplate {
            if behaviour.allTakes.contains(where: \.mentionsRandom) { compiler.usesRandom = true }
            compiler.usesBody = true
            self.asksForFields = true
        }
        if behaviour.pacing.delay?.isRandom == true || behaviour.changes.contains(where: \.isRandom) {
            compiler.usesRandom = true
        }
        compiler.steps = steps.isNone ? nil : steps
        compiler.selector = nil
        compiler.runs = nil
        if case .takes(let takes) = behaviour.answer {
            if takes.contains(where: { !$0.echoedFields.isEmpty }) { self.asksForFields = true }
            compiler.runs = self.runs(of: takes, compiler)
            compiler.selector = TakeSelector(takes, first: self.takes.count - takes.count)
        }
        return Node(action: action, after: after, identity: identity, isStaged: !steps.isNone)
    }

    private mutating func runs(of takes: [Take], _ compiler: SetCompiler) -> TakeRuns? {
        let isRead = compiler.set.request.methods == ["GET"]
        return TakeRuns(takes) { place in
            guard isRead, takes[place].recorded != nil, takes[place + 1].recorded != nil else { return false }
            let (order, next) = (takes[place].recordedOrder, takes[place + 1].recordedOrder)
            guard order < next else { return false }
            let reads = self.reads[compiler.number] ?? Self.reads(of: compiler.cassette)
            self.reads[compiler.number] = reads
            // Its own requests and those that only read are all that came in between: the tape may have other requests no
            // more, or their answers of another recording.
            let between = reads.reduce(0) { order < $1.order && $1.order < next ? $0 + $1.count : $0 }
            return next.number - order.number == takes[place].times + between
        }
    }

    /// Returns the places of the recorded requests with a safe method (RFC 9110 section 9.2.1), with their numbers.
    private static func reads(of cassette: Cassette) -> [(order: RecordedOrder, count: Int)] {
        let sets = cassette.responseSets.lazy.filter { set in
            !set.request.methods.isEmpty && Set(set.request.methods).isSubset(of: ["GET", "HEAD", "OPTIONS"])
        }
        return sets.flatMap { $0.variants.flatMap(\.behaviour.allTakes) }.filter { $0.recorded != nil }
            .map { ($0.recordedOrder, $0.times) }
    }

    private mutating func action(
        of behaviour: Behaviour,
        _ compiler: inout SetCompiler,
        identity: UInt64
    ) -> Action {
        func part(_ number: Int) -> UInt64 { StableHash.of("\(number)", seed: identity) }
        switch behaviour.answer {
        case .takes(let takes):
            self.takes.append(takes)
            return .takes(first: self.takes.count - takes.count, count: takes.count)
        case .sequence(let parts):
            return .sequence(
                parts.enumerated().map { index, item in
                    (self.add(item, &compiler, identity: part(index)), item.length)
                }
            )
        case .random(let parts):
            compiler.usesRandom = true
            var sum = 0
            return .random(
                parts.enumerated().map { index, item in
                    sum += max(1, item.weight)
                    return (self.add(item.behaviour, &compiler, identity: part(index)), sum)
                }
            )
        case .conditional(let when, let then, let otherwise):
            let matcher = CompiledMatcher(
                when,
                rules: compiler.cassette.matching,
                hasEscapes: compiler.cassette.declaresSecrets
            )
            self.conditions.append(matcher)
            if matcher.needsBody { compiler.usesBody = true }
            if matcher.asksForFields { self.asksForFields = true }
            self.secretNames.formUnion(matcher.secretNames)
            let condition = self.conditions.count - 1
            let thenNode = self.add(then, &compiler, identity: part(0))
            let otherwiseNode = otherwise.map { self.add($0, &compiler, identity: part(1)) } ?? -1
            return .conditional(when: condition, then: thenNode, otherwise: otherwiseNode)
        case .variant(let name):
            if let node = self.node(ofVariant: name, compiler) { return .node(node) }
            return BuiltInVariant(rawValue: name).map(Action.builtIn) ?? .nothing
        case .passthrough:
            return .passthrough
        case .hold:
            // The holder of a request may read all of it.
            compiler.usesBody = true
            self.asksForFields = true
            return .hold
        }
    }
}

extension Take {
    /// True if a template in it may use random values.
    fileprivate var mentionsRandom: Bool {
        let name = "random."
        if (self.headers + self.trailers).contains(where: { $0.value.contains(name) }) { return true }
        guard case .inline(let body) = self.body else { return false }
        return ByteText.string(from: body.content).contains(name)
    }
}

extension Pacing.Delay {
    var isRandom: Bool {
        switch self {
        case .fixed, .recorded: false
        case .uniform, .normal, .logNormal: true
        }
    }
}

extension BodyChange {
    var isRandom: Bool {
        if case .fuzz = self { true } else { false }
    }
}

/// A hash that is the same in every run and on every machine (FNV-1a, 64 bits): names positions, and turns a seed into
/// draws.
enum StableHash {
    private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    static func of(_ text: String, seed: UInt64 = Self.start) -> UInt64 {
        var hash = seed
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        // A mark between one text and the next.
        return (hash ^ 0xFF) &* 0x0000_0100_0000_01B3
    }
}
