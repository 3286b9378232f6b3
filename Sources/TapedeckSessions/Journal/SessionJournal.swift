import DequeModule
import Synchronization
package import TapedeckCore
import TapedeckLocking

/// The requests of a session, with what answered them and why. Kept in memory and limited: the oldest entries go first.
package final class SessionJournal: Sendable {
    package struct Limits: Sendable {
        /// Entries of one session. 5,000.
        package var entries = 5_000
        /// Memory of one session's journal, in bytes. 16 MiB.
        package var bytes: Int
        /// The maximum kept of one body, in bytes. 1 MiB.
        package var body = 1 << 20
        /// Memory of all journals together, in bytes. 256 MiB.
        package var allBytes: Int

        /// - Parameter usage: the limits of the deck; its defaults are the defaults of ``bytes`` and ``allBytes``.
        package init(_ usage: UsageLimits = UsageLimits()) {
            self.bytes = usage.sessionJournal
            self.allBytes = usage.journal
        }
    }

    /// The memory that the journals of all sessions share. While memory is free, any journal takes it; then each is
    /// limited to an equal share, so that a few large journals leave room for the others.
    package final class Budget: Sendable {
        private let used = Atomic<Int>(0)
        private let journals = Atomic<Int>(0)
        private let limit: Int

        package init(_ limits: Limits) {
            self.limit = limits.allBytes
        }

        /// Returns whether the memory is used up.
        fileprivate func add(_ bytes: Int) -> Bool {
            self.used.wrappingAdd(bytes, ordering: .relaxed).newValue > self.limit
        }

        fileprivate func join() {
            self.journals.wrappingAdd(1, ordering: .relaxed)
        }

        fileprivate func leave(with bytes: Int) {
            self.used.wrappingSubtract(bytes, ordering: .relaxed)
            self.journals.wrappingSubtract(1, ordering: .relaxed)
        }

        /// The size of all journals, in bytes.
        var bytes: Int { self.used.load(ordering: .relaxed) }

        fileprivate var share: Int { self.limit / max(1, self.journals.load(ordering: .relaxed)) }
    }

    private struct State {
        var entries: Deque<JournalEntry> = []
        /// The number of the next entry.
        var next = 1
        /// The version of the last change.
        var version = 0
        var bytes = 0
        /// The entries before this number hold no tape.
        var firstAttached = 1
    }

    package let limits: Limits
    /// Tells of every change here.
    package let changes: ChangeSignal
    let budget: Budget
    private let state = Locked(State())

    /// - Parameters:
    ///   - budget: shared with other sessions; `nil` means a separate one.
    ///   - changes: notified of every change; may be shared.
    package init(limits: Limits = Limits(), budget: Budget? = nil, changes: ChangeSignal = ChangeSignal()) {
        self.limits = limits
        self.changes = changes
        self.budget = budget ?? Budget(limits)
        self.budget.join()
    }

    deinit {
        self.budget.leave(with: self.state.withLock { $0.bytes })
    }

    // MARK: Writing

    /// Notes a request that is answered already, or that is about to be; returns its number.
    @discardableResult
    package func add(
        _ request: JournalRequest,
        at time: Instant,
        body: JournalBody?,
        outcome: JournalEntry.Outcome,
        response: JournalResponse? = nil,
        microseconds: Int? = nil,
        ending: JournalEntry.Ending? = nil
    ) -> Int {
        defer { self.changes.notify() }
        return self.state.withLock { state in
            let number = state.next
            state.next += 1
            state.version += 1
            let entry = JournalEntry(
                number: number,
                version: state.version,
                time: time,
                request: request,
                requestBody: body,
                outcome: outcome,
                response: response,
                microseconds: microseconds,
                ending: ending
            )
            let size = entry.size
            state.entries.append(entry)
            self.account(size, &state)
            return number
        }
    }

    /// Changes the entry of that number, if it is still there.
    func change(_ number: Int, _ change: (inout JournalEntry) -> Void) {
        self.state.withLock { state in
            guard let first = state.entries.first?.number else { return }
            let index = number - first
            guard state.entries.indices.contains(index) else { return }
            let before = state.entries[index].size
            change(&state.entries[index])
            // It may say only now what was played.
            state.firstAttached = min(state.firstAttached, number)
            state.version += 1
            state.entries[index].version = state.version
            self.account(state.entries[index].size - before, &state)
        }
        self.changes.notify()
    }

    /// Counts memory, and drops the oldest entries if it is too much. The newest is kept, if necessary without bodies.
    private func account(_ bytes: Int, _ state: inout State) {
        state.bytes += bytes
        var isOver = self.budget.add(bytes)
        while state.entries.count > self.limits.entries || state.bytes > self.limits.bytes
            || isOver && state.bytes > self.budget.share
        {
            let before = state.bytes
            if state.entries.count > 1 {
                state.bytes -= state.entries.removeFirst().size
            } else if let size = state.entries.first?.size {
                state.entries[0].dropBodies()
                state.bytes -= size - state.entries[0].size
            }
            guard state.bytes < before else { return }
            isOver = self.budget.add(state.bytes - before)
        }
    }

    /// Releases tapes that are no longer played.
    func detachPlays() {
        self.state.withLock { state in
            guard let first = state.entries.first?.number else { return }
            var known: [PlayedAnswer.Key: PlayedAnswer.Names] = [:]
            var held = 0
            // The newest first: of those that share a body the one that stays longest has it on its account.
            for index in state.entries.indices.dropFirst(max(0, state.firstAttached - first)).reversed() {
                guard case .played(var answer) = state.entries[index].outcome else { continue }
                let before = state.entries[index].size
                state.entries[index].heldBytes += answer.detach(&known)
                state.entries[index].outcome = .played(answer)
                held += state.entries[index].size - before
            }
            state.firstAttached = state.next
            self.account(held, &state)
        }
    }

    /// Removes all entries. Numbers continue.
    package func clear() {
        self.state.withLock { state in
            _ = self.budget.add(-state.bytes)
            state.bytes = 0
            state.entries.removeAll()
            state.version += 1
        }
        self.changes.notify()
    }

    // MARK: Reading

    /// A view of the journal at one moment.
    package struct View: Sendable {
        package var entries: [JournalEntry]
        /// The version of the last change that it shows.
        package var version: Int
        /// The total number of requests of the session.
        package var seen: Int
        /// The number of the oldest remaining entry, or of the next one.
        package var oldest: Int
    }

    /// Returns the entries that satisfy `condition`, oldest first. It is called while the journal is locked, so it must
    /// be short.
    ///
    /// - Parameters:
    ///   - numbers: only entries with a number in this range.
    ///   - version: only entries that changed after it.
    ///   - limit: the maximum number of entries: with `fromEnd` the newest, else the oldest.
    package func view(
        numbers: Range<Int> = 0..<Int.max,
        after version: Int = -1,
        limit: Int = .max,
        fromEnd: Bool = false,
        where condition: (JournalEntry) -> Bool = { _ in true }
    ) -> View {
        self.state.withLock { state in
            func matches(_ entry: JournalEntry) -> Bool { entry.version > version && condition(entry) }
            let oldest = state.entries.first?.number ?? state.next
            // A search for new entries skips old ones.
            let range = numbers.clamped(to: oldest..<state.next)
            let entries = state.entries[(range.lowerBound - oldest)..<(range.upperBound - oldest)]
            var found: [JournalEntry] = []
            if fromEnd {
                for entry in entries.reversed() where matches(entry) {
                    guard found.count < limit else { break }
                    found.append(entry)
                }
                found.reverse()
            } else {
                for entry in entries where matches(entry) {
                    guard found.count < limit else { break }
                    found.append(entry)
                }
            }
            return View(entries: found, version: state.version, seen: state.next - 1, oldest: oldest)
        }
    }

    /// The entry of that number, if it is still there.
    package func entry(_ number: Int) -> JournalEntry? {
        self.state.withLock { state in
            guard let first = state.entries.first?.number else { return nil }
            let index = number - first
            return state.entries.indices.contains(index) ? state.entries[index] : nil
        }
    }
}
