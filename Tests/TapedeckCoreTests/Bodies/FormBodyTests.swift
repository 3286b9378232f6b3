import TapedeckCore
import Testing

@Suite
struct FormBodyTests {
    private func parse(_ text: String) -> [[String]] {
        Array(text.utf8).withUnsafeBytes { FormBody.parse($0) }.map { [$0.name, $0.value] }
    }

    @Test(arguments: [
        ("a=1&b=2", [["a", "1"], ["b", "2"]]), ("", []), ("a", [["a", ""]]), ("a=", [["a", ""]]), ("=1", [["", "1"]]),
        ("a=1&&a=2&", [["a", "1"], ["a", "2"]]), ("a=b=c", [["a", "b=c"]]), ("a+b=c+d%20e%2B", [["a b", "c d e+"]]),
        ("%61=%c3%A9", [["a", "é"]]), ("a=%", [["a", "%"]]), ("a=%4&b=%zz%41", [["a", "%4"], ["b", "%zzA"]]),
        ("é=日", [["é", "日"]]), ("a=%26%3D&b=;", [["a", "&="], ["b", ";"]]), ("a=%%41", [["a", "%A"]]),
    ])
    func readsNamesAndValuesInOrder(_ body: String, _ fields: [[String]]) {
        #expect(self.parse(body) == fields)
    }

    @Test func keepsBytesThatAreNotUTF8() {
        let fields = self.parse("a=%FF%C3x&b=%C3%28")
        #expect(fields.map { ByteText.bytes(of: $0[1]) } == [[0xFF, 0xC3, 0x78], [0xC3, 0x28]])
    }
}
