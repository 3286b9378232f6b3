import TapedeckSessions

/// Ends sessions without requests for too long.
final class IdleSessions: Sendable {
    private let task: Task<Void, Never>

    /// Looks after a quarter of the time that a session may be idle, but at least every 30 seconds and at most every
    /// second.
    init(ending sessions: SessionDirectory) {
        let interval = min(max(1, (sessions.configuration.idleLimit ?? .max) / 4), 30)
        self.task = Task {
            while (try? await Task.sleep(for: .seconds(interval))) != nil {
                await sessions.endIdle()
            }
        }
    }

    /// Returns once no session is being ended any more.
    func stop() async {
        self.task.cancel()
        await self.task.value
    }
}
