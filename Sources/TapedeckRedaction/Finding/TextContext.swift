/// What is known of a text that is searched.
struct TextContext: Sendable {
    /// It is `name=value&name=value`, with `+` for a space.
    var isForm = false
    /// It is one URL from its first byte to its last.
    var isURL = false
    /// How many codings were taken off to get at it.
    var depth = 0

    static let depthLimit = 4

    /// The context of what stands in it in a coding.
    var inner: TextContext { TextContext(isForm: self.isForm, isURL: self.isURL, depth: self.depth + 1) }
}
