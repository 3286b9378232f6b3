/// Maps the secrets of a session's requests to names of the tape.
///
/// The recorded value is not on tape, and a test sends another one, or the real one, so equality cannot be checked. A
/// value is assigned to the first free secret of its kind that makes a set match, and keeps it: two passwords tried one
/// after the other get the answers of the two that were recorded.
package struct SecretBindings: Sendable {
    /// Names for the unknown secrets of a request.
    struct Attempt: Sendable {
        var names: [Int: String] = [:]
        var isPlain = false
    }

    /// Bindings that are kept. 10,000.
    private static let limit = 10_000
    /// The maximum number of assignments tried per request: 64.
    private static let attemptLimit = 64

    private var vault = 0
    /// The names of values, by their numbers in the vault.
    package private(set) var names: [Int: String] = [:]
    private(set) var taken: Set<String> = []
    /// The names whose values the session has got in answers, or sent.
    private var used: Set<String> = []

    package init() {}

    /// Returns the ways to name the unknown values, the likeliest first.
    ///
    /// - Parameters:
    ///   - names: the tape's names.
    ///   - onlyOwnKind: true to give a secret only a name of its kind, if there are any.
    func attempts(_ request: RedactedRequest, names: TapeSecretNames, onlyOwnKind: Bool) -> [Attempt] {
        let choices = request.unknown.map {
            self.choices($0, of: request, names, onlyOwnKind: onlyOwnKind)
        }
        var first = Attempt()
        for (unknown, choices) in zip(request.unknown, choices) { first.names[unknown.number] = choices[0] }
        var attempts = [first]
        /// Each other choice for one secret, with all else as in `attempt`; returns `false` when there are enough.
        func vary(_ place: Int, of attempt: Attempt) -> Bool {
            for choice in choices[place].dropFirst() {
                guard attempts.count < Self.attemptLimit else { return false }
                var other = attempt
                other.names[request.unknown[place].number] = choice
                attempts.append(other)
            }
            return true
        }
        // One after the other, then two at a time: most secrets of a request occur in no condition.
        var places = choices.indices.allSatisfy { vary($0, of: first) } ? Array(choices.indices) : []
        let single = attempts.dropFirst()
        while let place = places.popLast() {
            let number = request.unknown[place].number
            let changed = single.filter { $0.names[number] != first.names[number] }
            guard changed.allSatisfy({ attempt in places.allSatisfy { vary($0, of: attempt) } }) else { break }
        }
        guard request.hasForms else { return attempts }
        return attempts.flatMap { [$0, Attempt(names: $0.names, isPlain: true)] }
    }

    /// Never empty, and no more than are tried.
    private func choices(
        _ unknown: RedactedRequest.Unknown,
        of request: RedactedRequest,
        _ names: TapeSecretNames,
        onlyOwnKind: Bool
    ) -> [String] {
        let isCurrent = request.vault == self.vault
        var known: [Bool: String] = [:]
        func digest(_ inLowerCase: Bool) -> String? {
            known[inLowerCase] = known[inLowerCase] ?? request.digest(unknown.number, inLowerCase)
            return known[inLowerCase]
        }
        if isCurrent, let bound = self.names[unknown.number] {
            return [bound] + names.exactNames(digest: digest).filter { $0 != bound }
        }
        let taken = isCurrent ? self.taken : []
        let kind = names.ofKind(unknown.name)
        func first(_ limit: Int, of parts: [ArraySlice<String>], _ look: () -> ((String) -> Bool)?) -> [String] {
            let all = parts.joined()
            guard !names.digests.isEmpty else {
                return Self.first(limit, of: all, names, taken, self.used, request.fixed, look)
            }
            let own = all.filter { names.isValue(of: $0, digest: digest) }
            let others = all.filter { !own.contains($0) && !names.exact.contains($0) }
            let rest = Self.first(limit, of: others, names, taken, self.used, request.fixed, look)
            return Array((own + rest).prefix(limit))
        }
        var choices = first(Self.attemptLimit, of: [kind.own]) { request.look(unknown.number) }
        if !onlyOwnKind {
            choices += first(Self.attemptLimit - choices.count, of: [kind.before, kind.behind]) { nil }
        }
        guard choices.isEmpty else { return choices }
        // No name of the tape, if all of that kind are other users'.
        return [kind.own.isEmpty ? unknown.name : "another user"]
    }

    /// The first of some names: free ones, those whose shape a value has in front, then taken ones. Those with one certain
    /// value come last for other values.
    private static func first(
        _ limit: Int,
        of names: some Sequence<String>,
        _ all: TapeSecretNames,
        _ taken: Set<String>,
        _ used: Set<String>,
        _ fixed: Set<String>,
        _ look: () -> ((_ shape: String) -> Bool)?
    ) -> [String] {
        var (free, others, certain): ([String], [String], [String]) = ([], [], [])
        for name in names {
            // A tape can have thousands of names.
            guard free.count < limit else { break }
            if fixed.contains(name) {
                if !all.isOwn(name) { certain.append(name) }
            } else if taken.contains(name) || all.isOwn(name) && used.contains(name) {
                if !all.isOwn(name) { others.append(name) }
            } else {
                free.append(name)
            }
        }
        if free.count > 1, Set(free.map { all.shapes[$0] }).count > 1, let fits = look() {
            let fitting = free.map { all.shapes[$0].map(fits) ?? false }
            free = zip(free, fitting).filter(\.1).map(\.0) + zip(free, fitting).filter { !$0.1 }.map(\.0)
        }
        return Array((free + others + certain).prefix(limit))
    }

    /// Keeps those names of an attempt that a set's conditions have; `nil` keeps all of them.
    mutating func bind(_ attempt: Attempt, _ request: RedactedRequest, askedFor names: Set<String>?) {
        if request.vault != self.vault { self = SecretBindings(vault: request.vault, used: self.used) }
        for unknown in request.unknown where self.names.count < Self.limit {
            guard let name = attempt.names[unknown.number], names?.contains(name) ?? true else { continue }
            self.names[unknown.number] = name
            self.taken.insert(name)
        }
    }

    /// Notes names that belong to somebody from here on, as their values were played or came back.
    mutating func use(_ names: Set<String>) {
        self.used.formUnion(names)
    }

    /// True if a name belongs to a value that the session knows.
    func isTaken(_ name: String) -> Bool { self.taken.contains(name) || self.used.contains(name) }

    /// Returns the name of the value of a number, if known.
    func name(of number: Int) -> String? { self.names[number] }

    /// Those of a vault's numbers; none where these are another's.
    package func of(vault: Int) -> SecretBindings {
        vault == self.vault ? self : SecretBindings(vault: vault, used: self.used)
    }

    /// Stores the names of a vault's values.
    mutating func bind(_ names: [Int: String], vault: Int) {
        if vault != self.vault { self = SecretBindings(vault: vault, used: self.used) }
        for (number, name) in names where self.names.count < Self.limit {
            self.names[number] = name
            self.taken.insert(name)
        }
    }

    private init(vault: Int, used: Set<String>) {
        self.vault = vault
        self.used = used
    }
}
