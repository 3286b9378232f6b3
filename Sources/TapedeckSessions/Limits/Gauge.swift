import Synchronization

/// Counts how much of one thing is in use, against a limit; also against that of another gauge, of which it is a part.
package final class Gauge: Sendable {
    /// The limit that is reached.
    package enum Full: Error {
        /// The gauge's own.
        case own
        /// The limit of the parent gauge.
        case whole
    }

    package let limit: Int
    private let whole: Gauge?
    private let value = Atomic<Int>(0)

    /// - Parameter whole: what this is a part of.
    init(limit: Int, of whole: Gauge? = nil) {
        self.limit = limit
        self.whole = whole
    }

    var used: Int { self.value.load(ordering: .relaxed) }

    /// The limit that is reached; `nil` if there is room.
    package var full: Full? {
        if self.used >= self.limit { return .own }
        guard let whole = self.whole, whole.used >= whole.limit else { return nil }
        return .whole
    }

    /// Adds an amount; throws, and changes nothing, if it exceeds a limit.
    func take(_ amount: Int) throws(Full) {
        guard self.value.wrappingAdd(amount, ordering: .relaxed).newValue <= self.limit else {
            self.value.wrappingSubtract(amount, ordering: .relaxed)
            throw .own
        }
        guard let whole = self.whole else { return }
        do {
            try whole.take(amount)
        } catch {
            self.value.wrappingSubtract(amount, ordering: .relaxed)
            throw .whole
        }
    }

    /// Adds an amount, even beyond the limit.
    func add(_ amount: Int) {
        self.value.wrappingAdd(amount, ordering: .relaxed)
        self.whole?.add(amount)
    }

    /// Gives back what was taken.
    func give(_ amount: Int) {
        self.value.wrappingSubtract(amount, ordering: .relaxed)
        self.whole?.give(amount)
    }

    /// Returns a slot, which is released when it is destroyed.
    func slot() throws(Full) -> Slot {
        try self.take(1)
        return Slot(taken: self)
    }

    /// Returns a slot, even beyond the limit.
    func slotInAnyCase() -> Slot {
        self.add(1)
        return Slot(taken: self)
    }

    /// One unit of a gauge.
    package struct Slot: ~Copyable {
        private let gauge: Gauge

        fileprivate init(taken gauge: Gauge) {
            self.gauge = gauge
        }

        deinit {
            self.gauge.give(1)
        }
    }
}
