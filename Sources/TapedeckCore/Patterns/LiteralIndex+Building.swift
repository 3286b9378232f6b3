extension LiteralIndex {
    /// One ``RequiredLiterals`` for each pattern; its place is the pattern's number.
    package init(_ literals: [RequiredLiterals]) {
        let tally = GramTally(literals)
        var always: [Int] = []
        var chosen: [(gram: UInt32, entry: Entry)] = []
        chosen.reserveCapacity(literals.count)
        var bytes: [UInt8] = []
        for (number, required) in literals.enumerated() {
            guard let rarest = tally.rarest(of: required) else {
                always.append(number)
                continue
            }
            let prefix = bytes.count
            bytes.append(contentsOf: required.prefix)
            var piece = prefix
            if !rarest.isInPrefix {
                piece = bytes.count
                bytes.append(contentsOf: rarest.text)
            }
            let entry = Entry(
                pattern: Int32(number),
                piece: Int32(piece),
                pieceLength: Int32(rarest.text.count),
                gramOffset: Int32(rarest.offset),
                prefix: Int32(prefix),
                // No need to compare it twice.
                prefixLength: rarest.isInPrefix ? 0 : Int32(required.prefix.count),
                isPrefix: rarest.isInPrefix
            )
            chosen.append((rarest.gram, entry))
        }
        chosen.sort { ($0.gram, $0.entry.pattern) < ($1.gram, $1.entry.pattern) }
        self.init(count: literals.count, always: always, chosen: chosen, bytes: bytes)
    }

    private init(count: Int, always: [Int], chosen: [(gram: UInt32, entry: Entry)], bytes: [UInt8]) {
        // At most half of the slots are taken, and about one bit in sixteen is set.
        var slotBits: UInt32 = 4
        while 1 << Int(slotBits) < chosen.count * 2 { slotBits += 1 }
        let bitBits = slotBits + 3
        var slots = Array(repeating: Slot(gram: 0, first: 0, count: 0), count: 1 << Int(slotBits))
        var bitmap = Array(repeating: UInt64(0), count: 1 << Int(bitBits - 6))
        for (number, (gram, _)) in chosen.enumerated() {
            let hash = Self.hash(gram)
            let bit = Int(hash >> (32 - bitBits))
            bitmap[bit >> 6] |= 1 << UInt64(bit & 63)
            var index = Int(hash >> (32 - slotBits))
            while slots[index].count > 0, slots[index].gram != gram { index = (index + 1) & (slots.count - 1) }
            if slots[index].count == 0 { slots[index] = Slot(gram: gram, first: Int32(number), count: 0) }
            slots[index].count += 1
        }
        self.count = count
        self.always = always
        self.bitmap = bitmap
        self.slots = slots
        self.bitShift = 32 - bitBits
        self.slotShift = 32 - slotBits
        self.entries = chosen.map(\.entry)
        self.bytes = bytes
    }
}

/// The number of patterns that contain each sequence of four bytes.
private struct GramTally {
    /// By hash: grams that share one are counted together, which only makes the choice a little worse.
    private var counts = [UInt32](repeating: 0, count: 1 << 18)

    init(_ literals: [RequiredLiterals]) {
        for required in literals {
            Self.forEachGram(of: required) { gram, _, _, _ in
                self.counts[Self.slot(gram)] += 1
            }
        }
    }

    struct Choice {
        var gram: UInt32
        /// The prefix or piece that holds the gram, and where in it.
        var text: [UInt8]
        var offset: Int
        var isInPrefix: Bool
    }

    /// The gram that fewest patterns hold, of several the last: URLs differ at their end.
    func rarest(of required: RequiredLiterals) -> Choice? {
        var best: Choice?
        var least = UInt32.max
        Self.forEachGram(of: required) { gram, text, offset, isInPrefix in
            let count = self.counts[Self.slot(gram)]
            guard count <= least else { return }
            least = count
            best = Choice(gram: gram, text: text, offset: offset, isInPrefix: isInPrefix)
        }
        return best
    }

    private static func slot(_ gram: UInt32) -> Int {
        Int(LiteralIndex.hash(gram) >> 14)
    }

    @inline(__always)
    private static func forEachGram(
        of required: RequiredLiterals,
        _ body: (_ gram: UInt32, _ text: [UInt8], _ offset: Int, _ isInPrefix: Bool) -> Void
    ) {
        self.forEachGram(of: required.prefix) { body($0, required.prefix, $1, true) }
        for piece in required.pieces {
            self.forEachGram(of: piece) { body($0, piece, $1, false) }
        }
    }

    @inline(__always)
    private static func forEachGram(of text: [UInt8], _ body: (_ gram: UInt32, _ offset: Int) -> Void) {
        guard text.count >= LiteralIndex.gramLength else { return }
        text.withUnsafeBytes { bytes in
            for offset in 0...(bytes.count - LiteralIndex.gramLength) {
                body(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self), offset)
            }
        }
    }
}
