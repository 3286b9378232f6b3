/// Words of a shell's command line.
package enum ShellWord {
    /// A word as a POSIX shell takes it, in quotes if it needs some.
    package static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=@%+,".contains($0) }
        return isPlain ? word : self.inQuotes(word)
    }

    /// A word in single quotes, within which a POSIX shell expands nothing.
    package static func inQuotes(_ word: String) -> String {
        "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
