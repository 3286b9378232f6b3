import TapedeckCore
import TestShare
import Testing

@Suite
struct ByteTextTests {
    private func expectRoundTrip(_ bytes: [UInt8]) {
        let text = ByteText.string(from: bytes)
        #expect(ByteText.bytes(of: text) == bytes)
        #expect(bytes.withUnsafeBytes { ByteText.string(from: $0) } == text)
    }

    @Test func everySingleByteComesBack() {
        for byte in UInt8.min...UInt8.max {
            self.expectRoundTrip([byte])
            self.expectRoundTrip([0x61, byte, 0x62])
        }
    }

    @Test func everyPairOfBytesBeyondASCIIComesBack() {
        for first in 0x80...UInt8.max {
            for second in 0x80...UInt8.max {
                #expect(ByteText.bytes(of: ByteText.string(from: [first, second])) == [first, second])
            }
        }
    }

    @Test(arguments: seeds(4))
    func randomBytesComeBack(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        // Bytes that begin and continue sequences, so that whole, cut and overlong ones come up often.
        let awkward: [UInt8] = [0x41, 0x80, 0x8F, 0xBE, 0xBF, 0xC0, 0xC3, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let bytes = (0..<count).map { _ in
                Bool.random(using: &generator)
                    ? awkward.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            self.expectRoundTrip(bytes)
        }
    }

    @Test(arguments: [
        "", "plain", "Grüße", "日本語", "😀", "\u{0}\u{7F}\u{85}", "\u{FEFF}", "\u{10FF00}", "\u{10FF7F}", "\u{FFFFF}",
    ])
    func textStaysAsItIs(_ text: String) {
        #expect(ByteText.string(from: Array(text.utf8)) == text)
        #expect(ByteText.bytes(of: text) == Array(text.utf8))
    }

    @Test func bytesThatAreNotUTF8BecomeOneCharacterEach() {
        #expect(ByteText.string(from: [0x41, 0xE9, 0x42]) == "A\u{10FFE9}B")
        #expect(ByteText.string(from: [0x80, 0xFF]) == "\u{10FF80}\u{10FFFF}")
        // Cut, overlong, and a surrogate.
        #expect(ByteText.string(from: [0xC3]) == "\u{10FFC3}")
        #expect(ByteText.string(from: [0xC0, 0xAF]) == "\u{10FFC0}\u{10FFAF}")
        #expect(ByteText.string(from: [0xED, 0xA0, 0x80]) == "\u{10FFED}\u{10FFA0}\u{10FF80}")
    }

    @Test func textThatHoldsAnEscapeItselfIsTakenApart() {
        for value in UInt32(0x10FF80)...0x10FFFF {
            let text = Unicode.Scalar(value).map(String.init) ?? ""
            let bytes = Array("a\(text)é".utf8)
            let safe = ByteText.string(from: bytes)
            #expect(!safe.unicodeScalars.contains { $0.value == value } || bytes.contains(UInt8(value & 0xFF)))
            #expect(ByteText.bytes(of: safe) == bytes)
        }
    }

    @Test func appendKeepsWhatWasThere() {
        var bytes: [UInt8] = [1, 2]
        ByteText.append("a\u{10FFE9}", to: &bytes)
        ByteText.append("b", to: &bytes)
        #expect(bytes == [1, 2, 0x61, 0xE9, 0x62])
    }
}
