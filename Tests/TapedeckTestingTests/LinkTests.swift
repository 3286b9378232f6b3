import TapedeckTesting
import TapedeckTestingCore
import Testing

struct LinkTests {
    @Test func `linking the helper is enough for reports by the framework`() {
        #expect(IssueReporter.registered != nil)
    }
}
