import Synchronization

/// The cassettes of a session, compiled: immutable, and shared by all who play them.
package final class Tape: Sendable {
    /// A response set as the index sees it.
    package struct Entry: Sendable {
        /// All sets of its cassette, so that none is in memory twice.
        private let sets: [ResponseSet]
        private let place: Int
        /// The number of its cassette.
        package let cassette: Int
        let matcher: CompiledMatcher
        /// Equal for the same set after the file was changed elsewhere.
        let identity: UInt64
        /// The secrets that it names by placeholders.
        let secrets: Set<String>
        /// True if it may require any of the cassette's secrets, as a digest of a body with placeholders does.
        let mayAskForAnySecret: Bool

        /// The set at a place of a cassette of that number.
        init(_ place: Int, of cassette: Cassette, number: Int, matcher: CompiledMatcher, identity: UInt64) {
            self.sets = cassette.responseSets
            self.place = place
            self.cassette = number
            self.matcher = matcher
            self.identity = identity
            self.secrets = matcher.secretNames
            self.mayAskForAnySecret = cassette.declaresSecrets && matcher.asksForDigest
        }

        package var set: ResponseSet {
            // A copy would touch all that the set refers to, for each request.
            _read { yield self.sets[self.place] }
        }
    }

    /// A different one for each new tape, so that cached values are never used for another tape.
    package let serial: Int
    /// Lives as long as the tape, for those who want to know whether it still does: a weak reference to the tape itself
    /// would make each of its retains dearer.
    package let life = Life()
    package let cassettes: [Cassette]
    package let entries: [Entry]
    /// All takes, numbered across the tape; behind those of the cassettes, those of the built-in variants.
    package let takes: TakeList
    /// The number of a take's cassette; built-in ones have none.
    private let cassetteOfTake: [Int32]
    let script: TapeScript
    private let index: TapeIndex
    /// The sets with conditions on secrets.
    private let hidden: HiddenSecretIndex?
    // Data that every request needs is in separate arrays, so that no entry or take is copied to read it.
    private let plain: [PlainAnswer]
    private let kinds: [TakeKind]
    private let byName: SetNumbers
    /// True if any set, or a template, uses header fields.
    package let asksForFields: Bool
    /// True if any matcher has placeholders of secrets, so that requests must be redacted before matching.
    package let asksForSecrets: Bool
    /// True if a part of any answer comes before the whole request.
    let answersEarly: Bool
    /// True if any set requires a digest of the body.
    let asksForDigest: Bool
    /// The names of all secrets.
    package let secretNames: TapeSecretNames
    /// The secrets of users, and codes, that takes give the client, by the numbers of the takes.
    let issuedCredentials: [Int: Set<String>]

    /// See ``life``.
    package final class Life: Sendable {
        fileprivate init() {}
    }

    /// Properties of a take that playing depends on, without access to the take itself.
    package struct TakeKind: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Only a fault is played.
        package static let fault = TakeKind(rawValue: 1)
        /// The body has a content coding, so what is played depends on what the client accepts.
        package static let coded = TakeKind(rawValue: 2)
        /// A part of the answer comes before the whole request, see ``MessageOrder``.
        package static let interleaved = TakeKind(rawValue: 4)
        /// There is a fault, with or without a response.
        package static let faulty = TakeKind(rawValue: 8)
    }

    package convenience init(_ cassettes: [Cassette]) {
        self.init(cassettes, order: .particularFirst)
    }

    /// - Parameter order: the order in which sets that match a request are tried.
    init(_ cassettes: [Cassette], order: TapeIndex.Order) {
        var entries: [Entry] = []
        var script = TapeScript()
        var byName = SetNumbers()
        let count = cassettes.reduce(0) { $0 + $1.responseSets.count }
        entries.reserveCapacity(count)
        byName.reserveCapacity(count)
        script.reserve(count)
        for (number, cassette) in cassettes.enumerated() {
            // Not by the path, as the same seed is to give the same order on every machine.
            let namesakes = cassettes[..<number].count { $0.name == cassette.name }
            let seed = StableHash.of("\(namesakes)", seed: StableHash.of(cassette.name))
            for (place, set) in cassette.responseSets.enumerated() {
                let identity = StableHash.of(set.name, seed: seed)
                byName.append(set.name)
                script.add(set, of: cassette, number: number, identity: identity)
                let matcher = CompiledMatcher(
                    set.request,
                    rules: cassette.matching,
                    hasEscapes: cassette.declaresSecrets
                )
                entries.append(Entry(place, of: cassette, number: number, matcher: matcher, identity: identity))
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
            if take.messageOrder != nil { kind.insert(.interleaved) }
            if take.fault != nil { kind.insert(.faulty) }
            return kind
        }
        self.answersEarly =
            script.takes.contains { $0.messageOrder != nil }
            || entries.contains { $0.matcher.messages?.isOpen ?? false }
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
        var firstUses: [String: RecordedOrder] = [:]
        var ofFields: [String: Set<String>] = [:]
        for entry in entries where !entry.secrets.isEmpty {
            for (field, names) in entry.matcher.credentials { ofFields[field, default: []].formUnion(names) }
            guard let order = entry.set.firstRecorded else { continue }
            for name in entry.secrets { firstUses[name] = min(firstUses[name] ?? order, order) }
        }
        self.secretNames = TapeSecretNames(
            asked,
            firstUses: firstUses,
            secrets: cassettes.flatMap(\.secrets),
            credentials: ofFields.values.reduce(into: []) { if $1.count > 1 { $0.formUnion($1) } },
            codes: Self.codes(asked, firstUses, issuedBy: script.takes)
        )
        let own = self.secretNames.credentials.union(self.secretNames.codes)
        self.issuedCredentials = Self.names(own, issuedBy: script.takes)
        self.asksForDigest = entries.contains { $0.matcher.asksForDigest }
        self.asksForFields =
            self.asksForSecrets || script.asksForFields || entries.contains { $0.matcher.asksForFields }
        let index = TapeIndex(entries, order: order, usesBody: script.usesBody)
        self.index = index
        self.hidden = asked.isEmpty ? nil : HiddenSecretIndex(entries, order: index.order)
        self.script = script
    }

    /// Larger bodies are not searched for secrets that they issue. 256 KiB.
    private static let issuedLimit = 256 << 10

    /// The names of codes, such as `code` and `device_code`, that an answer gives before a request has them.
    private static func codes(
        _ names: Set<String>,
        _ firstUses: [String: RecordedOrder],
        issuedBy takes: TakeList
    ) -> Set<String> {
        let issued = Self.names(names.filter { Self.isCode(SecretMention.base($0)) }, issuedBy: takes)
        return issued.reduce(into: []) { codes, take in
            let order = takes[take.key].recordedOrder
            codes.formUnion(take.value.filter { name in firstUses[name].map { order < $0 } ?? false })
        }
    }

    private static func isCode(_ kind: String) -> Bool { kind == "code" || kind.hasSuffix("_code") }

    private static func names(_ names: Set<String>, issuedBy takes: TakeList) -> [Int: Set<String>] {
        guard !names.isEmpty else { return [:] }
        var issued: [Int: Set<String>] = [:]
        for number in 0..<takes.count {
            let take = takes[number]
            var found = take.headers.flatMap { SecretMention.names(in: $0.value) }
            if case .inline(let body) = take.body, body.content.count <= Self.issuedLimit {
                found += SecretMention.names(in: body.decoded)
            }
            let own = names.intersection(found)
            if !own.isEmpty { issued[number] = own }
        }
        return issued
    }

    private static let made = Atomic<Int>(0)

    /// Returns the properties of the take with this number.
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
        self.byName[name]
    }

    /// The initial state of a session.
    var initialState: [String: String] {
        var state: [String: String] = [:]
        for entry in self.cassettes.flatMap(\.state) { state[entry.key] = entry.value }
        return state
    }

    /// True if any answer depends on the seed.
    package var usesRandom: Bool { self.script.usesRandom }

    // MARK: Matching

    /// Returns the set that answers, or `nil`; with `after`, the next one if that set does not answer.
    ///
    /// A set answers if all its conditions are met, including `requires`.
    func match(_ request: RequestFacts, after entry: Int? = nil) -> Int? {
        self.index.first(request, in: self.entries, after: entry)
    }

    /// Returns the answer if one look-up decides: on a tape of only whole URLs, if the first set for this URL has no
    /// other condition and only plays takes.
    func plainMatch(_ key: RequestKey) -> PlainAnswer? {
        let entry = self.index.first(key)
        guard entry >= 0, self.plain[entry].count > 0 else { return nil }
        return self.plain[entry]
    }

    /// The answer of a set that has only method and URL as conditions and plays takes in order.
    struct PlainAnswer: Sendable {
        var entry: Int32
        /// The number of the first take.
        var first: Int32
        /// The number of takes; 0 for other sets.
        var count: Int32
        var node: Int32
    }

    /// Matches by comparing every set, as a reference for tests of the index.
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

    /// Matches by the index.
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

    /// True if a set that may answer depends on the body, so that the body must be read first.
    func needsBody(_ request: RequestFacts) -> Bool {
        self.index.needsBody(request, in: self.entries)
    }

    /// True if any set depends on a body.
    package var mayNeedBody: Bool { self.index.mayNeedBody }

    /// The response sets in the order in which they are asked.
    package var setsInOrder: [ResponseSet] {
        self.index.order.map { self.entries[Int($0)].set }
    }

    /// Returns the position of a set in the order of precedence.
    func place(of entry: Int) -> Int {
        self.index.place(of: entry)
    }

    /// Returns the rank of a set, which decides before the order of the files.
    func rank(of entry: Int) -> TapeIndex.Rank {
        self.index.rank(entry)
    }
}

extension Tape.Entry {
    var asksForSecrets: Bool { !self.secrets.isEmpty || self.mayAskForAnySecret }

    /// True if method and URL are its only conditions.
    fileprivate var isPlain: Bool { self.matcher.hasNoConditions && self.set.requires.isEmpty }

    func stateHolds(_ request: RequestFacts) -> Bool {
        self.set.requires.allSatisfy { request.state[$0.key] == $0.value }
    }

    /// Everything but method and URL.
    func conditionsHold(_ request: RequestFacts) -> Bool {
        self.stateHolds(request) && self.matcher.conditionsHold(request)
    }
}
