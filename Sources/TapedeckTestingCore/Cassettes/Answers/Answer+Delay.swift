extension Tapedeck.Answer {
    /// The delay of an answer. At most an hour; random delays follow from the session's seed.
    public struct Delay: Sendable, Equatable {
        let shape: Tapedeck.JSON

        private init(_ shape: Tapedeck.JSON) {
            self.shape = shape
        }

        /// Just so long.
        public static func fixed(_ duration: Duration) -> Self {
            Self(.time(duration))
        }

        /// Anything from the one to the other.
        public static func uniform(_ range: ClosedRange<Duration>) -> Self {
            Self(["uniform": [.time(range.lowerBound), .time(range.upperBound)]])
        }

        /// Normally distributed; nothing below 0.
        public static func normal(_ mean: Duration, deviation: Duration) -> Self {
            Self(["normal": .time(mean), "deviation": .time(deviation)])
        }

        /// Log-normally distributed around a median.
        public static func logNormal(_ median: Duration, sigma: Double) -> Self {
            Self(["logNormal": .time(median), "sigma": Tapedeck.JSON(plain: sigma)])
        }

        /// The origin's recorded response time, times a factor.
        public static func recorded(times factor: Double = 1) -> Self {
            Self(["recorded": Tapedeck.JSON(plain: factor)])
        }
    }
}

extension Tapedeck.JSON {
    /// A length of time as a cassette has it, such as `1.5s`: rounded up to milliseconds, and nothing below 0.
    static func time(_ duration: Duration) -> Tapedeck.JSON {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return "0" }
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        // Beyond any limit of a deck, which then says so.
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow, whole < Int64.max - 1_000 else { return Tapedeck.JSON("\(Int64.max / 1_000)s") }
        let all = whole + milliseconds
        switch all {
        case 0: return "0"
        case _ where all % 60_000 == 0: return Tapedeck.JSON("\(all / 60_000)m")
        case _ where all % 1_000 == 0: return Tapedeck.JSON("\(all / 1_000)s")
        default: return Tapedeck.JSON("\(all)ms")
        }
    }
}
