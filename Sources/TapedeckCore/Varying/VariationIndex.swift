/// The recorded sets of a tape by what does not vary of their requests, so that few must be compared.
package final class VariationIndex: Sendable {
    private struct Item: Sendable {
        var entry: Int
        /// `nil` for a set without a condition on the body, or one that is not looked into here.
        var body: Int?
    }

    /// The number of the tape.
    package let serial: Int
    private let items: [Int: [Item]]

    /// Reads all requests of a tape once: takes time in proportion to it.
    package init(_ tape: Tape) {
        self.serial = tape.serial
        var items: [Int: [Item]] = [:]
        for (number, entry) in tape.entries.enumerated() {
            guard case .exact(let bytes, let projection) = entry.matcher.url, projection.part != .origin,
                entry.set.firstRecorded != nil
            else { continue }
            let skeleton = VaryingSkeleton([tape.cassettes[entry.cassette].surroundings])
            let url = RequestFacts.ofURL(bytes, part: projection.part)
            let target = skeleton.target(url, hasQuery: projection.query != .none)
            for method in entry.matcher.methods {
                items[VaryingSkeleton.key(method, target), default: []].append(
                    Item(entry: number, body: skeleton.body(of: entry.set.request.body.first))
                )
            }
        }
        self.items = items
    }

    /// Returns the sets that may be for a request, in no order.
    ///
    /// - Parameter hasBody: false if the body is not known, so that it does not count.
    func candidates(_ request: RequestFacts, _ surroundings: Surroundings, _ tape: Tape, hasBody: Bool) -> [Int] {
        let recorded = tape.cassettes.map(\.surroundings)
        let skeleton = VaryingSkeleton(recorded + [surroundings])
        var found: [Int] = []
        let body = hasBody ? skeleton.body(of: request) : nil
        for hasQuery in [true, false] {
            let target = skeleton.target(request, hasQuery: hasQuery)
            for item in self.items[VaryingSkeleton.key(request.method, target)] ?? [] {
                if let wanted = item.body, let body, wanted != body { continue }
                if !found.contains(item.entry) { found.append(item.entry) }
            }
        }
        return found
    }
}

/// Hashes of what does not vary in requests: equal for two that differ only in values that do.
struct VaryingSkeleton {
    private let surroundings: [Surroundings]
    private let names: Set<String>

    init(_ surroundings: [Surroundings]) {
        self.surroundings = surroundings
        self.names = surroundings.reduce(into: []) { $0.formUnion($1.values.keys) }
    }

    static func key(_ method: String, _ target: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(method)
        hasher.combine(target)
        return hasher.finalize()
    }

    func target(_ url: RequestFacts, hasQuery: Bool) -> Int {
        var hasher = Hasher()
        self.combine(ByteText.string(from: url.path), into: &hasher)
        // Ignored parameters count on one side only, so that their number does not.
        hasher.combine(hasQuery)
        return hasher.finalize()
    }

    /// `nil` for bodies that are compared without this.
    func body(of condition: BodyMatcher?) -> Int? {
        switch condition {
        case .json(let body, let comparison) where comparison.ignoredPaths.isEmpty:
            JSONValue.inBody(body).map(self.hash)
        default: nil
        }
    }

    /// `nil` for bodies that are compared without this.
    func body(of request: RequestFacts) -> Int? { request.json.map(self.hash) }

    private func hash(_ json: JSONValue) -> Int {
        var hasher = Hasher()
        self.combine(GraphQLRequest.normalised(json), "", into: &hasher)
        return hasher.finalize()
    }

    private func combine(_ json: JSONValue, _ name: String, into hasher: inout Hasher) {
        switch json {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        // Numbers of any value, as times and process ids differ; they are compared later.
        case .number: hasher.combine(1)
        case .string(let text): self.combine(text, into: &hasher)
        case .array(let items):
            hasher.combine(items.count)
            for item in items { self.combine(item, "", into: &hasher) }
        case .object(let members):
            let sorted = JSONMembers(members).counting.sorted { $0.name.precedesText($1.name) }
            hasher.combine(sorted.count)
            for member in sorted {
                hasher.combine(member.name)
                self.combine(member.value, member.name, into: &hasher)
            }
        }
    }

    private func combine(_ text: String, into hasher: inout Hasher) {
        // The whole value of a field may be any of its kind.
        if self.surroundings.contains(where: { $0.values.values.joined().contains(text) }) { return hasher.combine(2) }
        let masked = self.surroundings.reduce(text) { $1.masked($0, names: self.names) }
        for token in VaryingToken.all(of: ByteText.bytes(of: masked)) {
            switch token {
            case .separator(let byte): hasher.combine(byte)
            case .word(let word) where word.count < RandomWord.shortest: hasher.combine(bytes: Array(word))
            case .word(let word): hasher.combine(word.count)
            case .uuid: hasher.combine(3)
            case .time: hasher.combine(4)
            case .local: hasher.combine(5)
            }
        }
    }
}

extension Hasher {
    fileprivate mutating func combine(bytes: [UInt8]) {
        bytes.withUnsafeBytes { self.combine(bytes: $0) }
    }
}
