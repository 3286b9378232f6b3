/// A place in a text as people count it.
package struct YAMLPosition: Equatable, Hashable, Sendable {
    /// The line, counted from 1.
    package let line: Int

    /// The column, counted from 1, in characters (Unicode scalars).
    package let column: Int

    /// Makes a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
