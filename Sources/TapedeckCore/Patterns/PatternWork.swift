internal import CPCRE2

/// Counts the work of matching, because the core has no clock.
///
/// PCRE2 calls out before each item of a guarded pattern. Between two callouts it can have tried one item: either that
/// moved the position by the difference between the two, or it failed within the cost that ``PatternCosts`` gives.
/// PCRE2's own match limit is not enough: it does not count how far `a+` runs, and starts again at each place where a
/// match could begin.
struct PatternWork {
    /// The units of one request: 16 ms at the two thirds of a nanosecond that the worst known patterns take a unit.
    /// It is enough for twenty callouts for each byte of a URL of 64 KiB, and for one for each byte of a body of 1 MiB.
    static let perRequest = 24_000_000
    /// The number of steps after which a plain run is given up for a longer one. URL patterns rarely take more than 20.
    static let shortRun = 32
    /// The number of steps after which that one is given up for a guarded one.
    static let longRun = 400
    /// The subject's maximum length for trying a plain run first.
    static let plainLength = 4096
    /// The slowdown of PCRE2 without machine code.
    static let interpreterFactor = 8

    private(set) var left = PatternWork.perRequest
    /// The position of the previous callout, in bytes of the subject.
    private(set) var position = 0
    private var perByte = 1
    private var factor = 1
    private var items: UnsafePointer<PatternCosts.Item>?
    private var itemCount = 0
    private var hasReferences = false
    /// The part of the subject that the current match has touched, which bounds the captures.
    private var attempt = 0
    private var lowest = 0
    private var highest = 0

    mutating func refill() {
        self.left = Self.perRequest
    }

    /// Subtracts `units` from the budget.
    mutating func charge(_ units: Int) {
        self.left -= units
    }

    /// Prepares one match; the costs must not move until ``end()``.
    mutating func begin(
        _ costs: PatternCosts,
        items: UnsafeBufferPointer<PatternCosts.Item>,
        factor: Int,
        from start: Int = 0
    ) {
        self.items = items.baseAddress
        self.itemCount = items.count
        self.hasReferences = costs.hasReferences
        self.factor = factor
        self.position = start
        self.perByte = 1
        // If PCRE2 does not report the start of the match, a capture may be as long as all that was visited.
        self.attempt = costs.tellsStart ? 0 : Int.max
        self.lowest = 0
        self.highest = 0
    }

    mutating func end() {
        self.items = nil
    }

    /// The function that PCRE2 calls with a pointer to the work; a result other than 0 ends the match.
    ///
    /// It runs up to a million times for one match, so it reads only the fields it needs and leaves out the checks for
    /// overflow: no number here comes near 63 bits.
    static let callout:
        @convention(c) (UnsafeMutablePointer<pcre2_callout_block_8>?, UnsafeMutableRawPointer?) -> Int32 =
            { block, work in
                guard let block, let work else { return PCRE2_ERROR_CALLOUT }
                let goesOn = work.assumingMemoryBound(to: PatternWork.self).pointee.step(
                    item: block.pointee.pattern_position,
                    position: block.pointee.current_position,
                    start: block.pointee.start_match
                )
                return goesOn ? 0 : PCRE2_ERROR_CALLOUT
            }

    /// Returns true if the budget is enough for the next step.
    @inline(__always)
    private mutating func step(item number: Int, position: Int, start: Int) -> Bool {
        guard let items = self.items, number < self.itemCount else { return false }
        let item = items[number]
        let moved = position &- self.position
        var cost = (moved < 0 ? 0 &- moved : moved) &* self.perByte &+ Int(item.fixed)
        self.position = position
        self.perByte = Int(item.perByte)
        if self.hasReferences {
            if start > self.attempt {
                self.attempt = start
                self.lowest = position
                self.highest = position
            } else {
                self.lowest = min(self.lowest, position)
                self.highest = max(self.highest, position)
            }
            if item.isReference { cost = cost &+ (self.highest &- self.lowest) &* Int(item.perByte) / 2 }
        }
        self.left = self.left &- cost &* self.factor
        return self.left > 0
    }
}
