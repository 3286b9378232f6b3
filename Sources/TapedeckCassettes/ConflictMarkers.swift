import TapedeckCore
import TapedeckYAML

/// What git leaves in a file that two branches have changed, until a person has decided.
enum ConflictMarkers {
    /// Returns what to say of a text that is not YAML because of an error.
    static func problem(_ error: YAMLError, in source: [UInt8], path: String) -> Diagnostic {
        self.problem(in: source, path: path)
            ?? Diagnostic(severity: .error, path: path, line: error.line, column: error.column, message: error.message)
    }

    /// Returns what to say of a text that cannot be read, with the line of its first marker; `nil` if it has none.
    ///
    /// A line of a cassette's body never begins with a marker, as it is indented.
    private static func problem(in source: [UInt8], path: String) -> Diagnostic? {
        var line = 1
        var rest = source[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: ASCII.lineFeed) ?? rest.endIndex
            if rest[..<end].starts(with: "<<<<<<< ".utf8) {
                return Diagnostic(
                    severity: .error,
                    path: path,
                    line: line,
                    column: 1,
                    message:
                        "a merge conflict: git left the lines of both branches here. `git checkout --ours \(path)` "
                        + "takes those of the branch that you are on, `git checkout --theirs \(path)` those of the other "
                        + "one; docs/merging.md has a merge driver that keeps the response sets of both"
                )
            }
            rest = rest[min(end + 1, rest.endIndex)...]
            line += 1
        }
        return nil
    }
}
