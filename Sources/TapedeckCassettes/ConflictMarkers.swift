import TapedeckCore
import TapedeckYAML

/// The conflict markers that git leaves in a file that two branches changed.
enum ConflictMarkers {
    /// Returns the diagnostic for a file that is not valid YAML: the merge conflict if it has one, else the syntax error.
    static func problem(_ error: YAMLError, in source: [UInt8], path: String) -> Diagnostic {
        self.problem(in: source, path: path)
            ?? Diagnostic(severity: .error, path: path, line: error.line, column: error.column, message: error.message)
    }

    /// Returns the diagnostic for the first conflict marker of a file; `nil` if it has none.
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
                        + "one; `tapedeck help merging` has a merge driver that keeps the response sets of both"
                )
            }
            rest = rest[min(end + 1, rest.endIndex)...]
            line += 1
        }
        return nil
    }
}
