import TapedeckCore

/// Names of fields and parameters, as they are compared: `access_token`, `accessToken` and `Access-Token` are one.
enum FieldName {
    private static let longest = 96

    /// The part of a name that says what the value is, and a hash of it: `password` of `user[password]` and of
    /// `login.password`. `nil` for what is too long to be a name.
    static func key(_ name: UnsafeRawBufferPointer) -> (hash: UInt64, part: Range<Int>)? {
        guard !name.isEmpty, name.count <= Self.longest else { return nil }
        var end = name.count
        var start = 0
        if name[end - 1] == ASCII.closeBracket {
            end -= 1
            start = (name[..<end].lastIndex(of: ASCII.openBracket) ?? -1) + 1
            // `password[]` and `items[0]`.
            if name[start..<end].allSatisfy({ (0x30...0x39).contains($0) }) {
                end = max(0, start - 1)
                start = 0
            }
        }
        let separator = name[start..<end].lastIndex { $0 == 0x2E || $0 == ASCII.colon || $0 == 0x24 || $0 == ASCII.at }
        if let separator { start = separator + 1 }
        guard start < end else { return nil }
        return (Self.hash(name[start..<end]), start..<end)
    }

    static func hash(_ name: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name where byte != 0x5F && byte != 0x2D {
            hash = (hash ^ UInt64(ASCII.lowercased(byte))) &* 0x0000_0100_0000_01B3
        }
        return hash
    }

    /// Returns true if a name ends in a word, which is in lower case and has no separators.
    ///
    /// - Parameter asWord: true if a word of the name must begin there: `nextPageToken` ends in the word `pagetoken`,
    ///   `homepage_token` does not.
    static func ends(
        _ name: UnsafeRawBufferPointer,
        _ part: Range<Int>,
        in word: StaticString,
        asWord: Bool = false
    ) -> Bool {
        var index = part.upperBound
        var left = word.utf8CodeUnitCount
        while left > 0 {
            index -= 1
            guard index >= part.lowerBound else { return false }
            if name[index] == 0x5F || name[index] == 0x2D { continue }
            left -= 1
            guard ASCII.lowercased(name[index]) == word.utf8Start[left] else { return false }
        }
        guard asWord, index > part.lowerBound else { return true }
        let (before, first) = (name[index - 1], name[index])
        return before == 0x5F || before == 0x2D || (0x41...0x5A).contains(first) && !(0x41...0x5A).contains(before)
    }

    /// Returns the name of a secret at a place of this name: `accessToken` is `access_token`, `X-Api-Key` is `api_key`.
    static func placeholder(_ name: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var wasLower = false
        for byte in name {
            let isCapital = (0x41...0x5A).contains(byte)
            if isCapital, wasLower { text.append(0x5F) }
            wasLower = (0x61...0x7A).contains(byte)
            let isPart = isCapital || wasLower || (0x30...0x39).contains(byte)
            if isPart {
                text.append(ASCII.lowercased(byte))
            } else if !text.isEmpty, text.last != 0x5F {
                text.append(0x5F)
            }
        }
        if text.starts(with: [0x78, 0x5F]) { text.removeFirst(2) }
        while text.last == 0x5F { text.removeLast() }
        return text.isEmpty ? "secret" : String(decoding: text.prefix(48), as: UTF8.self)
    }
}
