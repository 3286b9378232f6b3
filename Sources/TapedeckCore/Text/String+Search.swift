import TapedeckPlatform

extension String {
    /// Returns true if it contains `text`, byte by byte: a line feed counts even after a carriage return, which Swift
    /// joins with it into one character.
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
