import TapedeckLocking
import TapedeckSessions

/// The requests that wait for something, and the streams: bounded in number, and ended when the server stops.
final class LongRequests: Sendable {
    private let limit: Int
    private let taken = Locked(0)
    /// Closed when all are to end.
    let ending = ChangeSignal()

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of waiting requests.
    var count: Int { self.taken.withLock { $0 } }

    /// Room for one of them, for as long as it is held.
    final class Slot: Sendable {
        private let owner: LongRequests

        fileprivate init(_ owner: LongRequests) {
            self.owner = owner
        }

        deinit {
            self.owner.taken.withLock { $0 -= 1 }
        }
    }

    /// - Throws: ``Problem`` if there is no room for another one, or the server stops.
    func enter() throws -> Slot {
        guard !self.ending.isClosed else { throw Problem.stopping }
        let isFull = self.taken.withLock { count in
            guard count < self.limit else { return true }
            count += 1
            return false
        }
        if isFull { throw Problem.tooManyLongRequests(self.limit) }
        return Slot(self)
    }

    /// Has all of them end.
    func end() {
        self.ending.close()
    }
}

extension ChangeSignal {
    /// Waits for a version after `version`, for `time` to pass, for the end of everything, or the task's cancellation.
    func wait(after version: Int, atMost time: Duration, ending: ChangeSignal) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(after: version) }
            group.addTask { await ending.wait(after: .max) }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}
