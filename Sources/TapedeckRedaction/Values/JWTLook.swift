/// The compact form of a signed or encrypted token (RFC 7515 section 3.1, RFC 7516 section 3.1).
enum JWTLook {
    /// Returns the end of the token that begins at `index`.
    static func end(in text: UnsafeRawBufferPointer, at index: Int) -> Int? {
        let look = Self.look(in: text, at: index)
        return look.isToken ? look.end : nil
    }

    /// Returns if a token begins at `index`, and the end of the inspected text.
    static func look(in text: UnsafeRawBufferPointer, at index: Int) -> (isToken: Bool, end: Int) {
        // The base64 of `{"`.
        guard index + 20 <= text.count, text[index] == 0x65, text[index + 1] == 0x79, text[index + 2] == 0x4A else {
            return (false, index)
        }
        var end = index
        var parts: [Int] = []
        var start = index
        while true {
            while end < text.count, ByteClass.url.contains(text[end]) { end += 1 }
            parts.append(end - start)
            guard end < text.count, text[end] == 0x2E, parts.count < 5 else { break }
            end += 1
            start = end
        }
        guard parts.count >= 3, parts[0] >= 8, parts[1] >= 8 || parts.count == 5 else { return (false, end) }
        // The full stop of a sentence.
        if parts.last == 0, parts.count > 3 { end -= 1 }
        return (true, end)
    }
}
