package import TapedeckCore

/// The values that are played for the placeholders of a tape, and the way back: which name a value stands for.
package struct SecretValues: Sendable {
    private let values: [String: String]
    /// The names whose values are those of environment variables.
    package let fixed: Set<String>

    /// Knows nothing: every placeholder plays as a token.
    package static let none = SecretValues([], environment: [:])

    /// Values of different names are different, whatever their shapes, so that a value leads back to its name; two
    /// environment variables that hold the same are the exception.
    ///
    /// - Parameters:
    ///   - secrets: what the cassettes say of theirs; of two of one name the first counts.
    ///   - environment: the deck's, for secrets that name a variable.
    package init(_ secrets: [SecretDescription], environment: [String: String]) {
        var values: [String: String] = [:]
        var taken: Set<String> = []
        for secret in secrets where values[secret.name] == nil {
            guard let own = secret.environment.flatMap({ environment[$0] }), !own.isEmpty else { continue }
            values[secret.name] = own
            taken.insert(own)
        }
        let fixed = Set(values.keys)
        for secret in secrets.sorted(by: { $0.name < $1.name }) where values[secret.name] == nil {
            let shape = secrets.first { $0.name == secret.name }?.shape.flatMap { try? SecretShape($0) } ?? .token
            var value = shape.value(for: secret.name)
            // A shape of few values: the next that is free.
            for attempt in 1..<64 where taken.contains(value) {
                value = shape.value(for: "\(secret.name)/\(attempt)")
            }
            values[secret.name] = value
            taken.insert(value)
        }
        self.fixed = fixed
        self.values = values
    }

    /// The values by name.
    package var all: [String: String] { self.values }

    /// The value played for a placeholder.
    package func value(_ name: String) -> String {
        self.values[name] ?? SecretShape.token.value(for: name)
    }

    /// The bytes with the values in place of the placeholders, each in its form. A JSON number loses the quotation marks
    /// around its placeholder, if its value is a number. Escaped text that looks like a placeholder is what it was live.
    ///
    /// - Parameter marks: offsets into the bytes, in order, which move along; one inside a placeholder goes to its end.
    package func restored(_ bytes: [UInt8], marks: inout [Int]) -> [UInt8] {
        SecretPlaceholder.replacing(in: bytes, marks: &marks, unescapes: true) { placeholder, place in
            let value = ByteText.bytes(of: self.value(placeholder.name))
            guard placeholder.form == .number else { return (place, placeholder.form.encode(value)) }
            let isQuoted =
                place.lowerBound > 0 && place.upperBound < bytes.count
                && bytes[place.lowerBound - 1] == ASCII.quote && bytes[place.upperBound] == ASCII.quote
            guard isQuoted, Self.isNumber(value) else {
                return (place, SecretPlaceholder.Form.json.encode(value))
            }
            return ((place.lowerBound - 1)..<(place.upperBound + 1), value)
        }
    }

    package func restored(_ bytes: [UInt8]) -> [UInt8] {
        var marks: [Int] = []
        return self.restored(bytes, marks: &marks)
    }

    package func restored(_ text: String) -> String {
        guard text.utf8.contains(ASCII.openBrace) else { return text }
        return ByteText.string(from: self.restored(ByteText.bytes(of: text)))
    }

    private static func isNumber(_ value: [UInt8]) -> Bool {
        guard let first = value.first, first == 0x2D || (0x30...0x39).contains(first),
            case .number? = try? JSONValue(parsing: value)
        else { return false }
        return true
    }
}
