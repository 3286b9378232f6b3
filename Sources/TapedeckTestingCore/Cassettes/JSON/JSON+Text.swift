import TapedeckJSON

extension Tapedeck.JSON: CustomStringConvertible {
    /// The JSON text without white space between its parts. Strings have no escapes but those that RFC 8259 section 7
    /// asks for.
    public var text: String { String(decoding: self.value.compactText, as: UTF8.self) }

    /// The JSON text with a line for each member and item, two spaces a level.
    public var prettyText: String { String(decoding: self.value.prettyText, as: UTF8.self) }

    /// As ``text``.
    public var description: String { self.text }
}
