import TapedeckControlAPI
import TapedeckControlClient
import TapedeckLocking

/// Fetches the requests that a session holds, and hands each to the one who asked for its kind.
final class HeldPump: Sendable {
    typealias Handler = @Sendable (HeldRequest) async -> Void

    private let handlers = Locked<[String: Handler]>([:])
    private let task = Locked<Task<Void, Never>?>(nil)

    /// How long the deck is asked to wait for a request, each time.
    private static let patience = Duration.seconds(60)

    /// Begins to fetch, in a task that has the values of the caller's, so that what a closure expects belongs to its test.
    func start(_ deck: Tapedeck) {
        self.task.withLock { task in
            guard task == nil else { return }
            task = Task { await self.run(deck) }
        }
    }

    func handle(_ set: String, with handler: @escaping Handler) {
        self.handlers.withLock { $0[set] = handler }
    }

    /// Ends the fetching, waits for handlers that run, and lets go of all: they hold the deck, which holds this.
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
                    // The test is over, or its clients now wait in vain.
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
