/// The delay and speed of an answer.
package struct Pacing: Sendable, Equatable {
    /// Before the first byte.
    package var delay: Delay?
    /// The number of body bytes per second.
    package var bandwidth: Int?
    package var dribble: Dribble?

    package init(delay: Delay? = nil, bandwidth: Int? = nil, dribble: Dribble? = nil) {
        self.delay = delay
        self.bandwidth = bandwidth
        self.dribble = dribble
    }

    /// A body in pieces of about the same size, spread evenly over a time.
    package struct Dribble: Sendable, Equatable {
        /// At least 1.
        package var pieces: Int
        package var milliseconds: Int

        package init(pieces: Int, milliseconds: Int) {
            self.pieces = pieces
            self.milliseconds = milliseconds
        }
    }

    /// All times are in milliseconds. Random ones depend on the session's seed; negative ones become 0.
    package enum Delay: Sendable, Equatable {
        case fixed(Int)
        case uniform(from: Int, to: Int)
        case normal(mean: Int, deviation: Int)
        /// `median` times e to the power of a normal value with the deviation `sigma`.
        case logNormal(median: Int, sigma: Double)
        /// The origin's recorded response time, times a factor; none for a take without it.
        case recorded(factor: Double)
    }

    package var isNone: Bool { self == Pacing() }

    /// Returns these settings, completed by those of `outer`.
    package func over(_ outer: Pacing) -> Pacing {
        Pacing(
            delay: self.delay ?? outer.delay,
            bandwidth: self.bandwidth ?? outer.bandwidth,
            dribble: self.dribble ?? outer.dribble
        )
    }
}
