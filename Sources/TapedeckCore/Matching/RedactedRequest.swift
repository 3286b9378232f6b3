/// A request with placeholders in place of its secrets, as far as matching needs it.
///
/// A secret whose value is not on tape has no name yet: only a match with a set assigns one (``SecretBindings``). Until
/// then a number identifies it.
package struct RedactedRequest: Sendable {
    /// A secret that the tape does not know.
    package struct Unknown: Sendable, Hashable {
        /// The number of the value, stable as long as ``RedactedRequest/vault`` is the same.
        package var number: Int
        /// The name that its place suggests.
        package var name: String

        package init(number: Int, name: String) {
            self.number = number
            self.name = name
        }
    }

    /// The vault that issued the numbers.
    package let vault: Int
    /// In the order of the request, each once.
    package let unknown: [Unknown]
    /// True if a secret occurs in another form, such as percent-encoded, that matching decodes.
    package let hasForms: Bool
    /// The names of secrets that have one certain value, out of the environment.
    package let fixed: Set<String>
    /// The names of its secrets that the tape knows, as their values were played.
    package let known: Set<String>
    /// True if secrets that no rule finds have been searched.
    package var isSearched = false
    /// Returns a function that tells if the value of a number looks like a secret of the tape with a shape.
    let look: @Sendable (_ number: Int) -> ((_ shape: String) -> Bool)?
    /// Returns the SHA-256 digest of the value of a number, or of that value with small ASCII letters.
    let digest: @Sendable (_ number: Int, _ inLowerCase: Bool) -> String?
    private let make: @Sendable (_ names: [Int: String], _ isPlain: Bool) -> MatchRequest

    /// - Parameters:
    ///   - look: see ``look``.
    ///   - digest: see ``digest``.
    ///   - make: the request with these names for the unknown secrets, and their own for others; `isPlain` leaves out the
    ///     forms that matching undoes.
    package init(
        vault: Int,
        unknown: [Unknown],
        hasForms: Bool,
        fixed: Set<String> = [],
        known: Set<String> = [],
        look: @escaping @Sendable (_ number: Int) -> ((_ shape: String) -> Bool)? = { _ in nil },
        digest: @escaping @Sendable (_ number: Int, _ inLowerCase: Bool) -> String? = { _, _ in nil },
        make: @escaping @Sendable (_ names: [Int: String], _ isPlain: Bool) -> MatchRequest
    ) {
        self.vault = vault
        self.unknown = unknown
        self.hasForms = hasForms
        self.fixed = fixed
        self.known = known
        self.look = look
        self.digest = digest
        self.make = make
    }

    func matchRequest(_ attempt: SecretBindings.Attempt) -> MatchRequest {
        self.make(attempt.names, attempt.isPlain)
    }
}
