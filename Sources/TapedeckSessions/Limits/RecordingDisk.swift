import NIOCore
import Synchronization
import TapedeckCassettes

/// The disk space of one recording until it is saved: its journal and its body files. Counts against the limits of its
/// session and of the deck, and is released at its end.
final class RecordingDisk: Sendable {
    /// The number of bytes after which the free space of the file system is read again. 1 MiB.
    private static let checkedBytes = 1 << 20
    /// The number of nanoseconds after which it is read again, because others write to it too. One second.
    private static let checkedTime: UInt64 = 1_000_000_000

    private let gauge: Gauge
    private let limits: UsageLimits
    /// A folder that is there already, on the file system of the cassette.
    private let folder: String
    private let held = Atomic<Int>(0)
    private let heldAtCheck = Atomic<Int>(0)
    private let lastCheck = Atomic<UInt64>(0)

    init(_ meter: SessionMeter, folder: String) {
        self.gauge = meter.disk
        self.limits = meter.deck.limits
        self.folder = folder
    }

    deinit {
        self.giveAll()
    }

    /// Adds a number of bytes.
    ///
    /// - Throws: ``DiskProblem`` if that exceeds a limit; nothing is added then.
    func take(_ bytes: Int) throws(DiskProblem) {
        do throws(Gauge.Full) {
            try self.gauge.take(bytes)
        } catch {
            throw switch error {
            case .own:
                DiskProblem("it has reached \(UsageLimits.text(self.limits.sessionDisk)) (--max-session-disk)")
            case .whole:
                DiskProblem(
                    "the recordings of all sessions have reached \(UsageLimits.text(self.limits.disk)) (--max-disk)"
                )
            }
        }
        self.held.wrappingAdd(bytes, ordering: .relaxed)
    }

    /// Adds a number of bytes, even beyond the limit.
    func add(_ bytes: Int) {
        self.gauge.add(bytes)
        self.held.wrappingAdd(bytes, ordering: .relaxed)
    }

    /// Gives back what an exchange has taken. One that outlives the recording has nothing to give any more.
    func give(_ bytes: Int) {
        var held = self.held.load(ordering: .relaxed)
        while true {
            let given = min(held, bytes)
            let (isDone, now) = self.held.compareExchange(expected: held, desired: held - given, ordering: .relaxed)
            if isDone {
                self.gauge.give(given)
                return
            }
            held = now
        }
    }

    /// The recording is saved, or its journal is left for recovery.
    func giveAll() {
        self.gauge.give(self.held.exchange(0, ordering: .relaxed))
    }

    /// True if it is time to query the file system again; true once.
    var isCheckDue: Bool {
        guard self.limits.freeDisk > 0 else { return false }
        let now = NIODeadline.now().uptimeNanoseconds
        let last = self.lastCheck.load(ordering: .relaxed)
        let written = self.held.load(ordering: .relaxed) - self.heldAtCheck.load(ordering: .relaxed)
        guard now &- last > Self.checkedTime || written > Self.checkedBytes else { return false }
        self.heldAtCheck.store(self.held.load(ordering: .relaxed), ordering: .relaxed)
        return self.lastCheck.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    }

    /// Checks the free space of the file system; may wait for a disk, so do not call it on an event loop.
    ///
    /// - Throws: ``DiskProblem`` if there is less than the minimum.
    func checkRoom() throws(DiskProblem) {
        guard self.limits.freeDisk > 0, let free = FileContents.freeSpace(self.folder), free < self.limits.freeDisk
        else { return }
        throw DiskProblem(
            "the disk has less than \(UsageLimits.text(self.limits.freeDisk)) left (--min-free-disk); make room, and "
                + "record again"
        )
    }
}

/// The reason why a recording has no disk space.
package struct DiskProblem: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Creates the problem for an error of writing a recording.
    init(_ error: any Error) {
        switch error {
        case let error as DiskProblem: self = error
        case let error as FileError where error.isFull:
            self.init("the disk is full (\(error)); make room, and record again")
        default: self.init("\(error)")
        }
    }
}
