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
