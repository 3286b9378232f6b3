/// Literal text that every match of a pattern contains, so that a subject without it need not be tried.
package struct RequiredLiterals: Sendable, Equatable {
    /// The subject begins with it. Empty where unknown, and always for ``Pattern/Scope/anywhere``.
    package var prefix: [UInt8]
    /// Each is somewhere in the subject. The prefix is not repeated here.
    package var pieces: [[UInt8]]

    /// Creates empty literals by default.
    package init(prefix: [UInt8] = [], pieces: [[UInt8]] = []) {
        self.prefix = prefix
        self.pieces = pieces
    }

    /// Reads them from the source of a case-sensitive pattern that PCRE2 accepts. Anything not clearly understood
    /// yields no literal: a missing one costs time, a wrong one would lose matches.
    init(readingPattern source: [UInt8], scope: Pattern.Scope) {
        var reader = LiteralReader(source)
        self.init()
        guard reader.read() else { return }
        var pieces = reader.pieces
        if scope == .whole, let length = reader.prefixLength, !pieces.isEmpty {
            self.prefix = Array(pieces.removeFirst().prefix(length))
        }
        self.pieces = pieces
    }
}
