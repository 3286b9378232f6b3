import TapedeckLocking

/// Makes callers with the same key wait for the first of them, without holding up callers with other keys.
///
/// Has a fixed number of locks, so keys from outside use no memory. Two keys may share a lock, which only costs time,
/// as long as no turn begins within another.
struct Turns: Sendable {
    /// Each is true while a caller has the turn.
    private let turns = (0..<32).map { _ in Locked(false) }

    /// Calls `body` while no other caller has the turn of `key`.
    func take<Result: Sendable, Failure: Error>(
        _ key: some Hashable,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let number = Int(UInt(bitPattern: key.hashValue) % UInt(self.turns.count))
        return try self.turns[number].withLock { isTaken throws(Failure) in
            isTaken = true
            defer { isTaken = false }
            return try body()
        }
    }
}
