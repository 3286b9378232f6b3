import TapedeckLocking

/// Things that come one by one, for those who wait for the next one.
final class Mailbox<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item] = []
        /// Those who wait, by number, the longest first.
        var waiting: [(number: Int, continuation: CheckedContinuation<Item?, Never>)] = []
        var lastNumber = 0
        /// Those who stopped waiting before they had begun.
        var gone: Set<Int> = []

        mutating func nextNumber() -> Int {
            self.lastNumber += 1
            return self.lastNumber
        }
    }

    private let state = Locked(State())

    func put(_ item: Item) {
        let waiting = self.state.withLock { state -> CheckedContinuation<Item?, Never>? in
            guard !state.waiting.isEmpty else {
                state.items.append(item)
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        waiting?.resume(returning: item)
    }

    /// Returns items that were not taken.
    func drain() -> [Item] {
        self.state.withLock { state in
            defer { state.items = [] }
            return state.items
        }
    }

    /// - Returns: `nil` when none came in time.
    /// - Throws: `CancellationError`.
    func next(within time: Duration) async throws -> Item? {
        let number = self.state.withLock { $0.nextNumber() }
        let timer = Task { [weak self] in
            try await Task.sleep(for: time)
            self?.giveUp(number)
        }
        defer { timer.cancel() }
        let item = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in self.wait(number, continuation) }
        } onCancel: {
            self.giveUp(number)
        }
        if item == nil { try Task.checkCancellation() }
        return item
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<Item?, Never>) {
        // The immediate result: an item, or the end.
        let answer = self.state.withLock { state -> Item?? in
            if !state.items.isEmpty { return .some(state.items.removeFirst()) }
            if state.gone.remove(number) != nil { return .some(nil) }
            state.waiting.append((number, continuation))
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    private func giveUp(_ number: Int) {
        let waiting = self.state.withLock { state -> CheckedContinuation<Item?, Never>? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                state.gone.insert(number)
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        waiting?.resume(returning: nil)
    }
}
