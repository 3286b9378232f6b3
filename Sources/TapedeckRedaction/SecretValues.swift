package import TapedeckCore

/// The values that are played for the placeholders of a tape, and the way back: which name a value stands for.
package struct SecretValues: Sendable {
    private let values: [String: String]
    private let names: [String: String]

    /// Knows nothing: every placeholder plays as a token.
    package static let none = SecretValues([], environment: [:])

    /// - Parameters:
    ///   - secrets: what the cassettes say of theirs; of two of one name the first counts.
    ///   - environment: the deck's, for secrets that name a variable.
    package init(_ secrets: [SecretDescription], environment: [String: String]) {
        var values: [String: String] = [:]
        for secret in secrets where values[secret.name] == nil {
            let own = secret.environment.flatMap { environment[$0] }
            let shape = (secret.shape.flatMap { try? SecretShape($0) }) ?? .token
            values[secret.name] = own ?? shape.value(for: secret.name)
        }
        self.values = values
        self.names = Dictionary(values.map { ($0.value, $0.key) }.sorted { $0.1 < $1.1 }) { first, _ in first }
    }

    /// The values by name.
    package var all: [String: String] { self.values }

    /// The value played for a placeholder.
    package func value(_ name: String) -> String {
        self.values[name] ?? SecretShape.token.value(for: name)
    }

    /// The bytes with the values in place of the placeholders, each in its form.
    ///
    /// - Parameter marks: offsets into the bytes, which move along; one inside a placeholder goes to its end.
    package func restored(_ bytes: [UInt8], marks: inout [Int]) -> [UInt8] {
        SecretPlaceholder.replacing(in: bytes) { Array(self.value($0.name).utf8) }
    }

    package func restored(_ bytes: [UInt8]) -> [UInt8] {
        var marks: [Int] = []
        return self.restored(bytes, marks: &marks)
    }

    package func restored(_ text: String) -> String {
        SecretPlaceholder.replacing(in: text) { self.value($0.name) }
    }
}
