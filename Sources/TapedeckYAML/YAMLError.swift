/// An error in a YAML text, with its position.
package struct YAMLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error and how to fix it.
    package let message: String

    /// The line, counted from 1.
    package let line: Int

    /// The column, counted from 1, in characters (Unicode scalars).
    package let column: Int

    /// Makes an error for a known place.
    package init(message: String, line: Int, column: Int) {
        self.message = message
        self.line = line
        self.column = column
    }

    /// The place and the message on one line.
    package var description: String {
        "line \(self.line), column \(self.column): \(self.message)"
    }
}
