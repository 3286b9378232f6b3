/// The expectations of a test, checked when the session ends.
struct Ledger: Sendable {
    struct Expectation: Sendable {
        enum Kind: Sendable {
            case count(RequestMatcher, ExpectedCount)
            case order([RequestMatcher])
        }

        var kind: Kind
        var place: CodePlace
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
    /// Numbers of unmatched requests that were expected, or told already.
    var pardoned: Set<Int> = []
    /// The problems while the test ran, reported at its end.
    var troubles: [TestIssue] = []
    /// True if it has been checked for the last time.
    var isOver = false
    private var lastName = 0

    /// A name that no other response set of the session has, as one may be there twice for the same request.
    mutating func name(_ kind: String, _ request: RequestMatcher) -> String {
        self.lastName += 1
        return "\(kind) \(self.lastName): \(request)"
    }
}
