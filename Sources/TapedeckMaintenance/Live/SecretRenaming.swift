import TapedeckCassettes
package import TapedeckCore
import TapedeckRedaction

/// Gives the secrets of new answers the names that the tape has in their places, so that a token stays
/// `{{secret.access_token}}` although its value changes each time.
package struct SecretRenaming: Sendable {
    /// The names of this refresh, by the numbers of its vault: a secret has the same name in all new answers.
    package private(set) var names: [Int: String] = [:]
    /// Those of ``names`` that the tape had before.
    private var reused: Set<String> = []
    private var unused: SecretNames

    /// - Parameters:
    ///   - cassette: the cassette that is requested again.
    ///   - source: its text.
    package init(_ cassette: Cassette, source: [UInt8]) {
        self.unused = SecretNames(
            taken: SecretPlaceholder.names(in: source).union(cassette.secrets.map(\.name)).union(cassette.hiddenSecrets)
        )
    }

    /// Returns the exchange with final names in its answer, without its request: the recorded one stays.
    ///
    /// The secrets of the answer correspond to those of the take in the same order, separately for each kind: of the
    /// secrets that would be called `token`, the first is the take's first of `token`, `token-2` and so on. One without
    /// a counterpart gets a new name, and so does one whose counterpart is already another secret in this refresh.
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
        // A secret named `jwt` in one place may have got a better name in another.
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
    /// The text to search for placeholders: the body without its content coding, unless it is too large.
    fileprivate var searched: [UInt8] {
        switch self {
        case .none: []
        case .inline(let body): body.decoded
        case .file(let file):
            file.size <= RecordedExchange.comparedLimit ? (try? file.contents()) ?? [] : []
        }
    }
}
