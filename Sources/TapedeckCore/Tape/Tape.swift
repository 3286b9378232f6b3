import Synchronization

/// The cassettes of a session, compiled: immutable, and shared by all who play them.
package final class Tape: Sendable {
    /// A response set as the index sees it.
    package struct Entry: Sendable {
        package let set: ResponseSet
        /// Which cassette it came from.
        package let cassette: Int
        let matcher: CompiledMatcher
        /// The same for the same set in a file that was changed elsewhere.
        let identity: UInt64
        /// The secrets that it asks for by their placeholders.
        let secrets: Set<String>
        /// Whether it may ask for any of the cassette's secrets, as a digest of a body with placeholders in it does.
        let mayAskForAnySecret: Bool
    }

    /// Another one for each tape that is made, so that what is kept by it is never taken for another tape's.
    package let serial: Int
    /// Lives as long as the tape, for those who want to know whether it still does: a weak reference to the tape itself
    /// would make each of its retains dearer.
    package let life = Life()
    package let cassettes: [Cassette]
    package let entries: [Entry]
    /// All takes, numbered across the tape; behind those of the cassettes, those of the built-in variants.
    package let takes: [Take]
    /// Which cassette a take came from; built-in ones have none.
    private let cassetteOfTake: [Int32]
    let script: TapeScript
    private let index: TapeIndex
    /// Of the sets that ask for secrets.
    private let hidden: HiddenSecretIndex?
    // What every request asks for stands in arrays of its own, so that no entry or take is copied to look at it.
    private let plain: [PlainAnswer]
    private let kinds: [TakeKind]
    /// Where the sets of each name are; names are unique in a cassette only.
    private let byName: [String: [Int]]
    /// Whether any set, or a template, asks for header fields.
    package let asksForFields: Bool
    /// Whether any matcher has placeholders of secrets in it, so that requests must be redacted to be held against it.
    package let asksForSecrets: Bool
    /// Whether any set asks for a digest of the body.
    let asksForDigest: Bool
    /// The names of all secrets, `password` before `password-2`.
    package let secretNames: [String]

    /// See ``life``.
    package final class Life: Sendable {
        fileprivate init() {}
    }

    /// What playing a take depends on, without touching the take itself.
    package struct TakeKind: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Nothing but a fault is played.
        package static let fault = TakeKind(rawValue: 1)
        /// The body has a content coding, so what is played depends on what the client accepts.
        package static let coded = TakeKind(rawValue: 2)
    }

    package convenience init(_ cassettes: [Cassette]) {
        self.init(cassettes, order: .particularFirst)
    }

    /// - Parameter order: which of several sets that match a request is asked first.
    init(_ cassettes: [Cassette], order: TapeIndex.Order) {
        var entries: [Entry] = []
        var script = TapeScript()
        var byName: [String: [Int]] = [:]
        for (number, cassette) in cassettes.enumerated() {
            // Not by the path, as the same seed is to give the same order on every machine.
            let namesakes = cassettes[..<number].count { $0.name == cassette.name }
            let seed = StableHash.of("\(namesakes)", seed: StableHash.of(cassette.name))
            for set in cassette.responseSets {
                let identity = StableHash.of(set.name, seed: seed)
                byName[set.name, default: []].append(entries.count)
                script.add(set, of: cassette, number: number, identity: identity)
                let matcher = CompiledMatcher(
                    set.request,
                    rules: cassette.matching,
                    hasEscapes: cassette.declaresSecrets
                )
                entries.append(
                    Entry(
                        set: set,
                        cassette: number,
                        matcher: matcher,
                        identity: identity,
                        secrets: matcher.secretNames,
                        mayAskForAnySecret: cassette.declaresSecrets && matcher.asksForDigest
                    )
                )
            }
        }
        script.addBuiltIns()
        self.serial = Self.made.wrappingAdd(1, ordering: .relaxed).newValue
        self.cassettes = cassettes
        self.entries = entries
        self.takes = script.takes
        self.cassetteOfTake = script.cassetteOfTake
        self.kinds = script.takes.map { take in
            var kind: TakeKind = take.isFaultAlone ? .fault : []
            if take.body.coding != nil { kind.insert(.coded) }
            return kind
        }
        self.byName = byName
        self.plain = entries.indices.map { number in
            let fast = script.fast[number]
            let isPlain = entries[number].isPlain && fast.node >= 0
            return PlainAnswer(
                entry: Int32(number),
                first: fast.first,
                count: isPlain ? fast.count : 0,
                node: fast.node
            )
        }
        var asked = entries.reduce(into: Set<String>()) { $0.formUnion($1.secrets) }
        asked.formUnion(script.secretNames)
        self.asksForSecrets = !asked.isEmpty || entries.contains(where: \.mayAskForAnySecret)
        asked.formUnion(cassettes.flatMap(\.secrets).map(\.name))
        self.secretNames = asked.sorted(by: SecretMention.precedes)
        self.asksForDigest = entries.contains { $0.matcher.asksForDigest }
        self.asksForFields =
            self.asksForSecrets || script.asksForFields || entries.contains { $0.matcher.asksForFields }
        let index = TapeIndex(entries, order: order, usesBody: script.usesBody)
        self.index = index
        self.hidden = asked.isEmpty ? nil : HiddenSecretIndex(entries, order: index.order)
        self.script = script
    }

    private static let made = Atomic<Int>(0)

    /// What playing the take of this number depends on.
    package func kind(ofTake number: Int) -> TakeKind {
        self.kinds[number]
    }

    /// The cassette a take came from; `nil` for those of built-in variants.
    package func cassette(ofTake number: Int) -> Cassette? {
        let cassette = Int(self.cassetteOfTake[number])
        return cassette < 0 ? nil : self.cassettes[cassette]
    }

    /// The sets of a name, in the order of the cassettes.
    func entries(named name: String) -> [Int] {
        self.byName[name] ?? []
    }

    /// What a session's state is at first.
    var initialState: [String: String] {
        var state: [String: String] = [:]
        for entry in self.cassettes.flatMap(\.state) { state[entry.key] = entry.value }
        return state
    }

    /// Whether any answer depends on the seed.
    package var usesRandom: Bool { self.script.usesRandom }

    // MARK: Matching

    /// The set that answers, or `nil`; with `after`, the one that is asked when that set does not.
    ///
    /// A set answers when all that it asks for holds, `requires` included.
    func match(_ request: RequestFacts, after entry: Int? = nil) -> Int? {
        self.index.first(request, in: self.entries, after: entry)
    }

    /// The answer where one look-up can tell: on a tape whose sets ask for whole URLs, and where the first one of this
    /// request's asks for nothing else and plays takes and nothing else.
    func plainMatch(_ key: RequestKey) -> PlainAnswer? {
        let entry = self.index.first(key)
        guard entry >= 0, self.plain[entry].count > 0 else { return nil }
        return self.plain[entry]
    }

    /// What is played for a set that asks for method and URL and plays takes in order.
    struct PlainAnswer: Sendable {
        var entry: Int32
        /// The number of the first take.
        var first: Int32
        /// How many there are; 0 for a set that is not so plain.
        var count: Int32
        var node: Int32
    }

    /// The same by asking every set: what the index is held against.
    package func matchByScan(
        _ matchRequest: MatchRequest,
        state: [String: String] = [:],
        scratch: PatternScratch = PatternScratch()
    ) -> Int? {
        let request = RequestFacts(matchRequest, state: state, scratch: scratch)
        return self.index.order.first { number in
            let entry = self.entries[Int(number)]
            return request.judge(Int(number)) { entry.matcher.matches(request) && entry.stateHolds(request) }
        }.map(Int.init)
    }

    /// The same by way of the index.
    package func match(
        _ matchRequest: MatchRequest,
        state: [String: String] = [:],
        scratch: PatternScratch = PatternScratch()
    ) -> Int? {
        self.match(RequestFacts(matchRequest, state: state, scratch: scratch))
    }

    /// The sets whose path the request has, but for secrets in it.
    func mayHideSecrets(_ request: RequestFacts) -> [Int32] {
        self.hidden?.candidates(request) ?? []
    }

    /// Whether a set that may answer depends on the body, so that the body must be read first.
    func needsBody(_ request: RequestFacts) -> Bool {
        self.index.needsBody(request, in: self.entries)
    }

    /// Whether any set depends on a body at all.
    package var mayNeedBody: Bool { self.index.mayNeedBody }

    /// Where a set stands in the order of asking.
    func place(of entry: Int) -> Int {
        self.index.place(of: entry)
    }

    /// What comes before the order of the files when two sets answer a request.
    func rank(of entry: Int) -> TapeIndex.Rank {
        self.index.rank(entry)
    }
}

extension Tape.Entry {
    var asksForSecrets: Bool { !self.secrets.isEmpty || self.mayAskForAnySecret }

    /// Whether method and URL are all it asks for.
    fileprivate var isPlain: Bool { self.matcher.hasNoConditions && self.set.requires.isEmpty }

    func stateHolds(_ request: RequestFacts) -> Bool {
        self.set.requires.allSatisfy { request.state[$0.key] == $0.value }
    }

    /// Everything but method and URL.
    func conditionsHold(_ request: RequestFacts) -> Bool {
        self.stateHolds(request) && self.matcher.conditionsHold(request)
    }
}
