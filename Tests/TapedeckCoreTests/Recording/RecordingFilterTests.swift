import TapedeckCore
import Testing

/// The exchanges that are left out, and the text form of the rules.
@Suite
struct RecordingFilterTests {
    @Test func everythingIsRecordedWithoutARule() {
        let filter = RecordingFilter()
        #expect(filter.reason(status: 500, length: Int.max) == nil)
        #expect(filter.reason(size: Int.max) == nil)
        #expect(filter.reason(failedAndHasResponse: false) == nil)
    }

    @Test func failuresAreFaultsAndStatusesFrom500() {
        let filter = RecordingFilter(dropsFailures: true)
        #expect(filter.reason(status: 500, length: nil) == .failure)
        #expect(filter.reason(status: 599, length: nil) == .failure)
        #expect(filter.reason(status: 429, length: nil) == nil)
        #expect(filter.reason(failedAndHasResponse: false) == .failure)
        #expect(filter.reason(failedAndHasResponse: true) == .failure)
    }

    @Test func theSizeLimitIsInclusive() throws {
        let filter = RecordingFilter(maxBody: try ByteSize("1k"))
        #expect(filter.reason(size: 1_024) == nil)
        #expect(filter.reason(size: 1_025) == .size(limit: "1k"))
        #expect(filter.reason(status: 200, length: 1_025) == .size(limit: "1k"))
        #expect(filter.reason(status: 200, length: nil) == nil)
    }

    @Test func aFailureWithoutAResponseMatchesNoStatusFilter() throws {
        let filter = RecordingFilter(statuses: try StatusFilter("200, 3xx,404-410"))
        for status in [200, 300, 399, 404, 410] { #expect(filter.reason(status: status, length: nil) == nil) }
        for status in [201, 400, 403, 411, 500] { #expect(filter.reason(status: status, length: nil) != nil) }
        #expect(filter.reason(failedAndHasResponse: false) == .status(wanted: "200, 3xx,404-410"))
        // The head that it had was judged when it came.
        #expect(filter.reason(failedAndHasResponse: true) == nil)
    }

    @Test(arguments: ["", "20", "2000", "1xx", "6xx", "xxx", "2xx,", "299-200", "200-", "-200", "200-300-400", "ok"])
    func refusesStatuses(_ text: String) {
        #expect(throws: StatusFilter.Problem.self) { try StatusFilter(text) }
    }

    @Test(arguments: [
        ("0", 0), ("512", 512), ("64k", 65_536), ("64K", 65_536), ("10m", 10 << 20), ("1g", 1 << 30),
        ("512 KiB", 512 << 10), ("1MiB", 1 << 20), ("10 MB", 10_000_000), ("3 kB", 3_000), ("7b", 7),
        ("1000 GB", 1_000_000_000_000),
    ])
    func readsSizes(_ text: String, _ bytes: Int) throws {
        #expect(try ByteSize(text).bytes == bytes)
    }

    @Test(arguments: ["", "m", "-1", "1.5m", "10 q", "1 000", "99999999999999999999", "1001 GB"])
    func refusesSizes(_ text: String) {
        #expect(throws: ByteSize.Problem.self) { try ByteSize(text) }
    }
}
