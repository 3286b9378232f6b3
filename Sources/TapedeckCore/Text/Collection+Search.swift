extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies a condition that none does up to some place, and each from there on.
    package func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (self.startIndex, self.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
