/// Finds the response set whose condition a body meets among the sets of one URL, however many there are: a GraphQL
/// API has one URL for everything.
struct BodyIndex: Sendable {
    private struct Key: Hashable {
        /// The first set of the chain of the URL.
        var chain: Int
        var condition: BodyMatcher.Identity
    }

    private var entries: [Key: Int] = [:]

    /// Adds the set `entry` of the chain that begins with `chain`. The first of two sets with the same condition stays.
    mutating func insert(_ condition: BodyMatcher, entry: Int, chain: Int) {
        let key = Key(chain: chain, condition: condition.identity)
        if self.entries[key] == nil { self.entries[key] = entry }
    }

    /// The first set of the chain whose condition `body` meets.
    func first(matching body: ObservedBody, chain: Int) -> Int? {
        var found = [self.entries[Key(chain: chain, condition: .sha256(body.sha256))]]
        if let bytes = body.bytes {
            found.append(self.entries[Key(chain: chain, condition: .bytes(bytes))])
            found.append(self.entries[Key(chain: chain, condition: .json(bytes))])
        }
        return found.compactMap { $0 }.min()
    }
}
