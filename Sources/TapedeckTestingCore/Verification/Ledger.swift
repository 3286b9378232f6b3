/// The expectations of a test, checked when the session ends.
struct Ledger: Sendable {
    struct Expectation: Sendable {
        enum Kind: Sendable {
            /// - time: each was answered within it.
            case count(RequestMatcher, ExpectedCount, within: Duration?)
            case condition(any RequestCondition, ExpectedCount)
            case order([RequestMatcher])
        }

        var kind: Kind
        var place: CodePlace

        /// The expectation in the test's words.
        var words: String {
            switch self.kind {
            case .count(let matcher, _, _): matcher.description
            case .condition(let condition, _): condition.words
            case .order(let matchers): matchers.map(\.description).joined(separator: ", then ")
            }
        }
    }

    /// A response set that the test added.
    struct Added: Sendable {
        enum Kind: Sendable {
            case stub
            /// Hitting it fails the test, for this reason.
            case unimplemented(String)
            case hold
        }

        var name: String
        var request: String
        var kind: Kind
        var place: CodePlace
    }

    var expectations: [Expectation] = []
    /// In the order in which they were added.
    var added: [Added] = []
    /// Why requests did not match conditions of the test's own, by their numbers.
    var mismatches: [Int: [String]] = [:]
    /// The requests that the test sent itself, a line each.
    var sent: [String] = []
    /// Numbers of unmatched requests that were expected, or told already.
    var pardoned: Set<Int> = []
    /// The problems while the test ran, reported at its end.
    var troubles: [TestIssue] = []
    /// True if the test has ended its recording, and got what there is to say of it.
    var hasFinishedRecording = false
    /// True if it has been checked for the last time.
    var isOver = false
    private var lastName = 0

    /// Why nothing answered a request, with what conditions of the test's own say; `nil` for one that is not unmatched.
    func mismatch(of exchange: Tapedeck.Exchange) -> String? {
        guard let mismatch = exchange.mismatch else { return nil }
        let own = self.mismatches[exchange.number] ?? []
        // A laxer tape is not to answer a request that the test itself refuses.
        let proposal = own.isEmpty ? [exchange.ignoring].compactMap(\.self) : []
        return ([mismatch] + own + proposal).joined(separator: "\n    ")
    }

    /// A name that no other response set of the session has, as one may be there twice for the same request.
    mutating func name(_ kind: String, _ request: String) -> String {
        "\(kind) \(self.nextNumber()): \(request)"
    }

    /// A number that was not given before.
    mutating func nextNumber() -> Int {
        self.lastName += 1
        return self.lastName
    }
}
