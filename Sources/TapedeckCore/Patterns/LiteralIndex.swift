import TapedeckPlatform

/// Finds the patterns that could match a subject, by a rare piece of literal text of each.
///
/// For each pattern, chooses the four bytes of its literals that the fewest patterns share. A search slides over the
/// subject once: a bit map excludes nearly all places, a hash table finds the patterns of the others, and those whose
/// whole piece of literal text is there are candidates. The work does not grow with the number of patterns, only with
/// the length of the subject and the number of candidates.
package struct LiteralIndex: Sendable {
    /// The number of bytes of literal text that are searched first.
    static let gramLength = 4
    /// Returns the number of unsuccessful entry checks after which further entries are accepted unchecked: a long
    /// subject full of one gram could otherwise cost more than trying the patterns.
    private static func patience(for subject: UnsafeRawBufferPointer) -> Int {
        4096 + subject.count / 4
    }

    /// A pattern that is found by a piece of its literal text.
    struct Entry {
        var pattern: Int32
        /// The offset of the piece in `bytes`.
        var piece: Int32
        var pieceLength: Int32
        /// The offset of the gram in the piece.
        var gramOffset: Int32
        /// The offset of the prefix in `bytes`.
        var prefix: Int32
        var prefixLength: Int32
        /// True if the piece is the prefix itself, so only at the beginning of the subject.
        var isPrefix: Bool
    }

    struct Slot {
        var gram: UInt32
        var first: Int32
        /// 0 marks a free slot.
        var count: Int32
    }

    /// Patterns without four bytes of literal text in a row, in ascending order: they are always candidates.
    let always: [Int]
    /// One bit per value of a gram's hash.
    let bitmap: [UInt64]
    let slots: [Slot]
    /// The hash of a gram is shifted right by so much, for its bit and for its slot.
    let bitShift: UInt32
    let slotShift: UInt32
    /// The entries of a slot are adjacent.
    let entries: [Entry]
    /// The text of pieces and prefixes.
    let bytes: [UInt8]
    /// The number of patterns.
    package let count: Int

    /// The patterns that one subject can make candidates by the hundred, as they share all their literal text or have
    /// none: those to ``Pattern/prepare()`` when they are loaded, so that no request has to.
    package var crowded: [Int] {
        let limit = 64
        let crowds = self.slots.lazy.filter { $0.count > limit }
            .flatMap { self.entries[Int($0.first)..<Int($0.first + $0.count)] }
            .map { Int($0.pattern) }
        return self.always.count > limit ? self.always + crowds : Array(crowds)
    }

    /// The numbers of the patterns that may match, ascending, each once.
    package func candidates(in subject: UnsafeRawBufferPointer) -> [Int] {
        var found = LiteralMatches(patterns: self.count)
        if subject.count >= Self.gramLength, !self.entries.isEmpty {
            self.slide(over: subject, into: &found)
        }
        return found.candidates(always: self.always)
    }

    private func slide(over subject: UnsafeRawBufferPointer, into found: inout LiteralMatches) {
        var patience = Self.patience(for: subject)
        let bitShift = self.bitShift
        self.bitmap.withUnsafeBufferPointer { bitmap in
            for position in 0...(subject.count - Self.gramLength) {
                let gram = subject.loadUnaligned(fromByteOffset: position, as: UInt32.self)
                let hash = Self.hash(gram)
                let bit = Int(truncatingIfNeeded: hash >> bitShift)
                guard bitmap[bit >> 6] & (1 << UInt64(bit & 63)) != 0 else { continue }
                self.look(at: position, gram, hash, in: subject, &patience, into: &found)
            }
        }
    }

    private func look(
        at position: Int,
        _ gram: UInt32,
        _ hash: UInt32,
        in subject: UnsafeRawBufferPointer,
        _ patience: inout Int,
        into found: inout LiteralMatches
    ) {
        var index = Int(hash >> self.slotShift)
        while self.slots[index].count > 0, self.slots[index].gram != gram {
            index = (index + 1) & (self.slots.count - 1)
        }
        let slot = self.slots[index]
        guard slot.count > 0, !found.isDone(slot: Int(slot.first)) else { return }
        var isDone = true
        for number in Int(slot.first)..<Int(slot.first + slot.count) {
            let entry = self.entries[number]
            if found.contains(Int(entry.pattern)) {
                patience -= 1
            } else if patience <= 0 || self.holds(entry, at: position, in: subject) {
                found.add(Int(entry.pattern))
            } else {
                patience -= 1
                isDone = false
            }
        }
        if isDone { found.finish(slot: Int(slot.first)) }
    }

    @inline(__always)
    private func holds(_ entry: Entry, at position: Int, in subject: UnsafeRawBufferPointer) -> Bool {
        let start = position - Int(entry.gramOffset)
        guard let base = subject.baseAddress, entry.isPrefix ? start == 0 : start >= 0,
            start + Int(entry.pieceLength) <= subject.count,
            Int(entry.prefixLength) <= subject.count
        else { return false }
        return self.bytes.withUnsafeBytes { bytes in
            guard let text = bytes.baseAddress else { return false }
            return memcmp(text + Int(entry.piece), base + start, Int(entry.pieceLength)) == 0
                && memcmp(text + Int(entry.prefix), base, Int(entry.prefixLength)) == 0
        }
    }

    /// Needs no secret seed, because the table contains only the user's own patterns. The upper bits are the good ones.
    @inline(__always)
    static func hash(_ gram: UInt32) -> UInt32 {
        gram &* 0x9E37_79B1
    }
}
