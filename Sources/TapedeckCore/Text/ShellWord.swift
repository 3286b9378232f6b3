/// Words of a shell's command line.
package enum ShellWord {
    /// A word as a POSIX shell takes it.
    package static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=@%+,".contains($0) }
        return isPlain ? word : "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
