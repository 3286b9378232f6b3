#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Finds the response sets of a request key with one hash look-up, however many there are.
///
/// An open-addressed table whose keys stand end to end in one array: a look-up touches the slot, then the bytes.
/// Sets that share a key form a chain in order of preference.
struct ExactIndex: Sendable {
    private struct Slot {
        var hash: UInt32
        /// The first set of the chain; -1 marks a free slot.
        var first: Int32
    }

    private var slots: [Slot]
    private let mask: Int
    private var keyBytes: [UInt8] = []
    /// Where the key of each set ends in `keyBytes`; it begins where the one before ends.
    private var keyEnds: [Int] = []
    private var next: [Int32] = []
    /// The last set of the chain that begins with a set; only of use while the index is made.
    private var last: [Int32] = []

    /// The keys of the sets in order of preference among those that share a key.
    init(keys: [RequestKey], preference: [Int]) {
        var capacity = 16
        while capacity < keys.count * 2 { capacity *= 2 }
        self.slots = Array(repeating: Slot(hash: 0, first: -1), count: capacity)
        self.mask = capacity - 1
        self.next = Array(repeating: -1, count: keys.count)
        self.last = Array(repeating: -1, count: keys.count)
        self.keyEnds.reserveCapacity(keys.count)
        for key in keys {
            self.keyBytes.append(contentsOf: key.bytes)
            self.keyEnds.append(self.keyBytes.count)
        }
        for set in preference {
            self.insert(set, key: keys[set])
        }
        self.last = []
    }

    /// The preferred set of `key`, or -1.
    func first(for key: RequestKey) -> Int {
        key.bytes.withUnsafeBytes { bytes in
            let hash = Self.hash(bytes)
            var slot = Int(hash) & self.mask
            while self.slots[slot].first >= 0 {
                if self.slots[slot].hash == hash, self.keyEquals(set: Int(self.slots[slot].first), bytes) {
                    return Int(self.slots[slot].first)
                }
                slot = (slot + 1) & self.mask
            }
            return -1
        }
    }

    /// The set that is asked when `set` does not answer, or -1.
    func next(after set: Int) -> Int {
        Int(self.next[set])
    }

    private mutating func insert(_ set: Int, key: RequestKey) {
        let head = self.first(for: key)
        if head >= 0 {
            self.next[Int(self.last[head])] = Int32(set)
            self.last[head] = Int32(set)
            return
        }
        self.last[set] = Int32(set)
        let hash = key.bytes.withUnsafeBytes { Self.hash($0) }
        var slot = Int(hash) & self.mask
        while self.slots[slot].first >= 0 { slot = (slot + 1) & self.mask }
        self.slots[slot] = Slot(hash: hash, first: Int32(set))
    }

    private func keyEquals(set: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = set == 0 ? 0 : self.keyEnds[set - 1]
        guard self.keyEnds[set] - start == bytes.count else { return false }
        return self.keyBytes.withUnsafeBytes { keys in
            guard let keys = keys.baseAddress, let wanted = bytes.baseAddress else { return bytes.isEmpty }
            return memcmp(keys + start, wanted, bytes.count) == 0
        }
    }

    /// Eight bytes at a time. Needs no secret seed: what is in the table comes from the user's own tape, so a stranger's
    /// URLs can collide with nothing but what is there.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var hash = UInt64(truncatingIfNeeded: bytes.count)
        var index = 0
        while index + 8 <= bytes.count {
            hash = self.mixed(hash, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        return UInt32(truncatingIfNeeded: self.mixed(hash, rest))
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        // The golden ratio in 64 bits, as in Fibonacci hashing; the upper half of the product holds the good bits.
        let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}
