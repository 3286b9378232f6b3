package import TapedeckCore

/// The rules that apply to a recording, compiled: the built-in ones, without those that are off, and the user's own.
package struct RedactionRules: Sendable {
    /// The ids of the built-in rules, in the order in which they are documented.
    package static let builtInIDs = ["authorization"]

    /// The built-in rules alone.
    package static let builtIn = RedactionRules()

    private init() {}

    /// - Parameters:
    ///   - settings: of the cassettes and of the project; all of them apply.
    ///   - environment: the deck's, where rules name variables. One that is not set, or is shorter than four characters,
    ///     is a rule that finds nothing; ``missing`` names it.
    /// - Throws: for an unknown id. Every rule has a name that can stand in a placeholder, or is given one.
    package init(_ settings: [RedactionSettings], environment: [String: String]) throws(RedactionError) {}

    /// The environment variables that a rule names and that are not set.
    package let missing: [String] = []
}
