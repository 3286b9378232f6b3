/// Rows for a terminal.
package enum TextTable {
    private static let gap = 2
    /// The narrowest that a column is made.
    private static let narrowest = 6

    /// Returns one line per row, each column as wide as its widest cell. All rows have as many cells as the first.
    ///
    /// - Parameter width: the columns of the terminal: cells of the widest columns are cut off, with `…` at their end, until
    ///   the lines fit, as far as that can be. `nil` cuts nothing off.
    package static func aligned(_ rows: [[String]], width: Int? = nil) -> [String] {
        var widths = (0..<(rows.first?.count ?? 0)).map { column in rows.map { $0[column].count }.max() ?? 0 }
        if let width { self.narrow(&widths, to: width) }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                let cell = cell.count > width ? cell.prefix(width - 1) + "…" : cell
                return cell + String(repeating: " ", count: max(0, width - cell.count))
            }
            let line = cells.joined(separator: String(repeating: " ", count: self.gap))
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func narrow(_ widths: inout [Int], to width: Int) {
        var excess = widths.reduce(0, +) + self.gap * max(0, widths.count - 1) - width
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > self.narrowest
        {
            widths[widest] -= 1
            excess -= 1
        }
    }
}
