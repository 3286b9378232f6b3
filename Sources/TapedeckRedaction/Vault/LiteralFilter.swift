import Synchronization

/// Says of eight bytes whether a secret may begin with them; wrong now and then, but only in saying yes.
///
/// It is read without a lock while others add to it: a reader sees a bit or does not see it yet.
final class LiteralFilter: @unchecked Sendable {
    // Proof of @unchecked Sendable: the pointer never changes, its memory is atomic, and only `deinit`, which runs when
    // there is no other reference, frees it.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let count: Int
    private let shift: UInt64

    /// - Parameter bits: a power of two, 64 at least.
    init(bits: Int) {
        self.count = bits / 64
        self.shift = UInt64(64 - bits.trailingZeroBitCount)
        self.words = .allocate(capacity: self.count)
        for index in 0..<self.count { (self.words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        self.words.deinitialize(count: self.count)
        self.words.deallocate()
    }

    func insert(_ key: UInt64) {
        let bit = self.bit(key)
        self.words[Int(bit >> 6)].bitwiseOr(1 << (bit & 63), ordering: .relaxed)
    }

    @inline(__always)
    func mayHold(_ key: UInt64) -> Bool {
        let bit = self.bit(key)
        return self.words[Int(bit >> 6)].load(ordering: .relaxed) >> (bit & 63) & 1 != 0
    }

    @inline(__always)
    private func bit(_ key: UInt64) -> UInt64 {
        // Fibonacci hashing: the high bits depend on all of the key.
        ((key ^ (key >> 32)) &* 0x9E37_79B9_7F4A_7C15) >> self.shift
    }
}
