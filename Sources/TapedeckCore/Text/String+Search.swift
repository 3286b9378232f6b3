import TapedeckPlatform

extension String {
    /// Whether `text` stands somewhere in it, byte by byte: a line feed is one also behind a carriage return, which
    /// Swift takes for one character with it.
    func containsText(_ text: String) -> Bool {
        var (whole, piece) = (self, text)
        return whole.withUTF8 { whole in
            piece.withUTF8 { piece in
                guard let first = piece.first, let pieceStart = piece.baseAddress else { return true }
                var rest = whole
                while let start = rest.baseAddress, rest.count >= piece.count,
                    let found = memchr(start, Int32(first), rest.count - piece.count + 1)
                {
                    if memcmp(found, pieceStart, piece.count) == 0 { return true }
                    let skipped = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
                    rest = UnsafeBufferPointer(rebasing: rest[skipped...])
                }
                return false
            }
        }
    }
}
