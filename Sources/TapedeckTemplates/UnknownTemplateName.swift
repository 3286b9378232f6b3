/// A name in a template that nothing stands behind, and would be written as nothing.
package struct UnknownTemplateName: Sendable, Equatable, CustomStringConvertible {
    package let name: String
    /// What was probably meant.
    package let suggestion: String?

    package var description: String {
        "no value is called `\(self.name)`" + (self.suggestion.map { "; did you mean `\($0)`?" } ?? "")
    }
}
