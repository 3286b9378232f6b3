import TapedeckCore
import TapedeckPlatform

extension UnsafeRawBufferPointer {
    /// Returns the place of `bytes`, from an index on.
    func range(of bytes: [UInt8], from index: Int) -> Range<Int>? {
        var index = index
        guard let first = bytes.first else { return nil }
        if bytes.count > 64 { return self.range(ofLong: bytes, from: index) }
        while index + bytes.count <= self.count, let found = self.index(of: first, from: index) {
            guard found + bytes.count <= self.count else { return nil }
            if self[found..<(found + bytes.count)].elementsEqual(bytes) { return found..<(found + bytes.count) }
            index = found + 1
        }
        return nil
    }

    /// The algorithm of Knuth, Morris and Pratt, whose work is linear in the text, whatever repeats in it.
    private func range(ofLong bytes: [UInt8], from index: Int) -> Range<Int>? {
        guard index + bytes.count <= self.count else { return nil }
        // The length of the beginning that also precedes each place.
        var repeated = [0]
        repeated.reserveCapacity(bytes.count)
        var length = 0
        for place in 1..<bytes.count {
            while length > 0, bytes[place] != bytes[length] { length = repeated[length - 1] }
            if bytes[place] == bytes[length] { length += 1 }
            repeated.append(length)
        }
        length = 0
        for place in index..<self.count {
            while length > 0, self[place] != bytes[length] { length = repeated[length - 1] }
            if self[place] == bytes[length] { length += 1 }
            if length == bytes.count { return (place + 1 - length)..<(place + 1) }
        }
        return nil
    }

    /// Returns the next place of a byte.
    func index(of byte: UInt8, from index: Int) -> Int? {
        guard index < self.count, let base = self.baseAddress else { return nil }
        return memchr(base + index, Int32(byte), self.count - index).map { UnsafeRawPointer($0) - base }
    }

    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Returns true if `text`, which is in lower case, is at an index in any case.
    func has(_ text: StaticString, at index: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index >= 0, index + length <= self.count else { return false }
        for offset in 0..<length where ASCII.lowercased(self[index + offset]) != text.utf8Start[offset] { return false }
        return true
    }
}
