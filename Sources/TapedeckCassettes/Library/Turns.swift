import TapedeckLocking

/// Has those who want the same thing made wait for the one who makes it, without holding up those who want another.
///
/// Takes a fixed number of locks, so what is asked for by outsiders' names uses no memory. Two things may share one:
/// that costs time and nothing else, as long as nobody takes a turn within a turn.
struct Turns: Sendable {
    private let turns = (0..<32).map { _ in Locked(()) }

    /// Calls `body` while nobody else has the turn of `key`.
    func take<Result: Sendable, Failure: Error>(
        _ key: some Hashable,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let number = Int(UInt(bitPattern: key.hashValue) % UInt(self.turns.count))
        return try self.turns[number].withLock { _ throws(Failure) in try body() }
    }
}
