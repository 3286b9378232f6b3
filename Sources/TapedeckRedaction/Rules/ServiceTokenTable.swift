import TapedeckCore

/// Finds tokens of services: by the two bytes that they begin with.
struct ServiceTokenTable: Sendable {
    /// One bit for each two bytes that a token begins with.
    private var starts = [UInt64](repeating: 0, count: 1024)
    private var tokens: [UInt16: [ServiceToken]] = [:]

    init(isOn: (String) -> Bool) {
        for token in ServiceToken.all where isOn(token.rule) {
            let bytes = Array(token.start.utf8.prefix(2))
            let pair = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
            self.tokens[pair, default: []].append(token)
            self.starts[Int(pair >> 6)] |= 1 << UInt64(pair & 63)
        }
    }

    /// The token that begins at `index`.
    @inline(__always)
    func token(
        in text: UnsafeRawBufferPointer,
        at index: Int,
        _ ends: inout ServiceToken.RunEnds
    ) -> (token: ServiceToken, length: Int)? {
        guard index + 1 < text.count else { return nil }
        let pair = UInt16(text[index]) << 8 | UInt16(text[index + 1])
        guard self.starts[Int(pair >> 6)] >> UInt64(pair & 63) & 1 != 0 else { return nil }
        return self.search(pair, text, index, &ends)
    }

    private func search(
        _ pair: UInt16,
        _ text: UnsafeRawBufferPointer,
        _ index: Int,
        _ ends: inout ServiceToken.RunEnds
    ) -> (token: ServiceToken, length: Int)? {
        for token in self.tokens[pair] ?? [] {
            if let length = token.length(in: text, at: index, &ends) { return (token, length) }
        }
        return nil
    }
}
