import TapedeckPlatform

extension [UInt8] {
    /// Returns true if the bytes occur in these.
    func containsBytes(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, bytes.count <= self.count else { return bytes.isEmpty }
        return self.withUnsafeBytes { text in
            guard let base = text.baseAddress else { return false }
            var start = 0
            while start + bytes.count <= text.count {
                let rest = text.count - bytes.count + 1 - start
                guard let found = memchr(base + start, Int32(first), rest) else { return false }
                let place = UnsafeRawPointer(found) - base
                if memcmp(base + place, bytes, bytes.count) == 0 { return true }
                start = place + 1
            }
            return false
        }
    }
}
