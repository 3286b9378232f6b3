/// Counts with singular and plural.
package enum Plural {
    /// Returns the number with its noun: `1 take`, `2 takes`.
    package static func text(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
