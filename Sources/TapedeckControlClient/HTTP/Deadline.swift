/// The moment by which something must have happened.
package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    package init(after time: Duration) {
        self.end = .now + time
    }

    /// The remaining milliseconds for `poll(2)`: rounded up, so that it does not end early; 0 after the deadline.
    package var milliseconds: Int32 {
        let left = self.end - .now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
        guard !milliseconds.overflow, milliseconds.partialValue < Int64(Int32.max) - 1_000 else { return .max }
        return Int32(milliseconds.partialValue + attoseconds / 1_000_000_000_000_000 + 1)
    }

    package var isOver: Bool { self.end <= .now }
}
