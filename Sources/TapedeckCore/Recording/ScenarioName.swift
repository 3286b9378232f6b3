/// The name of a variant that a recording is saved as, which is also the name of the profile that selects these variants.
package struct ScenarioName: Sendable, Hashable {
    /// A text that cannot be such a name.
    package struct Invalid: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The maximum length, in characters. 200.
    package static let limit = 200

    package let text: String

    /// - Throws: ``Invalid`` for a name that is empty or too long, has control characters or `=`, or belongs to a built-in
    ///   variant.
    package init(_ text: String) throws(Invalid) {
        guard !text.isEmpty, text.count <= Self.limit,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw Invalid(
                description: "the name of a variant has 1 to \(Self.limit) characters, none of them a control character"
            )
        }
        guard !text.contains("=") else {
            throw Invalid(description: "\"\(text)\" has a `=`, which `--profile` could not name; choose another name")
        }
        guard BuiltInVariant(rawValue: text) == nil else {
            throw Invalid(description: "every response set has a built-in variant \"\(text)\"; choose another name")
        }
        self.text = text
    }
}
