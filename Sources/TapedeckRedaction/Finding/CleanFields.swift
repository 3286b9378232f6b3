import TapedeckCore
import TapedeckLocking

/// Header fields that were searched, and in which neither the rules nor the known secrets found anything.
///
/// Nearly all fields of an exchange were in the previous one, and a look-up here costs a tenth of a search. An entry is
/// invalid once another secret is known.
final class CleanFields: Sendable {
    /// The maximum number of fields, after which all are removed.
    private static let capacity = 512
    /// The longest value that is kept, in bytes. 256.
    private static let longestValue = 256

    private struct State {
        var fields: Set<HeaderField> = []
        /// The number of known secrets when they were searched.
        var known = 0
    }

    private let state = Locked(State())

    func contains(_ field: HeaderField, known: Int) -> Bool {
        self.state.withLock { $0.known == known && $0.fields.contains(field) }
    }

    func insert(_ field: HeaderField, known: Int) {
        guard field.value.utf8.count <= Self.longestValue else { return }
        self.state.withLock { state in
            if state.known != known || state.fields.count >= Self.capacity {
                state.fields.removeAll(keepingCapacity: true)
                state.known = known
            }
            state.fields.insert(field)
        }
    }
}
