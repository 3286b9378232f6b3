extension YAMLParser {
    /// Up to this many keys are compared in pairs, without allocating; more go through a set.
    private static var pairwiseLimit: Int { 16 }

    /// Refuses a mapping in which two keys have the same text.
    func refuseDuplicateKeys(in mapping: Int) throws(YAMLError) {
        let count = Int(self.records[mapping].count)
        guard count > 1 else { return }
        guard count <= Self.pairwiseLimit else {
            try self.refuseDuplicateKeysOfLargeMapping(mapping)
            return
        }
        let end = Int(self.records[mapping].next)
        var later = self.nextKey(after: mapping + 1)
        while later < end {
            var earlier = mapping + 1
            while earlier < later {
                if self.haveSameText(earlier, later) {
                    throw self.duplicateKey(later, firstAt: Int(self.records[earlier].start))
                }
                earlier = self.nextKey(after: earlier)
            }
            later = self.nextKey(after: later)
        }
    }

    private func refuseDuplicateKeysOfLargeMapping(_ mapping: Int) throws(YAMLError) {
        let end = Int(self.records[mapping].next)
        var seen: [[UInt8]: Int] = [:]
        seen.reserveCapacity(Int(self.records[mapping].count))
        var key = mapping + 1
        while key < end {
            let text = YAMLScalarDecoder.bytes(of: self.records[key], base: self.base)
            if let first = seen.updateValue(Int(self.records[key].start), forKey: text) {
                throw self.duplicateKey(key, firstAt: first)
            }
            key = self.nextKey(after: key)
        }
    }

    /// The record of the key after `key`: behind its value with all its descendants.
    @inline(__always)
    private func nextKey(after key: Int) -> Int {
        Int(self.records[Int(self.records[key].next)].next)
    }

    private func haveSameText(_ left: Int, _ right: Int) -> Bool {
        let left = self.records[left]
        let right = self.records[right]
        guard left.isSimple && right.isSimple else {
            return YAMLScalarDecoder.bytes(of: left, base: self.base)
                == YAMLScalarDecoder.bytes(of: right, base: self.base)
        }
        let (leftRange, rightRange) = (left.inner, right.inner)
        guard leftRange.count == rightRange.count else { return false }
        for offset in 0..<leftRange.count {
            guard self.base[leftRange.lowerBound + offset] == self.base[rightRange.lowerBound + offset] else {
                return false
            }
        }
        return true
    }

    private func duplicateKey(_ key: Int, firstAt first: Int) -> YAMLError {
        let record = self.records[key]
        return self.error(
            "the key '\(self.excerpt(record.inner))' is on line \(self.line(of: first)) of this mapping already: "
                + "remove or rename one of them",
            at: Int(record.start)
        )
    }
}
