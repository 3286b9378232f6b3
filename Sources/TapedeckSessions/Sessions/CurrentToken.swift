import Synchronization
import TapedeckLocking

/// The token of the deck, which may be replaced while connections remember whom it let in.
package final class CurrentToken: Sendable {
    private let current: Locked<String?>
    private let replacements = Atomic<Int>(0)

    package init(_ value: String?) {
        self.current = Locked(value)
    }

    /// The token, or `nil`.
    package var value: String? { self.current.withLock { $0 } }

    /// Changes with each token. A permission obtained under another number must be checked again.
    var number: Int { self.replacements.load(ordering: .acquiring) }

    package func replace(_ value: String?) {
        self.current.withLock { $0 = value }
        self.replacements.wrappingAdd(1, ordering: .releasing)
    }
}
