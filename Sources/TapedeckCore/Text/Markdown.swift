/// Texts for Markdown as GitHub and GitLab read it.
package enum Markdown {
    /// Returns a text for the cell of a table, with special characters escaped.
    package static func cell(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if "\\`*_[]<>|&".contains(character) { escaped.append("\\") }
            escaped.append(character.isNewline ? " " : character)
        }
        return escaped
    }

    /// Returns a row of a table.
    package static func row(_ cells: [String]) -> String {
        "| " + cells.map(self.cell).joined(separator: " | ") + " |"
    }
}
