import Synchronization
import TapedeckCore

/// The counters of one event loop's connections.
///
/// Only its own event loop writes a number, so it is loaded, increased and stored without the locked instruction of a
/// shared addition; any thread may read it at any time.
package final class LoopMetrics: Sendable {
    /// The mode of the session that a request belonged to.
    package enum Mode: Int, CaseIterable {
        case replay, record, append, passthrough
        /// It reached no session.
        case none

        init(_ mode: TapedeckCore.Mode) {
            self =
                switch mode {
                case .replay: .replay
                case .record: .record
                case .append: .append
                case .passthrough: .passthrough
                }
        }
    }

    /// The outcome of a request, as in the journal when it is over.
    package enum Outcome: Int, CaseIterable {
        /// It was answered from the tape.
        case played
        /// It was answered by its origin and not recorded.
        case forwarded
        /// It was answered by its origin, and the recording has it.
        case recorded
        /// It was for its origin, which gave no whole answer.
        case failed
        /// Nothing on tape answered it.
        case unmatched
        /// Tapedeck refused it.
        case refused
        /// Its client left, or the deck stopped, before it was decided what to do about it: its body was not complete, or
        /// it was held.
        case abandoned
    }

    private static let countCells = Mode.allCases.count * Outcome.allCases.count
    private static let timeCells = Outcome.allCases.count * DurationBuckets.count
    private static let cellCount =
        LoopMetrics.timeOffset + LoopMetrics.timeCells + LoopMetrics.sumCells
    private static let timeOffset = LoopMetrics.countCells
    private static let sumOffset = LoopMetrics.timeOffset + LoopMetrics.timeCells
    private static let sumCells = Outcome.allCases.count

    /// All numbers: requests by mode and outcome, by outcome and duration, microseconds by outcome.
    private let cells: Cells

    init() {
        self.cells = Cells(count: Self.cellCount)
    }

    // MARK: Counting, on the event loop

    /// A request is over.
    ///
    /// - Parameter microseconds: from the end of its head to the end of its answer; `nil` for one that reached no session,
    ///   which is not timed.
    @inline(__always)
    package func count(_ mode: Mode, _ outcome: Outcome, microseconds: Int?) {
        self.cells.raise(mode.rawValue * Outcome.allCases.count + outcome.rawValue, by: 1)
        guard let microseconds else { return }
        let bucket = DurationBuckets.index(of: microseconds)
        self.cells.raise(Self.timeOffset + outcome.rawValue * DurationBuckets.count + bucket, by: 1)
        self.cells.raise(Self.sumOffset + outcome.rawValue, by: microseconds)
    }

    // MARK: Reading, anywhere

    func requests(_ mode: Mode, _ outcome: Outcome) -> Int {
        self.cells[mode.rawValue * Outcome.allCases.count + outcome.rawValue]
    }

    /// Requests of each bucket alone.
    func durations(_ outcome: Outcome) -> [Int] {
        (0..<DurationBuckets.count).map { self.cells[Self.timeOffset + outcome.rawValue * DurationBuckets.count + $0] }
    }

    func microseconds(_ outcome: Outcome) -> Int {
        self.cells[Self.sumOffset + outcome.rawValue]
    }

    /// A row of numbers, each written by one thread at a time.
    private final class Cells: @unchecked Sendable {
        // Proof of @unchecked Sendable: the pointer and the count never change between `init` and `deinit`, and what it
        // points to are atomics.
        private let start: UnsafeMutablePointer<Atomic<Int>>
        private let count: Int

        init(count: Int) {
            self.start = .allocate(capacity: count)
            self.count = count
            for index in 0..<count { (self.start + index).initialize(to: Atomic(0)) }
        }

        deinit {
            self.start.deinitialize(count: self.count)
            self.start.deallocate()
        }

        @inline(__always)
        func raise(_ index: Int, by amount: Int) {
            let value = self.start[index].load(ordering: .relaxed)
            self.start[index].store(value &+ amount, ordering: .relaxed)
        }

        subscript(index: Int) -> Int { self.start[index].load(ordering: .relaxed) }
    }
}

extension LoopMetrics.Outcome {
    /// Creates the outcome to count for a journal entry.
    init(_ outcome: JournalEntry.Outcome) {
        self =
            switch outcome {
            case .pending: .abandoned
            case .played: .played
            case .forwarded(let isRecorded): isRecorded ? .recorded : .forwarded
            case .unmatched: .unmatched
            case .refused: .refused
            }
    }
}

/// The steps in which durations of requests are counted.
package enum DurationBuckets {
    /// The upper bounds of all but the last, in microseconds: from what a replay takes to what people give up after.
    package static let bounds = [
        250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000,
        10_000_000, 30_000_000,
    ]

    /// With the last one, which has no upper bound.
    static let count = 17

    /// Returns the bucket of a duration. Usually the first, so they are compared in order.
    @inline(__always)
    static func index(of microseconds: Int) -> Int {
        if microseconds <= 250 { return 0 }
        return self.bounds.firstIndex { microseconds <= $0 } ?? self.bounds.count
    }
}
