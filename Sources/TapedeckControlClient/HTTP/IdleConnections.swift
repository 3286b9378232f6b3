import TapedeckLocking

/// Connections to a deck that wait for their next request.
final class IdleConnections: Sendable {
    /// One connection. At a time one thread has it.
    final class Connection: Sendable {
        let socket: ClientSocket

        init(_ socket: consuming ClientSocket) {
            self.socket = socket
        }
    }

    /// How many wait at most; a process asks from few threads at a time.
    private static let limit = 8

    private let waiting = Locked<[Connection]>([])

    /// One that the deck has not closed; `nil` if there is none.
    func take() -> Connection? {
        while let connection = self.waiting.withLock({ $0.popLast() }) {
            // A deck says nothing unasked: what has come is the end.
            if !connection.socket.hasInput { return connection }
        }
        return nil
    }

    func put(_ connection: Connection) {
        self.waiting.withLock { waiting in
            if waiting.count < Self.limit { waiting.append(connection) }
        }
    }
}
