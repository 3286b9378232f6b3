/// An error in a template, with its position.
package struct TemplateError: Error, Sendable, Equatable, CustomStringConvertible {
    package let message: String
    /// From the start of the text, 0-based, in characters.
    package let offset: Int
    /// 1-based.
    package let line: Int
    /// 1-based, in characters.
    package let column: Int

    /// An error at a byte of a text.
    init(_ message: String, in text: [UInt8], at index: Int) {
        let before = String(decoding: text.prefix(index), as: UTF8.self)
        self.message = message
        self.offset = before.count
        let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        self.line = lines.count
        self.column = (lines.last?.count ?? 0) + 1
    }

    package var description: String { "line \(self.line), column \(self.column) of the template: \(self.message)" }
}

/// An unknown name in a template, which would render empty.
package struct UnknownTemplateName: Sendable, Equatable, CustomStringConvertible {
    package let name: String
    /// The name that was probably meant.
    package let suggestion: String?

    package var description: String {
        "no value is called `\(self.name)`" + (self.suggestion.map { "; did you mean `\($0)`?" } ?? "")
    }
}
