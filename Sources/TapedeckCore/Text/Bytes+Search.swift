import TapedeckPlatform

extension [UInt8] {
    /// Returns true if the bytes occur in these.
    func containsBytes(_ bytes: [UInt8]) -> Bool { self.firstPlace(of: bytes) != nil }

    /// The place of the bytes in these, the first if there are several.
    func firstPlace(of bytes: [UInt8]) -> Int? {
        self.withUnsafeBytes { text in
            bytes.withUnsafeBytes { text.firstPlace(of: $0) }
        }
    }

    /// Returns true if the bytes occur in these as a whole word.
    ///
    /// - Parameter isPart: returns false for a byte that may be beside a word; by default for all but ASCII letters and digits.
    func containsWord(_ word: [UInt8], isPart: (UInt8) -> Bool = WordBoundary.isPart) -> Bool {
        guard let first = word.first, self.containsBytes(word) else { return false }
        return self.indices.contains { self[$0] == first && self.isWord(word, at: $0, isPart: isPart) }
    }

    /// Returns these bytes with others in place of a whole word.
    func replacingWord(_ word: [UInt8], with other: [UInt8]) -> [UInt8] {
        guard let first = word.first, self.containsBytes(word) else { return self }
        var result: [UInt8] = []
        var index = 0
        while index < self.count {
            if self[index] == first, self.isWord(word, at: index, isPart: WordBoundary.isPart) {
                result += other
                index += word.count
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
            && (index == 0 || !isPart(self[index - 1])
                || self.withUnsafeBufferPointer { WordBoundary.isEscape($0, before: index) })
            && (end == self.count || !isPart(self[end]))
    }
}

extension UnsafeRawBufferPointer {
    /// The place of the bytes in these, the first if there are several.
    func firstPlace(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard let first = bytes.first, let wanted = bytes.baseAddress else { return 0 }
        guard let base = self.baseAddress else { return nil }
        var start = 0
        while start + bytes.count <= self.count,
            let found = memchr(base + start, Int32(first), self.count - bytes.count + 1 - start)
        {
            let place = UnsafeRawPointer(found) - base
            if memcmp(found, wanted, bytes.count) == 0 { return place }
            start = place + 1
        }
        return nil
    }
}

/// The beginnings and ends of words.
enum WordBoundary {
    /// True for ASCII letters and digits.
    static func isPart(_ byte: UInt8) -> Bool { ASCII.isUnreserved(byte) && !"-._~".utf8.contains(byte) }

    /// True behind another byte, and behind an escape.
    static func isStart(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        index == 0 || !Self.isPart(text[index - 1]) || Self.isEscape(text, before: index)
    }

    /// True behind `%2F` and the like, and behind `\n` and the like of JSON.
    static func isEscape(_ text: UnsafeBufferPointer<UInt8>, before index: Int) -> Bool {
        if index >= 2, text[index - 2] == ASCII.backslash { return "nrtbf".utf8.contains(text[index - 1]) }
        return index >= 3 && text[index - 3] == ASCII.percent && ASCII.hexValue(text[index - 2]) != nil
            && ASCII.hexValue(text[index - 1]) != nil
    }
}
