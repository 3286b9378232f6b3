import TapedeckCore
import Testing

@Suite struct SecretPlaceholderTests {
    @Test(arguments: ["{{secret.token}}", "{{secret.api_key-2}}", "{{secret.token#17}}", "{{secret.token#3:base64}}"])
    func `A placeholder reads back unchanged`(text: String) throws {
        let found = SecretPlaceholder.all(in: "a \(text) b")
        #expect(found.map(\.placeholder.text) == [text])
        #expect(found.first?.range == 2..<(2 + text.utf8.count))
    }

    @Test(arguments: ["{{secret.}}", "{{secret.a b}}", "{{secret.a}", "{{secret.a:rot13}}", "{{any.uuid}}"])
    func `Text that is not a placeholder is unchanged`(text: String) {
        #expect(SecretPlaceholder.all(in: text).isEmpty)
        #expect(SecretPlaceholder.replacing(in: text) { _ in "x" } == text)
    }

    /// The bytes behind each part would make it whole.
    @Test func `A truncated placeholder is not a placeholder`() {
        let bytes = Array("{ {{secret.token}}".utf8)
        for end in bytes.indices {
            bytes.withUnsafeBytes { bytes in
                let part = UnsafeRawBufferPointer(rebasing: bytes[..<end])
                #expect(SecretPlaceholder.all(in: part).isEmpty, "\(end)")
            }
        }
        #expect(bytes.withUnsafeBytes { SecretPlaceholder.all(in: $0) }.count == 1)
    }

    @Test func `Each of several secrets is replaced in its place`() {
        let text = SecretPlaceholder.replacing(in: "{{secret.a}}-{{secret.b}}-{{secret.a}}") { $0.name.uppercased() }
        #expect(text == "A-B-A")
    }
}
