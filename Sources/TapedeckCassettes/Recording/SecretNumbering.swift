import TapedeckCore
import TapedeckRedaction

/// Gives the secrets of a recording their final names: `{{secret.access_token#7}}` becomes `{{secret.access_token}}`.
///
/// Numbers depend on which exchange ended first, and names must not: exchanges are sorted by their requests alone (URL,
/// method and body without the numbers of secrets, then their own numbers), and a secret gets its name from its first place
/// in that order. The second one of a name is `access_token-2`. A name that only describes the transport is replaced by a
/// better one.
struct SecretNumbering {
    /// A place of a secret, and its name there.
    private struct Mention {
        var key: Key
        /// The number of placeholders before it in the exchange.
        var place: Int
        var name: String

        func precedes(_ other: Mention) -> Bool {
            self.key == other.key ? self.place < other.place : self.key < other.key
        }
    }

    private var first: [Int: Mention] = [:]
    /// The first place of each secret that has a better name than that of its transport.
    private var firstTelling: [Int: Mention] = [:]
    /// Names without a number.
    private var unnumbered: Set<String> = []
    /// The first place of each secret in an answer to a request without it, and the number of the first such exchange.
    private var issued: [Int: (mention: Mention, exchange: Int)] = [:]
    /// The number of requests with each secret, and that of the first.
    private var requests: [Int: (count: Int, first: Int)] = [:]
    /// The secrets that belong to somebody, and not to one request, by their final names: several requests have them, or an
    /// environment variable.
    private(set) var lasting: Set<String> = []
    /// The final names, by the numbers of the secrets.
    private var names: [Int: String] = [:]
    /// The descriptions of the secrets, by name, after ``finish(traits:known:existing:taken:)``.
    private(set) var secrets: [SecretDescription] = []

    /// The numbers of the secrets.
    var numbers: some Sequence<Int> { self.first.keys }

    // MARK: Collecting

    /// Adds the placeholders of an exchange. The order of the exchanges does not matter.
    mutating func note(_ exchange: RecordedExchange) {
        var key: Key?
        var place = 0
        var sent: Set<Int> = []
        exchange.forEachPlaceholderWithSide { placeholder, isInResponse in
            defer { place += 1 }
            guard let number = placeholder.number else {
                self.unnumbered.insert(placeholder.name)
                return
            }
            let mention = Mention(key: key ?? Key(exchange), place: place, name: placeholder.name)
            key = mention.key
            Self.note(mention, of: number, in: &self.first)
            if !isInResponse {
                if sent.insert(number).inserted { self.noteSent(number, exchange.number) }
            } else if !sent.contains(number) {
                self.noteIssued(number, mention, exchange.number)
            }
            // A name of a place for any secret is not specific.
            guard !SecretVault.isGeneric(placeholder.name) else { return }
            Self.note(mention, of: number, in: &self.firstTelling)
        }
    }

    private mutating func noteSent(_ number: Int, _ exchange: Int) {
        let known = self.requests[number] ?? (0, .max)
        self.requests[number] = (known.count + 1, min(known.first, exchange))
    }

    private mutating func noteIssued(_ number: Int, _ mention: Mention, _ exchange: Int) {
        guard let known = self.issued[number] else {
            self.issued[number] = (mention, exchange)
            return
        }
        self.issued[number] = (
            mention.precedes(known.mention) ? mention : known.mention, min(exchange, known.exchange)
        )
    }

    /// The place that decides about a secret's number. One that an answer gave the client is found there, wherever it is sent
    /// later: so the users of two logins keep their names when other requests come.
    private func decisive(_ number: Int, _ first: Mention) -> Mention {
        guard let issued = self.issued[number], issued.exchange < self.requests[number]?.first ?? .max else {
            return first
        }
        return issued.mention
    }

    private static func note(_ mention: Mention, of number: Int, in mentions: inout [Int: Mention]) {
        if let known = mentions[number], !mention.precedes(known) { return }
        mentions[number] = mention
    }

    // MARK: Naming

    /// Gives each secret its name.
    ///
    /// - Parameters:
    ///   - traits: of the secrets, by number.
    ///   - known: secrets with a final name.
    ///   - existing: those of the cassette, whose names go to the secrets that they describe.
    ///   - taken: names of other secrets.
    ///   - shared: those of `taken` that a secret of their look gets if each is the only one of its kind: a key that was
    ///     renewed is no second key.
    mutating func finish(
        traits: [Int: SecretTraits] = [:],
        known: [SecretDescription] = [],
        existing: [SecretDescription] = [],
        taken: Set<String> = [],
        shared: Set<String> = []
    ) {
        guard !self.first.isEmpty || !self.unnumbered.isEmpty else { return }
        let numbers = self.first.map { (number: $0.key, mention: self.decisive($0.key, $0.value)) }
            .sorted { $0.mention.precedes($1.mention) }.map(\.number)
        let wanted = Dictionary(
            uniqueKeysWithValues: numbers.map { number in
                (number, self.firstTelling[number]?.name ?? self.first[number]?.name ?? "secret")
            }
        )
        let recognised = Self.recognised(
            numbers,
            wanted,
            traits,
            among: existing.filter { !self.unnumbered.contains($0.name) }
        )
        self.names = recognised.names
        for secret in existing where shared.contains(secret.name) && !self.unnumbered.contains(secret.name) {
            let base = SecretNames.base(of: secret.name)
            let own = numbers.filter { wanted[$0] == base }
            guard own.count == 1, existing.count(where: { SecretNames.base(of: $0.name) == base }) == 1,
                let look = traits[own[0]]?.shape, secret.shape.map({ SecretShape.areAlike($0, look) }) ?? false
            else { continue }
            self.names[own[0]] = secret.name
        }
        var free = SecretNames(taken: taken.union(self.unnumbered).union(recognised.reserved).union(self.names.values))
        for number in numbers where self.names[number] == nil {
            self.names[number] = free.unused(wanted[number] ?? "secret")
        }
        let traits = Self.renumbered(traits, inOrderOf: numbers)
        // A digest tells a secret from others of its kind, and says nothing of the only one.
        let ofKind = Set(self.names.values).union(existing.map(\.name)).reduce(into: [String: Int]()) {
            $0[SecretNames.base(of: $1), default: 0] += 1
        }
        var secrets = self.names.map { number, name in
            SecretDescription(
                name: name,
                shape: traits[number]?.shape?.named(self.names),
                environment: traits[number]?.variable,
                sha256: ofKind[SecretNames.base(of: name)] ?? 0 > 1 ? traits[number]?.sha256 : nil
            )
        }
        let isLasting = { (number: Int) in
            let variable = traits[number]?.variable
            guard MachineIdentity(variable: variable) == nil else { return false }
            return self.requests[number]?.count ?? 0 > 1 || variable != nil
        }
        self.lasting = Set(numbers.filter(isLasting).compactMap { self.names[$0] })
            .union(known.filter { $0.environment != nil }.map(\.name))
        for name in self.unnumbered {
            secrets.append(known.first { $0.name == name } ?? SecretDescription(name: name))
        }
        self.secrets = secrets.sorted { $0.name < $1.name }
        (self.first, self.firstTelling) = ([:], [:])
    }

    /// Returns the names of secrets that descriptions in the cassette tell apart from others of their kind, by the variable or
    /// by the look, and the names that no other secret may get.
    private static func recognised(
        _ numbers: [Int],
        _ wanted: [Int: String],
        _ traits: [Int: SecretTraits],
        among existing: [SecretDescription]
    ) -> (names: [Int: String], reserved: Set<String>) {
        var names: [Int: String] = [:]
        var reserved: Set<String> = []
        for (base, known) in Dictionary(grouping: existing, by: { SecretNames.base(of: $0.name) }) where known.count > 1
        {
            let own = numbers.filter { wanted[$0] == base }
            var free = known
            func give(_ index: Int, to number: Int) { names[number] = free.remove(at: index).name }
            for number in own {
                guard let variable = traits[number]?.variable,
                    let index = free.firstIndex(where: { $0.environment == variable })
                else { continue }
                give(index, to: number)
            }
            var isRecognised = false
            for number in own where names[number] == nil {
                guard let look = traits[number]?.shape else { continue }
                let alike = { (secret: SecretDescription) in
                    secret.shape.map { SecretShape.areAlike($0, look) } ?? false
                }
                guard known.count(where: alike) == 1, let index = free.firstIndex(where: alike) else { continue }
                give(index, to: number)
                isRecognised = true
            }
            // Looks that none has say nothing: tokens of one kind may have any length.
            reserved.formUnion(free.filter { $0.environment != nil || isRecognised }.map(\.name))
        }
        return (names, reserved)
    }

    /// The exchange with final names.
    func named(_ exchange: RecordedExchange) -> RecordedExchange {
        guard !self.names.isEmpty else { return exchange }
        var exchange = exchange
        exchange.changePlaceholders { self.change(&$0) }
        return exchange
    }

    /// The URL of an exchange with final names.
    func named(url: String) -> String {
        guard !self.names.isEmpty else { return url }
        return SecretPlaceholder.replacing(in: url) { placeholder in
            var placeholder = placeholder
            self.change(&placeholder)
            return placeholder.text
        }
    }

    private func change(_ placeholder: inout SecretPlaceholder) {
        guard let number = placeholder.number else { return }
        placeholder.number = nil
        placeholder.name = self.names[number] ?? placeholder.name
    }

    /// Shapes of tokens with the numbers of their users in the order of secrets, as names must not depend on which token
    /// came first.
    private static func renumbered(_ traits: [Int: SecretTraits], inOrderOf secrets: [Int]) -> [Int: SecretTraits] {
        var traits = traits
        var users: [Int: Int] = [:]
        for secret in secrets {
            guard let token = traits[secret]?.shape.flatMap({ TokenShape($0) }), let user = token.user else { continue }
            let number = users[user] ?? users.count + 1
            users[user] = number
            traits[secret]?.shape = token.renumbered(number).text
        }
        return traits
    }

    private struct Key: Comparable {
        /// Bodies up to this size count; the rest of larger ones seldom tells them apart. 4 KiB.
        private static let bodyLimit = 4 << 10

        private let request: [UInt8]
        private let number: Int

        init(_ exchange: RecordedExchange) {
            var text = Self.unnumbered(Array(exchange.url.utf8)) + [0]
            text += exchange.method.utf8
            text.append(0)
            if case .bytes(let body) = exchange.requestBody {
                text += Self.unnumbered(Array(body.prefix(Self.bodyLimit)))
            }
            self.request = text
            self.number = exchange.number
        }

        private static func unnumbered(_ text: [UInt8]) -> [UInt8] {
            SecretPlaceholder.replacing(in: text) { placeholder in
                var placeholder = placeholder
                placeholder.number = nil
                return Array(placeholder.text.utf8)
            }
        }

        static func == (left: Key, right: Key) -> Bool {
            left.number == right.number && left.request == right.request
        }

        static func < (left: Key, right: Key) -> Bool {
            left.request == right.request
                ? left.number < right.number : left.request.lexicographicallyPrecedes(right.request)
        }
    }
}

extension String {
    /// The shape of a secret with final names for the numbers of other secrets in it.
    package func named(_ names: [Int: String]) -> String {
        SecretPlaceholder.replacing(in: self) { placeholder in
            var placeholder = placeholder
            if let number = placeholder.number { placeholder.name = names[number] ?? placeholder.name }
            placeholder.number = nil
            return placeholder.text
        }
    }
}
