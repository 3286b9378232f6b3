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

    /// Returns true if the bytes occur in these as a whole word.
    ///
    /// - Parameter isPart: returns false for a byte that may be beside a word; by default for all but ASCII letters and digits.
    func containsWord(_ word: [UInt8], isPart: (UInt8) -> Bool = Self.isPartOfWord) -> Bool {
        guard let first = word.first, self.containsBytes(word) else { return false }
        return self.indices.contains { self[$0] == first && self.isWord(word, at: $0, isPart: isPart) }
    }

    /// Returns these bytes with others in place of a whole word.
    func replacingWord(_ word: [UInt8], with other: [UInt8]) -> [UInt8] {
        guard let first = word.first, self.containsBytes(word) else { return self }
        var result: [UInt8] = []
        var index = 0
        while index < self.count {
            if self[index] == first, self.isWord(word, at: index, isPart: Self.isPartOfWord) {
                result += other
                index += word.count
            } else {
                result.append(self[index])
                index += 1
            }
        }
        return result
    }

    /// Returns these bytes with others in place of whole words, of which the longest counts. What is put in is not searched
    /// again.
    func replacingWords(_ pairs: [(from: [UInt8], to: [UInt8])]) -> [UInt8] {
        let present = pairs.filter { !$0.from.isEmpty && self.containsBytes($0.from) }
            .sorted { $0.from.count > $1.from.count }
        guard !present.isEmpty else { return self }
        let byFirst = Dictionary(grouping: present) { $0.from[0] }
        var result: [UInt8] = []
        result.reserveCapacity(self.count)
        var index = 0
        while index < self.count {
            let found = byFirst[self[index]]?.first { self.isWord($0.from, at: index, isPart: Self.isPartOfWord) }
            if let found {
                result += found.to
                index += found.from.count
            } else {
                result.append(self[index])
                index += 1
            }
        }
        return result
    }

    private func isWord(_ word: [UInt8], at index: Int, isPart: (UInt8) -> Bool) -> Bool {
        let end = index + word.count
        return self[index...].starts(with: word)
            && (index == 0 || !isPart(self[index - 1]) || self.isPercentEncoded(before: index))
            && (end == self.count || !isPart(self[end]))
    }

    /// Returns true behind `%2F` and the like.
    private func isPercentEncoded(before index: Int) -> Bool {
        index >= 3 && self[index - 3] == ASCII.percent && ASCII.hexValue(self[index - 2]) != nil
            && ASCII.hexValue(self[index - 1]) != nil
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) && !"-._~".utf8.contains(byte)
    }
}
