import TapedeckLocking
import TapedeckPlatform

/// Watches the files of a library's cassettes, on a separate thread, and reloads changed ones.
///
/// Uses inotify, and polls every second because inotify misses writes from other containers. After a change, it waits
/// until the files are quiet: editors write in pieces, or rename back and forth.
package final class CassetteWatcher: Sendable {
    /// The intervals of the watcher.
    package struct Timing: Sendable {
        /// The polling interval, in milliseconds. 1,000.
        package var interval = 1_000
        /// The quiet time before files are read, in milliseconds. 50.
        package var quiet = 50
        /// True to use notifications of the system.
        package var usesNotifications = true

        package init() {}
    }

    /// Files that never become quiet are read after ``Timing/quiet`` times this number.
    private static let patience = 40

    private let signal: WakeSignal
    private let thread = Locked<SystemThread?>(nil)

    // MARK: Life

    /// Begins to watch what the library has loaded, and keeps the library alive until it is stopped. `nil` when the
    /// system has no thread or file descriptor left.
    ///
    /// - Parameter report: called on the watcher's thread, where it may take its time, but not stop the watcher.
    init?(
        _ library: CassetteLibrary,
        timing: Timing,
        report: @escaping @Sendable (CassetteChange) -> Void
    ) {
        guard let signal = WakeSignal() else { return nil }
        self.signal = signal
        let thread = try? SystemThread {
            var rounds = Rounds(library: library, timing: timing, signal: signal)
            rounds.run(report)
        }
        guard let thread else { return nil }
        self.thread.withLock { $0 = thread }
    }

    /// Has it look again: there may be something else to watch.
    func wake() {
        self.signal.wake()
    }

    /// Ends it; what is being reported is waited for. Nothing is reported afterwards.
    func stop() {
        guard let thread = self.thread.withLock({ $0.take() }) else { return }
        self.signal.stop()
        thread.join()
    }

    // MARK: The thread

    /// The loop of the thread.
    private struct Rounds {
        let library: CassetteLibrary
        let timing: Timing
        let signal: WakeSignal
        let notifications: FolderNotifications?
        /// The last report about an unusable cassette, by path.
        var said: [String: CassetteChange] = [:]

        init(library: CassetteLibrary, timing: Timing, signal: WakeSignal) {
            self.library = library
            self.timing = timing
            self.signal = signal
            self.notifications = timing.usesNotifications ? FolderNotifications() : nil
        }

        mutating func run(_ report: (CassetteChange) -> Void) {
            while true {
                let watched = self.library.watched
                // First, so that a change after the check is noticed. A folder may be new, or another one of the same
                // name.
                self.notifications?.watch(Self.folders(watched))
                // A cassette that a caller has reloaded needs no report.
                let problems = Set(watched.lazy.filter { $0.problem != nil }.map(\.location.path))
                self.said = self.said.filter { problems.contains($0.key) }
                let outdated = watched.filter { $0.files.areOutdated(hasProblem: $0.problem != nil) }
                if outdated.isEmpty {
                    guard self.waitForChange() else { return }
                } else {
                    guard self.settle(outdated.flatMap(\.files.paths)) else { return }
                    let locations = outdated.map(\.location).sorted { $0.path < $1.path }
                    for change in self.look(locations) { report(change) }
                    // There may be more already.
                }
            }
        }

        /// For cassettes in one folder, the names of all count.
        private static func folders(_ watched: [LoadedCassette]) -> [String: Set<String>?] {
            var folders: [String: Set<String>?] = [:]
            for (folder, names) in watched.lazy.flatMap(\.files.folders) {
                switch (folders[folder], names) {
                case (.none, let names): folders.updateValue(names, forKey: folder)
                case (.some(let known?), let names?): folders.updateValue(known.union(names), forKey: folder)
                case (.some, _): folders.updateValue(nil, forKey: folder)
                }
            }
            return folders
        }

        /// Reloads cassettes. An error is reported once, and its end once.
        private mutating func look(_ locations: [CassetteLocation]) -> [CassetteChange] {
            var reloaded: [String] = []
            var problems: [CassetteChange] = []
            for location in locations {
                let path = location.path
                let problem: CassetteChange
                switch self.library.look(location) {
                case .changed:
                    self.said[path] = nil
                    reloaded.append(path)
                    continue
                case .same:
                    if self.said.removeValue(forKey: path) != nil { reloaded.append(path) }
                    continue
                case .unusable(let text): problem = .unusable(path: path, problem: text)
                case .missing: problem = .missing(path: path)
                }
                if self.said.updateValue(problem, forKey: path) != problem { problems.append(problem) }
            }
            return (reloaded.isEmpty ? [] : [.reloaded(paths: reloaded)]) + problems
        }

        /// Waits until something may have changed; returns `false` when it is time to stop.
        private func waitForChange() -> Bool {
            let end = ContinuousClock.now + .milliseconds(self.timing.interval)
            while true {
                let left = (end - .now) / .milliseconds(1)
                switch self.signal.wait(milliseconds: max(0, Int(left)), or: self.notifications?.descriptor) {
                case .stopped: return false
                case .timeout, .woken: return true
                case .readable:
                    // Other files of the same folders do not cause a check, now or later.
                    if self.notifications?.take() ?? true { return true }
                }
            }
        }

        /// Waits until the files are quiet; returns `false` when it is time to stop.
        private func settle(_ paths: [String]) -> Bool {
            var last = FileSignature.all(paths)
            for _ in 0..<CassetteWatcher.patience {
                guard self.pause() else { return false }
                let isTold = self.notifications?.take() ?? false
                let now = FileSignature.all(paths)
                if now == last, !isTold { return true }
                last = now
            }
            return true
        }

        /// Waits for the time that files must be quiet; returns `false` when it is time to stop.
        private func pause() -> Bool {
            let end = ContinuousClock.now + .milliseconds(self.timing.quiet)
            while true {
                let left = (end - .now) / .milliseconds(1)
                guard left > 0 else { return true }
                if case .stopped = self.signal.wait(milliseconds: Int(left.rounded(.up)), or: nil) { return false }
            }
        }
    }
}
