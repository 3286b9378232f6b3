import TapedeckCore
import TapedeckLocking

/// The secrets that were found, in memory alone: the same value is the same placeholder wherever it stands.
package final class SecretVault: Sendable {
    private struct State {
        var numbers: [[UInt8]: Int] = [:]
        var shapes: [Int: SecretShape] = [:]
    }

    /// Values whose names are known: those that are played for a tape's placeholders.
    private let known: [[UInt8]: String]
    private let state = Locked(State())

    package init(known: SecretValues = .none) {
        self.known = Dictionary(known.all.map { (Array($0.value.utf8), $0.key) }) { first, _ in first }
    }

    /// The placeholder of a secret. The same value has the same number, whatever it is called.
    package func placeholder(for value: [UInt8], called name: String) -> SecretPlaceholder {
        if let known = self.known[value] { return SecretPlaceholder(name: known) }
        return self.state.withLock { state in
            if let number = state.numbers[value] { return SecretPlaceholder(name: name, number: number) }
            let number = state.numbers.count + 1
            state.numbers[value] = number
            state.shapes[number] = SecretShape(of: value)
            return SecretPlaceholder(name: name, number: number)
        }
    }

    /// The shape of the secret of a number.
    package func shape(_ number: Int) -> SecretShape {
        self.state.withLock { $0.shapes[number] } ?? .token
    }
}
