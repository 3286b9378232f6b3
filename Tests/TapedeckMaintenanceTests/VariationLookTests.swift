import TapedeckCore
import TapedeckMaintenance
import Testing

@Suite struct VariationLookTests {
    @Test(
        arguments: [
            ("1763719200", VariationLook.time), ("1763719200123", .time), ("1763719200.25", .time),
            ("2026-11-21T10:00:00Z", .time), ("Sat, 21 Nov 2026 10:00:00 GMT", .time),
            ("6f1b9c2e-7a4d-4f7e-9b1a-2d3c4e5f6071", .uuid), ("{{secret.nonce-2}}", .secret),
            ("7f3c1a9be2d4", .random), ("a8Kd9XwQ2mZp", .random), ("483920174839201748", .random),
        ]
    )
    func `values that change with each run are recognised by their form`(text: String, look: VariationLook) {
        #expect(VariationLook(text) == look)
    }

    @Test(
        arguments: [
            "", "swift", "page2", "production-1", "42", "12345678", "true", "application/json", "2", "en-GB", "v1.2.3",
            "release-2024-candidate", "hello world 12 and 34 more 56",
        ]
    )
    func `chosen values have no random form`(text: String) {
        #expect(VariationLook(text) == nil)
    }
}
