/// How often each set of a tape was asked. Takes memory only for the parts of a tape that are played: a session that
/// asks for ten sets of a hundred thousand is as small as one on a tape of ten.
struct HitCounts: Sendable {
    /// Sets on one page.
    private static let pageSize = 256

    private var pages: [[UInt32]] = []

    subscript(_ set: Int) -> Int {
        let page = set / Self.pageSize
        guard page < self.pages.count, !self.pages[page].isEmpty else { return 0 }
        return Int(self.pages[page][set % Self.pageSize])
    }

    mutating func add(_ set: Int, _ count: Int = 1) {
        guard count > 0 else { return }
        let page = set / Self.pageSize
        while page >= self.pages.count { self.pages.append([]) }
        if self.pages[page].isEmpty { self.pages[page] = Array(repeating: 0, count: Self.pageSize) }
        self.pages[page][set % Self.pageSize] &+= UInt32(truncatingIfNeeded: count)
    }
}
