/// Two response sets that can answer the same request, where nothing but their order in the file decides which does.
package struct Ambiguity: Sendable, Equatable {
    /// The set that is asked first, by its number on the tape.
    package var first: Int
    package var second: Int
    /// A request that both can answer, as far as method and URL go.
    package var request: RequestLine
}

extension Tape {
    /// The ties among its sets, by the order of the tape; at most one for each set that comes second.
    ///
    /// Method and URL of each have been tried on both sets. Conditions on the rest of a request (headers, cookies,
    /// body, state) count as possibly met together unless they plainly exclude each other. On a large tape not every
    /// pair is looked at: see the limits in `AmbiguitySearch`.
    package func ties() -> [Ambiguity] {
        var search = AmbiguitySearch(self)
        search.run()
        return search.found.values.sorted { ($0.second, $0.first) < ($1.second, $1.first) }
    }
}
