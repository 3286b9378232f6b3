import TapedeckCassettes
package import TapedeckControlAPI
import TapedeckCore

extension ImportReport {
    /// True if every entry of every file is played.
    package var isWhole: Bool { self.leftOut.isEmpty && self.unread.isEmpty }

    /// The report for a person: notes and entries left out, then a line for each cassette.
    package var lines: [String] {
        var lines = self.notes.map { "note: \($0.line)" } + self.leftOut.map { "left out: \($0.line)" }
        lines += self.unread.map { "not read: \($0.line)" }
        for cassette in self.cassettes {
            var line =
                "\(cassette.path): \(cassette.played) of \(Plural.text(cassette.entries, "entry", "entries"))"
            line += " from \(cassette.formats.joined(separator: ", "))"
            if !cassette.secrets.isEmpty {
                line += "; replaced by placeholders: \(SecretNames.summary(cassette.secrets))"
            }
            lines.append(line)
        }
        if self.cassettes.isEmpty { lines.append("nothing to play: no cassette is written") }
        return lines
    }
}

extension ImportReport.Remark {
    /// `traffic.har:120: reason`, or `flows.mitm, entry 3: reason`.
    package var line: String {
        if self.number == 0 { return "\(self.file): \(self.reason)" }
        let place = self.position == "line" ? ":\(self.number)" : ", \(self.position) \(self.number)"
        return "\(self.file)\(place): \(self.reason)"
    }
}

extension ExportReport {
    /// The report for a person.
    package var lines: [String] { self.leftOut.map { "not in the file: \($0.set): \($0.reason)" } }
}
