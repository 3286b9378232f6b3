/// Bounds of what is read from a file of another tool.
package struct ForeignLimits: Sendable {
    /// The maximum nesting depth of lists and maps.
    package var maximumDepth = 128
    /// The maximum expanded size of a document's aliases, in bytes.
    package var maximumAliasedBytes = 64 << 20
    /// True if NEL, LS and PS end lines, as in YAML 1.1.
    package var takesUnicodeLineEnds = true

    package init() {}
}

/// A reason for which a file of another tool cannot be read.
package struct ForeignError: Error, Sendable, Equatable {
    package let message: String
    /// The line, counted from 1.
    package let line: Int
    /// The byte of the line, counted from 1.
    package let column: Int

    package init(message: String, line: Int, column: Int) {
        self.message = message
        self.line = line
        self.column = column
    }
}
