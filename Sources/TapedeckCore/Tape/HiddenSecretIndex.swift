/// The sets with conditions on secrets, by the path of a request whose own secrets are unknown.
///
/// The key leaves out the segments of a path that have a placeholder. The positions of those segments are known for
/// each number of segments, and few: a look-up takes one step per combination of positions, for any number of sets.
struct HiddenSecretIndex: Sendable {
    /// By method and segments.
    private var sets: [[UInt8]: [Int32]] = [:]
    /// A bit for each segment that has a placeholder, by the number of segments.
    private var holes: [Int: [UInt64]] = [:]
    /// Those whose URL is a template, a pattern, or any.
    private var others: [Int32] = []

    /// - Parameter order: the sets in the order of asking.
    init(_ entries: [Tape.Entry], order: [Int32]) {
        for number in order {
            let entry = entries[Int(number)]
            guard !entry.secrets.isEmpty else { continue }
            guard case .exact(let url, let projection) = entry.matcher.url, projection.part != .origin else {
                if !entry.matcher.urlAsksForSecrets { self.others.append(number) }
                continue
            }
            let segments = Self.segments(projection.part == .url ? Self.target(url) : url[...])
            let holes = segments.indices.prefix(64).reduce(into: UInt64(0)) { holes, index in
                if !SecretMention.names(in: segments[index]).isEmpty { holes |= 1 << UInt64(index) }
            }
            if !self.holes[segments.count, default: []].contains(holes) {
                self.holes[segments.count, default: []].append(holes)
            }
            let methods = entry.matcher.methods.isEmpty ? [RequestKey.anyMethod] : entry.matcher.methods
            for method in methods { self.sets[Self.key(method, segments, holes), default: []].append(number) }
        }
    }

    /// The sets that may be meant, those of other URLs than exact ones last.
    func candidates(_ request: RequestFacts) -> [Int32] {
        let segments = Self.segments(request.path)
        var found: [Int32] = []
        for holes in self.holes[segments.count] ?? [] {
            for method in [request.method, RequestKey.anyMethod] {
                found += self.sets[Self.key(method, segments, holes)] ?? []
            }
        }
        return found + self.others
    }

    private static func target(_ url: [UInt8]) -> ArraySlice<UInt8> {
        var slashes = 0
        return url.drop { byte in
            if byte == ASCII.slash { slashes += 1 }
            return slashes < 3
        }
    }

    private static func segments(_ target: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        target.prefix { $0 != ASCII.question }.split(separator: ASCII.slash, omittingEmptySubsequences: false)
    }

    private static func key(_ method: String, _ segments: [ArraySlice<UInt8>], _ holes: UInt64) -> [UInt8] {
        var key = Array(method.utf8)
        for (index, segment) in segments.enumerated() {
            key.append(ASCII.slash)
            // No segment of a request has a bare space in it.
            if index < 64, holes & 1 << UInt64(index) != 0 { key.append(ASCII.space) } else { key += segment }
        }
        return key
    }
}
