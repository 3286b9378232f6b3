/// The context of a text that is searched.
struct TextContext: Sendable {
    /// Which of its words are names of fields.
    var kind: TextKind = .plain
    /// It is one URL from its first byte to its last.
    var isURL = false
    /// It is part of a request: a field for a password holds the user's, whatever it looks like.
    var isRequest = false
    /// How many codings were taken off to get at it.
    var depth = 0

    static let depthLimit = 4

    var isForm: Bool { self.kind == .form }

    /// Returns the context of a text that stands in this one in a coding.
    func inner(_ text: UnsafeRawBufferPointer) -> TextContext {
        var kind = TextKind(of: text, type: nil)
        switch (self.kind, kind) {
        // Parts of a form are as much a form as the whole.
        case (.form, .plain), (.form, .assignments), (.form, .code): kind = .form
        case (.message, .plain), (.message, .assignments), (.message, .code): kind = .message
        default: break
        }
        let isURL = self.isURL && kind != .json && kind != .looseJSON
        return TextContext(kind: kind, isURL: isURL, isRequest: self.isRequest, depth: self.depth + 1)
    }
}
