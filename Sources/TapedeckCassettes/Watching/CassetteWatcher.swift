import Synchronization
package import TapedeckCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Watches the files of cassettes that are being played, on a thread of its own, and reads them again when they change.
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

    private let locations: [CassetteLocation]
    private let store: CassetteStore
    private let timing: Timing
    /// The cassettes' files before they were loaded.
    private let before: [String: FileSignature?]
    private let signal: StopSignal?
    private let thread = Mutex<pthread_t?>(nil)

    /// To be made before the cassettes are loaded, so that no change between goes unseen.
    package init(_ locations: [CassetteLocation], store: CassetteStore, timing: Timing = Timing()) {
        self.locations = locations
        self.store = store
        self.timing = timing
        let signatures = locations.map { ($0.path, FileSignature($0.path)) }
        self.before = Dictionary(signatures) { first, _ in first }
        self.signal = StopSignal()
    }

    // MARK: Life

    /// Begins to watch. Only to be called once.
    ///
    /// - Parameters:
    ///   - cassettes: what was loaded; a cassette that was not there is left out.
    ///   - report: called on the watcher's thread, where it may take its time, but not stop the watcher.
    /// - Returns: whether it can watch at all; not when the system has no thread or file descriptor left.
    package func start(
        with cassettes: [Cassette],
        report: @escaping @Sendable (CassetteChange) -> Void
    ) -> Bool {
        let watched = WatchedCassettes(self.locations, store: self.store, loaded: cassettes)
        guard let signal = self.signal else { return false }
        let work = Work { [before, timing] in
            Self.run(watched, before: before, timing: timing, signal: signal, report: report)
        }
        return self.thread.withLock { thread in
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
                return false
            }
            thread = made
            return true
        }
    }

    /// Ends it; what is being reported is waited for. Nothing is reported afterwards.
    package func stop() {
        guard let thread = self.thread.withLock({ $0.take() }) else { return }
        self.signal?.send()
        pthread_join(thread, nil)
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    // MARK: The thread

    private static func run(
        _ cassettes: WatchedCassettes,
        before: [String: FileSignature?],
        timing: Timing,
        signal: StopSignal,
        report: (CassetteChange) -> Void
    ) {
        var cassettes = cassettes
        let notifications = timing.usesNotifications ? FolderNotifications() : nil
        notifications?.watch(cassettes.folders)
        var seen = FileSignature.all(cassettes.paths)
        // What changed while the cassettes were loaded has not been seen.
        for (path, signature) in before { seen[path] = signature }
        while true {
            let now = FileSignature.all(cassettes.paths)
            if now != seen || cassettes.isOutdated(now) {
                let paths = cassettes.paths
                guard let quiet = Self.settle(now, paths, timing, signal, notifications) else { return }
                let changes = cassettes.look()
                // A folder may have come, or be another one of the same name.
                notifications?.watch(cassettes.folders)
                seen = FileSignature.all(cassettes.paths)
                // Of those known before, what counts is how they were when they were quiet, before they were read.
                for path in Set(paths).intersection(cassettes.paths) { seen[path] = quiet[path] }
                for change in changes { report(change) }
                // There may be more already.
                continue
            }
            notifications?.watch(cassettes.folders)
            guard Self.waitForChange(timing, signal, notifications) else { return }
        }
    }

    /// Waits until something may have changed; returns `false` when it is time to stop.
    private static func waitForChange(
        _ timing: Timing,
        _ signal: StopSignal,
        _ notifications: FolderNotifications?
    ) -> Bool {
        let end = ContinuousClock.now + .milliseconds(timing.interval)
        while true {
            let left = (end - .now) / .milliseconds(1)
            switch signal.wait(milliseconds: max(0, Int(left)), or: notifications?.descriptor) {
            case .stopped: return false
            case .timeout: return true
            case .readable:
                // Other files of the same folders are no reason to look, nor to look later.
                if notifications?.take() ?? true { return true }
            }
        }
    }

    /// Waits until the files are quiet; `nil` when it is time to stop.
    private static func settle(
        _ first: [String: FileSignature],
        _ paths: [String],
        _ timing: Timing,
        _ signal: StopSignal,
        _ notifications: FolderNotifications?
    ) -> [String: FileSignature]? {
        var last = first
        for _ in 0..<self.patience {
            if case .stopped = signal.wait(milliseconds: timing.quiet, or: nil) { return nil }
            let isTold = notifications?.take() ?? false
            let now = FileSignature.all(paths)
            if now == last, !isTold { return now }
            last = now
        }
        return last
    }
}
