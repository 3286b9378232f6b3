import TapedeckImport

/// The result of an import: every entry of every file is played or stands here with a reason.
package struct ImportReport: Encodable, Sendable {
    /// A cassette that was written.
    package struct Written: Encodable, Sendable {
        package let path: String
        /// The files that it was made of, in the order of their entries.
        package var files: [String] = []
        package var formats: [String] = []
        package var entries = 0
        package var played = 0
        /// The names of the placeholders that stand for secrets in it.
        package var secrets: [String] = []
    }

    /// Something of a file that needs a word.
    package struct Remark: Encodable, Sendable {
        package let file: String
        /// `line`, or `entry` in a file without lines.
        package let position: String
        /// Counted from 1; 0 is the file as a whole.
        package let number: Int
        package let reason: String

        /// `traffic.har:120: reason`, or `flows.mitm, entry 3: reason`.
        package var line: String {
            if self.number == 0 { return "\(self.file): \(self.reason)" }
            let place = self.position == "line" ? ":\(self.number)" : ", \(self.position) \(self.number)"
            return "\(self.file)\(place): \(self.reason)"
        }
    }

    package var cassettes: [Written] = []
    /// Entries of all files.
    package var entries = 0
    package var played = 0
    /// Entries that are not played.
    package var leftOut: [Remark] = []
    /// Files that could not be read, or that no format recognises.
    package var unread: [Remark] = []
    /// The parts that are played differently from the file.
    package var notes: [Remark] = []

    package init() {}

    /// True if every entry of every file is played.
    package var isWhole: Bool { self.leftOut.isEmpty && self.unread.isEmpty }

    /// The report for a person: notes and entries left out, then a line for each cassette.
    package var lines: [String] {
        var lines = self.notes.map { "note: \($0.line)" } + self.leftOut.map { "left out: \($0.line)" }
        lines += self.unread.map { "not read: \($0.line)" }
        for cassette in self.cassettes {
            var line =
                "\(cassette.path): \(cassette.played) of \(DeckSummary.count(cassette.entries, "entry", "entries"))"
            line += " from \(cassette.formats.joined(separator: ", "))"
            if !cassette.secrets.isEmpty {
                line += "; replaced by placeholders: \(cassette.secrets.joined(separator: ", "))"
            }
            lines.append(line)
        }
        if self.cassettes.isEmpty { lines.append("nothing to play: no cassette is written") }
        return lines
    }
}
