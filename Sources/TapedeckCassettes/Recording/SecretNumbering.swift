import TapedeckCore
import TapedeckRedaction

/// Gives the secrets of a recording their final names: `{{secret.access_token#7}}` becomes `{{secret.access_token}}`.
///
/// Numbers depend on which exchange ended first, and names must not: exchanges are brought into an order that depends
/// on what was asked alone, and within it a secret is called as where it stands first. The second one of a name is
/// `access_token-2`. A name that says nothing but how the secret was sent gives way to a more telling one.
struct SecretNumbering {
    /// The exchanges with final names, in the order in which they came.
    private(set) var exchanges: [RecordedExchange]
    /// What is known of the secrets in them, by name.
    private(set) var secrets: [SecretDescription] = []

    /// - Parameters:
    ///   - exchanges: in the order of their requests.
    ///   - shapes: of the secrets, by number.
    ///   - known: secrets that have their names already.
    ///   - taken: names that stand for other secrets.
    init(
        _ exchanges: [RecordedExchange],
        shapes: [Int: String] = [:],
        known: [SecretDescription] = [],
        taken: Set<String> = []
    ) {
        self.exchanges = exchanges
        var suggestions = SecretSuggestions()
        // The numbers of the exchanges that have any.
        var hasPlaceholders: Set<Int> = []
        for index in Self.order(exchanges) {
            exchanges[index].forEachPlaceholder { placeholder in
                hasPlaceholders.insert(exchanges[index].number)
                suggestions.note(placeholder)
            }
        }
        guard !hasPlaceholders.isEmpty else { return }
        let names = suggestions.names(besides: taken)
        for index in exchanges.indices where hasPlaceholders.contains(exchanges[index].number) {
            self.exchanges[index].changePlaceholders { placeholder in
                guard let number = placeholder.number else { return }
                placeholder.number = nil
                placeholder.name = names[number] ?? placeholder.name
            }
        }
        let shapes = Self.renumbered(shapes, inOrderOf: suggestions.numbers)
        var secrets = names.map { SecretDescription(name: $0.value, shape: shapes[$0.key]?.named(names)) }
        for name in suggestions.named {
            secrets.append(known.first { $0.name == name } ?? SecretDescription(name: name))
        }
        self.secrets = secrets.sorted { $0.name < $1.name }
    }

    /// Shapes of tokens with the numbers of their users in the order of secrets, as names must not depend on which token
    /// came first.
    private static func renumbered(_ shapes: [Int: String], inOrderOf secrets: [Int]) -> [Int: String] {
        var shapes = shapes
        var users: [Int: Int] = [:]
        for secret in secrets {
            guard let token = shapes[secret].flatMap({ TokenShape($0) }), let user = token.user else { continue }
            let number = users[user] ?? users.count + 1
            users[user] = number
            shapes[secret] = token.renumbered(number).text
        }
        return shapes
    }

    /// By URL, method and body with the numbers of secrets left out, then in the order of requests.
    private static func order(_ exchanges: [RecordedExchange]) -> [Int] {
        let keys = exchanges.map(Key.init)
        return exchanges.indices.sorted { keys[$0] < keys[$1] }
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
