import NIOCore
import Synchronization
import TapedeckCassettes

/// The disk space of one recording until it is saved: its journal and the bodies beside it. Counts against the limits
/// of its session and of the deck, and is released at its end.
final class RecordingDisk: Sendable {
    /// After so many bytes the file system is asked for its room again. 1 MiB.
    private static let checkedBytes = 1 << 20
    /// After so many nanoseconds, too: others write to it. One second.
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

    /// Takes so many bytes.
    ///
    /// - Throws: ``DiskProblem`` where that is more than a limit; nothing is taken then.
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

    /// Takes so many bytes, limit or not.
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

    /// The recording is saved, or left to the next one that takes up its journal.
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

    /// Asks the file system for its room; may wait for a disk, so not on an event loop.
    ///
    /// - Throws: ``DiskProblem`` where that is less than is to be left.
    func checkRoom() throws(DiskProblem) {
        guard self.limits.freeDisk > 0, let free = FileContents.freeSpace(self.folder), free < self.limits.freeDisk
        else { return }
        throw DiskProblem(
            "the disk has less than \(UsageLimits.text(self.limits.freeDisk)) left (--min-free-disk); make room, and "
                + "record again"
        )
    }
}

/// Why a recording cannot go on for want of room.
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
