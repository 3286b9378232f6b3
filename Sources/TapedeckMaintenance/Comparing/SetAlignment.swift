import TapedeckCassettes
import TapedeckCore

/// Finds the response sets of one cassette again in another.
enum SetAlignment {
    /// For each set of the first list its place in the second; `nil` where it has none there.
    ///
    /// What a set asks for comes first, as that is what it is; among sets that ask for the same, and for sets whose request
    /// was changed, the name.
    static func pairs(_ old: [ResponseSet], _ new: [ResponseSet]) -> [Int?] {
        let oldTexts = old.map(self.requestText)
        var free: [String: [Int]] = [:]
        for (place, set) in new.enumerated() { free[self.requestText(of: set), default: []].append(place) }
        var pairs = [Int?](repeating: nil, count: old.count)
        for (index, set) in old.enumerated() {
            guard let place = free[oldTexts[index]]?.firstIndex(where: { new[$0].name == set.name }) else { continue }
            pairs[index] = free[oldTexts[index]]?.remove(at: place)
        }
        for index in old.indices where pairs[index] == nil {
            guard let places = free[oldTexts[index]], !places.isEmpty else { continue }
            pairs[index] = free[oldTexts[index]]?.removeFirst()
        }
        let found = Set(pairs.compactMap { $0 })
        let named = Dictionary(new.enumerated().filter { !found.contains($0.offset) }.map { ($1.name, $0) }) {
            first,
            _ in
            first
        }
        for (index, set) in old.enumerated() where pairs[index] == nil { pairs[index] = named[set.name] }
        return pairs
    }

    /// All that says which requests a set answers and what comes of it but its variants, as YAML.
    static func requestText(of set: ResponseSet) -> String {
        var set = set
        set.name = "-"
        set.variants = [Variant(name: "-", takes: [Take()])]
        return String(decoding: CassetteWriter.item(set, indent: 0), as: UTF8.self)
    }

    /// Methods and URL without the query.
    static func place(of set: ResponseSet) -> String {
        String(set.request.line.prefix { $0 != "?" })
    }
}
