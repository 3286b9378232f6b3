/// Random numbers that follow from a seed: equal seeds give equal numbers (SplitMix64).
///
/// ```swift
/// var generator = deck.generator
/// try await deck.stub(.get("/dice"), .text("\(Int.random(in: 1...6, using: &generator))"))
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    // The deck's generator is in TapedeckCore, which a client for tests does not link.
    private var state: UInt64

    public init(seed: UInt64) {
        self.state = seed
    }

    public mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension Tapedeck {
    /// Random numbers for what a test makes up itself, which follow from the session's ``seed``, as all random choices of
    /// the deck do. Each call begins anew.
    public var generator: SeededGenerator { SeededGenerator(seed: self.seed) }
}

extension Tapedeck.Answer {
    /// One of several, as likely as their weights say, drawn now by a generator of one's own.
    ///
    /// - Parameters:
    ///   - choices: answers with their weights. One with a weight of zero or less is never
    ///     drawn, unless all have one: then the first is. Never empty.
    ///   - generator: draws the answer.
    public static func random(
        _ choices: [(weight: Int, answer: Tapedeck.Answer)],
        using generator: inout some RandomNumberGenerator
    ) -> Self {
        let total = choices.reduce(0) { $0 + max(0, $1.weight) }
        guard total > 0 else { return choices.first?.answer ?? .status(500) }
        var rest = Int.random(in: 0..<total, using: &generator)
        for choice in choices {
            rest -= max(0, choice.weight)
            if rest < 0 { return choice.answer }
        }
        return .status(500)
    }
}
