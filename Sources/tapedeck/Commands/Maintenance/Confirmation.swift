#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Asks the person at the terminal.
enum Confirmation {
    /// Whether there is one to ask.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Whether the answer is `y` or `yes`; anything else, and the end of the input, is no.
    static func ask(_ question: String) -> Bool {
        Terminal.note("\(question) [y/N]")
        return ["y", "yes"].contains(Terminal.readAnswer()?.lowercased())
    }
}
