/// Rows for a terminal.
package enum TextTable {
    private static let gap = 2
    /// The narrowest that a column is made.
    private static let narrowest = 6

    /// Returns one line per row, each column as wide as its widest cell. All rows have as many cells as the first.
    ///
    /// - Parameter width: the columns of the terminal: cells of the widest columns are cut, with `…` in place of what is gone,
    ///   until the lines fit, as far as that can be. `nil` cuts nothing.
    package static func aligned(_ rows: [[String]], width: Int? = nil) -> [String] {
        var widths = (0..<(rows.first?.count ?? 0)).map { column in rows.map { $0[column].count }.max() ?? 0 }
        if let width { self.narrow(&widths, to: width) }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                let cell = cell.count > width ? self.cut(cell, to: width) : cell
                return cell + String(repeating: " ", count: max(0, width - cell.count))
            }
            let line = cells.joined(separator: String(repeating: " ", count: self.gap))
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// A path or a URL differs from others at its end, and is cut before it; a sentence is cut at its end.
    private static func cut(_ cell: String, to width: Int) -> String {
        guard cell.contains("/") else { return cell.prefix(width - 1) + "…" }
        let start = (width - 1) / 3
        return cell.prefix(start) + "…" + cell.suffix(width - 1 - start)
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
