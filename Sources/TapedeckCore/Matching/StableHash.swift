/// A hash that is the same in every run and on every machine (FNV-1a, 64 bits): names positions, and turns a seed into
/// draws.
enum StableHash {
    private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    static func of(_ text: String, seed: UInt64 = Self.start) -> UInt64 {
        var hash = seed
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        // A mark between one text and the next.
        return (hash ^ 0xFF) &* 0x0000_0100_0000_01B3
    }
}
