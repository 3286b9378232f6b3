import TapedeckLocking
import TapedeckPlatform

/// Watches the files of a library's cassettes, on a thread of its own, and has those read again that change.
///
/// It is told of changes by the system where that can, and looks for itself once a second, as nobody tells of what
/// another container writes. Once a change is seen, it waits until the files are quiet: editors write in pieces, or
/// away and back again.
package final class CassetteWatcher: Sendable {
    /// How long it waits for what.
    package struct Timing: Sendable {
        /// How often files are looked at without being told, in milliseconds. 1,000.
        package var interval = 1_000
        /// How long they must have been quiet before they are read, in milliseconds. 50.
        package var quiet = 50
        /// Whether to be told by the system at all.
        package var usesNotifications = true

        package init() {}
    }

    /// Files that are never quiet are read after so many times ``Timing/quiet`` all the same.
    private static let patience = 40

    private let signal: WakeSignal
    private let thread = Locked<pthread_t?>(nil)

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
        let work = Work {
            var rounds = Rounds(library: library, timing: timing, signal: signal)
            rounds.run(report)
        }
        let pointer = Unmanaged.passRetained(work)
        var made = pthread_t()
        let status = pthread_create(
            &made,
            nil,
            { pointer in
                if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
                return nil
            },
            pointer.toOpaque()
        )
        guard status == 0 else {
            pointer.release()
            return nil
        }
        self.thread.withLock { [made] in $0 = made }
    }

    /// Has it look again: there may be something else to watch.
    func wake() {
        self.signal.wake()
    }

    /// Ends it; what is being reported is waited for. Nothing is reported afterwards.
    func stop() {
        guard let thread = self.thread.withLock({ $0.take() }) else { return }
        self.signal.stop()
        pthread_join(thread, nil)
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    // MARK: The thread

    /// What the thread does, round after round.
    private struct Rounds {
        let library: CassetteLibrary
        let timing: Timing
        let signal: WakeSignal
        let notifications: FolderNotifications?
        /// What was said last of a cassette that cannot be used, by path.
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
                // First, so that what changes after the look is told. A folder may have come, or be another one of the
                // same name.
                self.notifications?.watch(Self.folders(watched))
                // What was mended by somebody who asked for it needs no word more.
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

        /// Of cassettes in one folder, the names of all count.
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

        /// Has cassettes read again; what is wrong is said once, and once again when all is well.
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
                    // Other files of the same folders are no reason to look, nor to look later.
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
