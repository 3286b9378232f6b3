/// The run that asks.
package struct VaryingRun: Sendable {
    package var now: Instant
    /// When it began.
    package var start: Instant
    /// The distance of local time to UTC, in minutes.
    package var zone: Int
    package var surroundings: Surroundings

    package init(now: Instant, start: Instant, zone: Int, surroundings: Surroundings) {
        (self.now, self.start, self.zone, self.surroundings) = (now, start, zone, surroundings)
    }
}
