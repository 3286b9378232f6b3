import TapedeckPlatform

/// Numbers keys, and finds the number of a key with one hash look-up, for any number of keys.
///
/// An open-addressed table whose keys are adjacent in one array: a look-up touches the slot, then the bytes.
struct ExactIndex: Sendable {
    private struct Slot {
        var hash: UInt32
        /// The number of the key; -1 marks a free slot.
        var number: Int32
    }

    /// The data of a key, in one place, so that it costs one access to memory.
    private struct Record {
        /// The offset of the key in `keyBytes`.
        var start: UInt32
        var length: UInt32
        var value: Int32
    }

    private var slots: [Slot]
    private var mask: Int
    private var keyBytes: [UInt8] = []
    private var records: [Record] = []

    /// - Parameter capacity: how many keys are expected; there may be more.
    init(capacity: Int = 0) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        self.slots = Array(repeating: Slot(hash: 0, number: -1), count: size)
        self.mask = size - 1
    }

    /// The number of keys.
    var count: Int { self.records.count }

    /// Sets the value for the key of a number, which ``value(of:)`` returns; initially -1.
    mutating func setValue(_ value: Int, of number: Int) {
        self.records[number].value = Int32(value)
    }

    /// The value of `key`, or -1.
    func value(of key: [UInt8]) -> Int {
        let number = self.number(of: key)
        return number < 0 ? -1 : Int(self.records[number].value)
    }

    /// The number of `key`, or -1.
    func number(of key: [UInt8]) -> Int {
        key.withUnsafeBytes { bytes in
            let hash = Self.hash(bytes)
            var slot = Int(hash) & self.mask
            while self.slots[slot].number >= 0 {
                if self.slots[slot].hash == hash, self.equals(Int(self.slots[slot].number), bytes) {
                    return Int(self.slots[slot].number)
                }
                slot = (slot + 1) & self.mask
            }
            return -1
        }
    }

    /// The number of `key`, which is a new one if it was not there.
    mutating func insert(_ key: [UInt8]) -> Int {
        let found = self.number(of: key)
        guard found < 0 else { return found }
        let number = self.records.count
        let start = UInt32(truncatingIfNeeded: self.keyBytes.count)
        self.records.append(Record(start: start, length: UInt32(truncatingIfNeeded: key.count), value: -1))
        self.keyBytes.append(contentsOf: key)
        if (number + 1) * 2 > self.slots.count { self.grow() }
        self.place(Slot(hash: key.withUnsafeBytes { Self.hash($0) }, number: Int32(number)))
        return number
    }

    private mutating func place(_ entry: Slot) {
        var slot = Int(entry.hash) & self.mask
        while self.slots[slot].number >= 0 { slot = (slot + 1) & self.mask }
        self.slots[slot] = entry
    }

    private mutating func grow() {
        let old = self.slots
        self.slots = Array(repeating: Slot(hash: 0, number: -1), count: old.count * 2)
        self.mask = self.slots.count - 1
        for slot in old where slot.number >= 0 { self.place(slot) }
    }

    private func equals(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let record = self.records[number]
        guard Int(record.length) == bytes.count else { return false }
        return self.keyBytes.withUnsafeBytes { keys in
            guard let keys = keys.baseAddress, let wanted = bytes.baseAddress else { return bytes.isEmpty }
            return memcmp(keys + Int(record.start), wanted, bytes.count) == 0
        }
    }

    /// Hashes eight bytes at a time. Needs no secret seed: the table contains only the user's own tape, so a stranger's
    /// URLs can only collide with that.
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
