import TapedeckPlatform

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
