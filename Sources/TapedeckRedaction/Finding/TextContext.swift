/// The context of a text that is searched.
struct TextContext: Sendable {
    /// The kind of text, which decides which of its words are names of fields.
    var kind: TextKind = .plain
    /// It is one URL from its first byte to its last.
    var isURL = false
    /// True for a part of a request: a password field has the user's password, whatever it looks like.
    var isRequest = false
    /// True where values that tell which machine it is stay: in base64, of which a made-up piece would not be as it is where
    /// the replay runs, and in requests that are compared by their digest.
    var leavesMachine = false
    /// The number of codings around it.
    var depth = 0

    static let depthLimit = 4

    var isForm: Bool { self.kind == .form }

    /// Returns the context of an encoded text within this one.
    func inner(_ text: UnsafeRawBufferPointer) -> TextContext {
        var kind = TextKind(of: text, type: nil)
        switch (self.kind, kind) {
        // Parts of a form are as much a form as the whole.
        case (.form, .plain), (.form, .assignments), (.form, .code): kind = .form
        case (.message, .plain), (.message, .assignments), (.message, .code): kind = .message
        default: break
        }
        let isURL = self.isURL && kind != .json && kind != .looseJSON
        return TextContext(
            kind: kind,
            isURL: isURL,
            isRequest: self.isRequest,
            leavesMachine: self.leavesMachine,
            depth: self.depth + 1
        )
    }
}
