/// Texts that a person or a program chooses, unlike random values, times and numbers.
package enum ChosenText {
    package static func isChosen(_ text: String) -> Bool {
        VaryingToken.all(of: ByteText.bytes(of: text)).allSatisfy { token in
            switch token {
            case .separator: true
            case .word(let word): RandomWord.isChosen(word)
            case .uuid, .time, .local: false
            }
        } && text.utf8.contains { !(0x30...0x39).contains($0) }
    }
}
