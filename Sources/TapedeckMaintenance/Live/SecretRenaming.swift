import TapedeckCassettes
package import TapedeckCore
import TapedeckRedaction

/// Gives the secrets of answers that were asked for again the names that the tape has in their places, so that a token
/// stays `{{secret.access_token}}` though it is another one each time.
package struct SecretRenaming: Sendable {
    /// The names of this refresh, by the numbers of its vault: a secret keeps its name in all that is asked for again.
    package private(set) var names: [Int: String] = [:]
    /// Those of ``names`` that the tape had before.
    private var reused: Set<String> = []
    private var unused: SecretNames

    /// - Parameters:
    ///   - cassette: what is asked for again.
    ///   - source: its text.
    package init(_ cassette: Cassette, source: [UInt8]) {
        self.unused = SecretNames(
            taken: SecretPlaceholder.names(in: source).union(cassette.secrets.map(\.name)).union(cassette.hiddenSecrets)
        )
    }

    /// The exchange with final names in its answer, and without the request: what was recorded of that stays.
    ///
    /// The secrets of the answer are those of the take in the same order, each kind by itself: of the secrets that would
    /// be called `token`, the first is what the take has first of `token`, `token-2` and so on. One that the take has no
    /// counterpart for is given a new name, and so is one whose counterpart is another secret in this refresh already.
    package mutating func renamed(_ exchange: RecordedExchange, as old: Take) -> RecordedExchange {
        var answer = exchange
        answer.requestHeaders = []
        answer.requestBody = .bytes([])
        var suggestions = SecretSuggestions()
        answer.forEachPlaceholder { suggestions.note($0) }
        self.name(suggestions, as: old.secretNames)
        answer.changePlaceholders { [names] placeholder in
            guard let number = placeholder.number else { return }
            placeholder.number = nil
            placeholder.name = names[number] ?? placeholder.name
        }
        return answer
    }

    private mutating func name(_ fresh: SecretSuggestions, as old: [String]) {
        let places = Dictionary(grouping: old) { SecretNames.base(of: $0) }
        let kinds = Dictionary(grouping: fresh.numbers) { fresh.name($0) }
        for (kind, numbers) in kinds {
            for (number, name) in zip(numbers, places[kind] ?? []) { self.give(number, name) }
        }
        // What a place calls `jwt` may have got a more telling name from another one.
        let rest = fresh.numbers.filter { self.names[$0] == nil }
        let free = old.filter { !self.reused.contains($0) }
        if rest.count == free.count {
            for (number, name) in zip(rest, free) where SecretVault.isGeneric(fresh.name(number)) {
                self.give(number, name)
            }
        }
        for number in rest where self.names[number] == nil {
            self.names[number] = self.unused.unused(fresh.name(number))
        }
    }

    private mutating func give(_ number: Int, _ name: String) {
        guard self.names[number] == nil, self.reused.insert(name).inserted else { return }
        self.names[number] = name
    }
}

extension Take {
    /// The names of the secrets in what it answers, in the order in which `RecordedExchange.changePlaceholders` goes.
    fileprivate var secretNames: [String] {
        var names: [String] = []
        func note(_ text: [UInt8]) {
            for (_, placeholder) in text.withUnsafeBytes({ SecretPlaceholder.all(in: $0) }) {
                if !names.contains(placeholder.name) { names.append(placeholder.name) }
            }
        }
        func note(_ fields: [HeaderField]) {
            for field in fields { note(Array(field.value.utf8)) }
        }
        note(Array((self.reason ?? "").utf8))
        for interim in self.interim { note(interim.headers) }
        note(self.headers)
        note(self.body.searched)
        note(self.trailers)
        note(Array((self.detail ?? "").utf8))
        return names
    }
}

extension StoredBody {
    /// What placeholders are looked for in: the body without its content coding, as long as it is not too large.
    fileprivate var searched: [UInt8] {
        switch self {
        case .none: []
        case .inline(let body): body.decoded
        case .file(let file):
            file.size <= RecordedExchange.comparedLimit ? (try? file.contents()) ?? [] : []
        }
    }
}
