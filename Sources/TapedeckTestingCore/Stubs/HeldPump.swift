import TapedeckControlAPI
import TapedeckControlClient
import TapedeckLocking

/// Fetches the held requests of a session, and passes each to the code that holds its kind.
final class HeldPump: Sendable {
    typealias Handler = @Sendable (HeldRequest) async -> Void

    private let handlers = Locked<[String: Handler]>([:])
    private let task = Locked<Task<Void, Never>?>(nil)

    /// The time that the deck waits for a request, per call.
    private static let patience = Duration.seconds(60)

    /// Starts fetching, in a task with the caller's task-local values, so that expectations in a closure belong to its
    /// test.
    func start(_ deck: Tapedeck) {
        self.task.withLock { task in
            guard task == nil else { return }
            task = Task { await self.run(deck) }
        }
    }

    func handle(_ set: String, with handler: @escaping Handler) {
        self.handlers.withLock { $0[set] = handler }
    }

    /// Ends the fetching, waits for running handlers, and releases all of them: they reference the deck, which
    /// references this.
    func stop() async {
        let task = self.task.withLock { $0 }
        task?.cancel()
        await task?.value
        // Not under the lock: what closures of the test hold may end with them.
        let handlers = self.handlers.withLock { handlers in
            defer { handlers = [:] }
            return handlers
        }
        _ = handlers
    }

    private func run(_ deck: Tapedeck) async {
        await withDiscardingTaskGroup { group in
            var version = 0
            while !Task.isCancelled {
                let page: HeldList
                do {
                    page = try await deck.ask { [version] in try $0.held(after: version, within: Self.patience) }
                } catch {
                    // The test has ended, or its clients wait in vain.
                    if !Task.isCancelled {
                        deck.note(TestIssue("nothing answers for the test any more: \(error)", at: deck.place))
                    }
                    return
                }
                version = page.version
                for held in page.held {
                    guard let handler = self.handlers.withLock({ $0[held.set] }) else { continue }
                    let request = HeldRequest(held, deck: deck)
                    group.addTask { await handler(request) }
                }
            }
        }
    }
}
