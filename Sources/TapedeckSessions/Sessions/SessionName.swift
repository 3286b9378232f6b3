/// Ids and tokens of sessions.
enum SessionName {
    /// No vowels, which could form words, and no similar characters, so that it can be read aloud.
    private static let alphabet = Array("23456789bcdfghjkmnpqrstvwxyz")

    /// An id that begins with the name, as far as it can: letters, digits, `-`, `_` and `.`, at most 40 characters.
    ///
    /// - Parameter deck: comes before all that, with a hyphen.
    static func id(for name: String?, deck: String? = nil) -> String {
        let prefix = deck.map { "\($0)-" } ?? ""
        let limit = 31 - prefix.utf8.count
        var stem = ""
        for character in name ?? "" where stem.utf8.count < limit {
            if character.isASCII, character.isLetter || character.isNumber || character == "_" || character == "." {
                stem.append(character)
            } else if !stem.isEmpty, stem.last != "-" {
                stem.append("-")
            }
        }
        while stem.last == "-" { stem.removeLast() }
        return prefix + (stem.isEmpty ? self.random(12) : "\(stem)-\(self.random(8))")
    }

    /// More than 128 random bits.
    static func token() -> String {
        self.random(28)
    }

    private static func random(_ count: Int) -> String {
        // The system's generator is one for cryptography on Linux and Darwin.
        String((0..<count).compactMap { _ in self.alphabet.randomElement() })
    }
}
