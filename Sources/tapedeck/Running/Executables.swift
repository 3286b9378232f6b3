import TapedeckDeck
import TapedeckPlatform

/// The programs that a shell would find.
enum Executables {
    /// True if a word names a program: by its path, or by its name in one of the folders of PATH.
    static func contains(_ word: String) -> Bool {
        if word.contains("/") { return self.isExecutable(word) }
        let folders = ProcessEnvironment.value("PATH")?.split(separator: ":") ?? []
        return folders.contains { self.isExecutable("\($0)/\(word)") }
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
