import TapedeckPlatform

/// Numbers that look random and follow from a seed (SplitMix64, Steele and others, 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        self.state = seed
    }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// From 0 up to, but not including, 1.
    package mutating func unit() -> Double {
        Double(self.next() >> 11) / 9_007_199_254_740_992
    }
}

extension Pacing.Delay {
    /// The milliseconds to wait this time, from 0 to an hour.
    func draw(_ random: inout SeededRandom, latency: Int?) -> Int {
        let value: Double =
            switch self {
            case .fixed(let milliseconds): Double(milliseconds)
            case .uniform(let from, let to): Double(from) + random.unit() * Double(to - from + 1)
            case .normal(let mean, let deviation): Double(mean) + Self.normal(&random) * Double(deviation)
            case .logNormal(let median, let sigma): Double(median) * exp(Self.normal(&random) * sigma)
            case .recorded(let factor): Double(latency ?? 0) * factor
            }
        return value.isFinite ? Int(min(max(value, 0), 3_600_000)) : 3_600_000
    }

    /// A draw from the standard normal distribution (Box and Muller, 1958).
    private static func normal(_ random: inout SeededRandom) -> Double {
        let radius = (-2 * log(1 - random.unit())).squareRoot()
        return radius * cos(2 * Double.pi * random.unit())
    }
}
