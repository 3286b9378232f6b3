internal import CPCRE2

/// The uncounted work of PCRE2 between two callouts, for each item of a pattern, in units of work.
///
/// A unit is about half a nanosecond: a callout takes 16, a byte that an item runs over 1. The figures were measured
/// with machine code; see ``PatternWork`` for how they are used.
struct PatternCosts: Sendable {
    struct Item {
        /// The cost of reaching the item.
        var fixed: Int32 = PatternCosts.callout
        /// The cost of every byte that it consumes.
        var perByte: Int32 = 1
        /// True if it compares the text of a capture.
        var isReference = false
    }

    private static let callout: Int32 = 16

    /// By position in the source; one more for its end.
    private(set) var items: [Item]
    /// The cost of the most expensive item.
    private(set) var mostPerByte = 1
    private(set) var hasReferences = false
    /// The cost of a byte that PCRE2 skips in search of a start.
    let skippedPerByte: Int
    /// True if PCRE2's start of a match is reliable: `\K` changes it.
    let tellsStart: Bool
    /// The number of items, with repeated groups expanded, and the number of repeated ones.
    private var itemCount = 0
    private var repeatCount = 0
    private var distinctCount = 0
    private let source: [UInt8]
    private let inCharacters: Bool
    private let longestLookbehind: Int32

    init(_ code: OpaquePointer, _ syntax: PatternSyntax) {
        self.source = syntax.bytes
        self.inCharacters = syntax.needsCharacters
        self.skippedPerByte = syntax.needsCharacters ? 3 : 1
        self.tellsStart = !zip(syntax.bytes, syntax.bytes.dropFirst()).contains {
            $0 == (ASCII.backslash, UInt8(ascii: "K"))
        }
        self.items = Array(repeating: Item(), count: syntax.bytes.count + 1)
        var lookbehind: UInt32 = 0
        pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_MAXLOOKBEHIND), &lookbehind)
        self.longestLookbehind = Int32(lookbehind)
        let places = Self.callouts(of: code)
        for place in places {
            self.add(position: place.position, length: place.length)
        }
        self.addCopies(places.map(\.position))
    }

    /// Returns the position in the source of each callout's item. Items of repeated groups occur several times.
    private static func callouts(of code: OpaquePointer) -> [(position: Int, length: Int)] {
        var places: [(position: Int, length: Int)] = []
        _ = withUnsafeMutablePointer(to: &places) { places in
            pcre2_callout_enumerate_8(
                code,
                { block, places in
                    guard let block = block?.pointee, let places else { return 0 }
                    places.assumingMemoryBound(to: [(position: Int, length: Int)].self).pointee
                        .append((position: block.pattern_position, length: block.next_item_length))
                    return 0
                },
                places
            )
        }
        return places
    }

    /// The charge for a plain run of ``PatternWork/shortRun`` steps. In the worst case each repeated item runs over the
    /// whole subject between any two of the steps that PCRE2 counts.
    var plainCharge: (perByte: Int, fixed: Int) {
        (perByte: 2 * (self.repeatCount + 1), fixed: 4 * self.itemCount)
    }

    /// True if most of the pattern is copies of repeated groups.
    var isMostlyCopies: Bool {
        self.itemCount > 2 * self.distinctCount
    }

    /// `(?:..){0,900}` is compiled to 900 nested groups, and PCRE2 leaves them one by one without a callout.
    private mutating func addCopies(_ positions: [Int]) {
        var counts = [Int32](repeating: 0, count: self.items.count)
        for position in positions where position < counts.count { counts[position] += 1 }
        self.distinctCount = counts.count { $0 > 0 }
        let copies = max(0, (counts.max() ?? 0) - 1)
        guard copies > 0 else { return }
        for index in self.items.indices { self.items[index].fixed += 2 * copies }
    }

    private mutating func add(position: Int, length: Int) {
        guard position + length <= self.source.count else { return }
        let text = self.source[position..<(position + length)]
        var item = Item()
        if self.inCharacters {
            // In characters: \p{..} and \X look up tables, a class may be a list of ranges that is gone through, and
            // a lookbehind steps back character by character.
            item.perByte = text.first == ASCII.openBracket ? 8 + Int32(length) / 2 : 8
            item.fixed += item.perByte
            if text.first == UInt8(ascii: "(") { item.fixed += 4 * self.longestLookbehind }
        }
        item.isReference = Self.isReference(text)
        // `\1*` goes from copy to copy, and each may be as short as one byte.
        if item.isReference { item.perByte = max(item.perByte, 8) }
        // An item that must repeat this often may consume this many bytes and then fail, with no callout after it.
        item.fixed += item.perByte * Self.leastCount(text)
        if item.isReference { self.hasReferences = true }
        self.items[position] = item
        self.mostPerByte = max(self.mostPerByte, Int(item.perByte))
        self.itemCount += 1
        if length > 1, let last = text.last, "*+?}".utf8.contains(last) { self.repeatCount += 1 }
    }

    /// Returns the first number of a `{3}` or `{3,5}` at the end of an item, before a `?` or `+`, or 0.
    private static func leastCount(_ text: ArraySlice<UInt8>) -> Int32 {
        guard let open = text.lastIndex(of: ASCII.openBrace) else { return 0 }
        var count: Int32 = 0
        for digit in text[(open + 1)...].prefix(while: { (0x30...0x39).contains($0) }).prefix(6) {
            count = count * 10 + Int32(digit - 0x30)
        }
        return count
    }

    private static func isReference(_ text: ArraySlice<UInt8>) -> Bool {
        if text.starts(with: "(?P=".utf8) { return true }
        guard text.first == ASCII.backslash, let next = text.dropFirst().first else { return false }
        return (0x31...0x39).contains(next) || next == UInt8(ascii: "g") || next == UInt8(ascii: "k")
    }
}
