import Synchronization
import TapedeckLocking

/// The token of the deck, which may be replaced while connections remember whom it let in.
package final class CurrentToken: Sendable {
    private let current: Locked<String?>
    private let replacements = Atomic<Int>(0)

    package init(_ value: String?) {
        self.current = Locked(value)
    }

    /// `nil` where there is none.
    package var value: String? { self.current.withLock { $0 } }

    /// Another one for each token. Whoever has found the right to something under another number asks anew.
    var number: Int { self.replacements.load(ordering: .acquiring) }

    package func replace(_ value: String?) {
        self.current.withLock { $0 = value }
        self.replacements.wrappingAdd(1, ordering: .releasing)
    }
}
