import TapedeckCassettes
import TapedeckCore

/// Finds the response sets of one cassette again in another.
enum SetAlignment {
    /// Returns the place in the second list for each set of the first; `nil` if it has none.
    ///
    /// Pairs sets by their requests first, then by name: sets with equal requests, and those whose request was changed.
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

    /// Returns the requests of a set and its other properties, except its variants, as YAML.
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
