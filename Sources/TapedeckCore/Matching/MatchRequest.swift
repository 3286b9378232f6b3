/// A request, as far as matching may ask about it.
package struct MatchRequest: Sendable {
    package var key: RequestKey
    /// The header fields; may be left out where ``Tape/asksForFields`` is false.
    package var fields: [HeaderField]
    /// `nil` when the body is not known: it was not read, or is too large to keep.
    package var body: ObservedBody?
    /// The same request with placeholders in place of its secrets; needed where ``Tape/asksForSecrets``.
    package var redacted: RedactedRequest?
    /// True if the request is forwarded, and not recorded, where nothing on tape is for it.
    package var passesUnlessOnTape = false

    package init(_ key: RequestKey, fields: [HeaderField] = [], body: ObservedBody? = .empty) {
        self.key = key
        self.fields = fields
        self.body = body
    }
}
