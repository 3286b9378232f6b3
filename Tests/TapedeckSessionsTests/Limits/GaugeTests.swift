import Testing

@testable import TapedeckSessions

/// Counters, and their limits.
@Suite struct GaugeTests {
    /// Returns true if there is room for one more.
    private static func takes(_ gauge: Gauge, _ amount: Int = 1) -> Bool {
        do throws(Gauge.Full) {
            try gauge.take(amount)
            return true
        } catch {
            return false
        }
    }

    @Test func theLimitsOfAGaugeAndItsParentBothHold() {
        let whole = Gauge(limit: 3)
        let first = Gauge(limit: 2, of: whole)
        let second = Gauge(limit: 2, of: whole)
        let taken = [first, first, first, second, second].map { Self.takes($0) }
        #expect(taken == [true, true, false, true, false])
        #expect([whole.used, first.used, second.used] == [3, 2, 1])
        #expect(first.full == .own)
        #expect(second.full == .whole)
        first.give(1)
        #expect(second.full == nil)
    }

    @Test func aSlotIsReturnedWhenItIsReleased() {
        let gauge = Gauge(limit: 1)
        var slot: Gauge.Slot? = gauge.slotInAnyCase()
        #expect(gauge.used == 1)
        slot = nil
        let isGone = slot == nil
        #expect(isGone)
        #expect(gauge.used == 0)
    }

    @Test func concurrentUseStaysWithinTheLimitAndReturnsToZero() async {
        let whole = Gauge(limit: 5)
        let parts = (0..<4).map { _ in Gauge(limit: 2, of: whole) }
        await withTaskGroup(of: (most: Int, taken: Int).self) { group in
            for part in parts + parts {
                group.addTask {
                    var result = (most: 0, taken: 0)
                    for _ in 0..<20_000 where Self.takes(part) {
                        result.taken += 1
                        // Two threads use a part, and each of them may be in the middle of an unsuccessful request.
                        result.most = max(result.most, part.used)
                        part.give(1)
                    }
                    return result
                }
            }
            for await result in group {
                #expect(result.taken > 0)
                #expect(result.most <= 3)
            }
        }
        #expect(([whole] + parts).map(\.used) == [0, 0, 0, 0, 0])
    }

    @Test(arguments: [
        (4 << 30, "4 GiB"), (64 << 20, "64 MiB"), (512_000_000, "512 MB"), (1 << 10, "1 KiB"), (1_023, "1023 bytes"),
    ])
    func sizesAreWrittenInTheLargestUnitThatFits(_ size: Int, _ text: String) {
        #expect(UsageLimits.text(size) == text)
    }
}
