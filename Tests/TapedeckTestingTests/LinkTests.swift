import TapedeckTesting
import TapedeckTestingCore
import Testing

struct LinkTests {
    @Test func `a test that links the helper has its framework told, without asking for it`() {
        #expect(IssueReporter.registered != nil)
    }
}
