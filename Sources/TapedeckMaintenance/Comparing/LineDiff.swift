import TapedeckCore

/// The lines in which two texts differ.
package enum LineDiff {
    /// Longer texts are compared from their first to their last differing line, as one piece. 2,000 lines.
    private static let searchLimit = 2_000

    /// Returns removed lines after `- ` and added lines after `+ `, in the order of the texts; empty if both are equal.
    ///
    /// - Parameter limit: the maximum number of lines; the last one gives the number of further ones.
    package static func lines(from old: String, to new: String, limit: Int = 40) -> [String] {
        self.lines(from: self.split(old), to: self.split(new), limit: limit)
    }

    private static func split(_ text: String) -> [Substring] {
        // A carriage return and a line feed are one character.
        text.split(omittingEmptySubsequences: false) { $0.isNewline }
    }

    private static func lines(from old: [Substring], to new: [Substring], limit: Int) -> [String] {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
        let changed = self.changes(
            from: Array(old[start..<(old.count - end)]),
            to: Array(new[start..<(new.count - end)])
        )
        guard changed.count > limit else { return changed }
        return changed.prefix(limit) + ["… and \(changed.count - limit) more lines"]
    }

    private static func changes(from old: [Substring], to new: [Substring]) -> [String] {
        guard old.count <= self.searchLimit, new.count <= self.searchLimit else {
            return old.map { "- \($0)" } + new.map { "+ \($0)" }
        }
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [String] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if removed.contains(left) {
                lines.append("- \(old[left])")
                left += 1
            } else if inserted.contains(right) {
                lines.append("+ \(new[right])")
                right += 1
            } else {
                left += 1
                right += 1
            }
        }
        return lines
    }
}
