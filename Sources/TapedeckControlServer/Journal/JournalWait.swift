import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// Waits until a session has seen a number of requests, or has seen none for some time.
struct JournalWait: Sendable {
    /// The entries of an answer, at most.
    private static let entryLimit = 100

    let session: Session
    let matcher: JournalMatcher
    /// The number of requests to wait for; `nil` waits for none to come.
    let count: Int?
    /// Only requests with a higher number count.
    let after: Int
    let ending: ChangeSignal

    private enum End: Sendable {
        case found(Progress)
        case timeout
    }

    func run(within time: Duration) async -> WaitResult {
        await withTaskGroup(of: End.self) { group in
            group.addTask { .found(await self.watch()) }
            group.addTask {
                try? await Task.sleep(for: time)
                return .timeout
            }
            var isTimeout = false
            while let end = await group.next() {
                group.cancelAll()
                switch end {
                case .timeout: isTimeout = true
                // Once the time is up, the wait ends with the requests so far.
                case .found(let progress): return self.result(progress, isTimeout: isTimeout)
                }
            }
            return self.result(Progress(next: self.after + 1), isTimeout: isTimeout)
        }
    }

    /// Checks existing and new entries until there are enough or none can come.
    private func watch() async -> Progress {
        var progress = Progress(next: self.after + 1)
        let scratch = PatternScratch()
        while true {
            let version = self.session.changes.version
            let isOver = self.session.isEnded || self.ending.isClosed
            progress.look(at: self.session, self.matcher, scratch)
            if progress.numbers.count >= self.count ?? 1 || isOver || Task.isCancelled { return progress }
            await self.session.changes.wait(after: version, atMost: .seconds(3_600), ending: self.ending)
        }
    }

    private func result(_ progress: Progress, isTimeout: Bool) -> WaitResult {
        let entries = progress.numbers.suffix(Self.entryLimit).compactMap { self.session.journal.entry($0) }
        let found = progress.numbers.count
        // A session that is over sees no request any more.
        let isOver = isTimeout || self.session.isEnded
        return WaitResult(
            isMet: self.count.map { found >= $0 } ?? (found == 0 && isOver),
            count: found,
            entries: entries.map { JournalEntryModel($0).shown(by: self.session, $0) },
            reason: self.reason(found, isTimeout: isTimeout)
        )
    }

    private func reason(_ found: Int, isTimeout: Bool) -> String? {
        if found >= self.count ?? 1 { return nil }
        if self.session.isEnded { return "ended" }
        if isTimeout { return self.count == nil ? nil : "timeout" }
        return "stopping"
    }

    /// The matches so far.
    private struct Progress: Sendable {
        var numbers: [Int] = []
        /// The next entry to check.
        var next: Int
        /// Entries whose body is still coming.
        var open: [Int] = []

        init(next: Int) {
            self.next = next
        }

        mutating func look(at session: Session, _ matcher: JournalMatcher, _ scratch: PatternScratch) {
            let view = session.journal.view(numbers: self.next..<Int.max)
            let entries = self.open.compactMap { session.journal.entry($0) } + view.entries
            let state = session.values
            self.next = max(self.next, view.seen + 1)
            self.open = []
            for entry in entries {
                switch matcher.judge(entry, state: state, scratch: scratch) {
                case .matches: self.numbers.append(entry.number)
                case .differs: break
                case .open: self.open.append(entry.number)
                }
            }
        }
    }
}
