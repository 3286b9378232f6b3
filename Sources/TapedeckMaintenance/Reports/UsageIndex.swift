import TapedeckCore

/// The usage of a cassette's sets, found by their names and requests.
struct UsageIndex {
    private struct Key: Hashable {
        var name: String
        var request: String
    }

    private let sets: [Key: [CassetteUsage.SetUsage]]

    init(_ usage: CassetteUsage) {
        self.sets = Dictionary(grouping: usage.sets) { Key(name: $0.name, request: $0.request) }
    }

    /// Returns the recorded uses of a response set that still has the same name and request.
    func usage(of set: ResponseSet) -> [CassetteUsage.SetUsage] {
        self.sets[Key(name: set.name, request: set.request.line)] ?? []
    }
}
