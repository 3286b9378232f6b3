/// Why a text is no pattern or URL template.
package struct PatternError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and where, in plain words: "missing closing parenthesis at character 12".
    package var message: String
    /// How many characters of the source were read when the fault showed, so also the number of the last of them.
    package var offset: Int

    package init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }

    /// A fault with its place in words.
    init(_ fault: String, atCharacter number: Int) {
        self.init(message: "\(fault) at character \(max(1, number))", offset: number)
    }

    package var description: String {
        self.message
    }
}
