/// Finds the response set whose condition a body meets among the sets of one URL, however many there are: a GraphQL
/// API has one URL for everything.
struct BodyIndex: Sendable {
    /// What two conditions have in common that the same bodies meet.
    private struct Key: Hashable {
        enum Kind: UInt8 {
            case bytes
            case json
            case sha256
        }

        /// The first set of the chain of the URL.
        var chain: Int
        var kind: Kind
        var content: [UInt8]

        func hash(into hasher: inout Hasher) {
            hasher.combine(self.chain)
            hasher.combine(self.kind)
            self.content.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private var entries: [Key: Int] = [:]

    /// Adds the set `entry` of the chain that begins with `chain`. The first of two sets with the same condition stays.
    mutating func insert(_ condition: BodyMatcher, entry: Int, chain: Int) {
        let key =
            switch condition {
            case .bytes(let body): Key(chain: chain, kind: .bytes, content: body.decoded)
            case .json(let body): Key(chain: chain, kind: .json, content: Self.withoutSpace(body.content))
            case .sha256(let digest): Key(chain: chain, kind: .sha256, content: Array(digest.utf8))
            }
        if self.entries[key] == nil { self.entries[key] = entry }
    }

    /// The first set of the chain whose condition `body` meets.
    func first(matching body: ObservedBody, chain: Int) -> Int? {
        var found = [self.entries[Key(chain: chain, kind: .sha256, content: Array(body.sha256.utf8))]]
        if let bytes = body.bytes {
            found.append(self.entries[Key(chain: chain, kind: .bytes, content: bytes)])
            found.append(self.entries[Key(chain: chain, kind: .json, content: Self.withoutSpace(bytes))])
        }
        return found.compactMap { $0 }.min()
    }

    private static func withoutSpace(_ json: [UInt8]) -> [UInt8] {
        json.withUnsafeBytes { JSONLayout.compact.apply(to: $0) }
    }
}
