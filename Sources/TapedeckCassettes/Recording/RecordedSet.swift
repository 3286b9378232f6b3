import TapedeckCore

/// A response set that a recording adds to a cassette.
struct RecordedSet {
    var request: RecordedRequest
    /// The conditions that tell it from other sets of its method and URL.
    var headers: [RequestMatcher.Field]
    var body: BodyMatcher?
    var takes: [Take]
    /// The number of the first request.
    var first: Int

    /// Sorts by URL, method and first request, which does not depend on who answered first.
    static func precedes(_ left: RecordedSet, _ right: RecordedSet) -> Bool {
        let leftKey = left.request.sortKey
        let rightKey = right.request.sortKey
        return leftKey == rightKey ? left.first < right.first : leftKey.lexicographicallyPrecedes(rightKey)
    }

    var matcher: RequestMatcher {
        RequestMatcher(
            methods: self.request.method.map { [$0] } ?? [],
            url: self.request.url,
            headers: self.headers,
            body: self.body.map { [$0] } ?? []
        )
    }
}

/// A recording, sorted into the response sets of a cassette.
struct SortedRecording {
    /// The takes that go into sets of the cassette, by the number of the set.
    var takes: [Int: [Take]] = [:]
    /// The sets that are new, in their order.
    var new: [RecordedSet] = []

    /// How many exchanges it holds.
    var count: Int {
        self.takes.values.reduce(0) { $0 + $1.count } + self.new.reduce(0) { $0 + $1.takes.count }
    }
}
