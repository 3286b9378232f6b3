import TapedeckCassettes
package import TapedeckControlAPI
import TapedeckCore

extension ImportReport {
    /// True if every entry of every file is played.
    package var isWhole: Bool { self.leftOut.isEmpty && self.unread.isEmpty }

    /// The report for a person: notes and entries left out, then a line for each cassette.
    package var lines: [String] {
        var lines = Self.lines(self.notes).map { "note: \($0)" } + Self.lines(self.leftOut).map { "left out: \($0)" }
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
        if self.cassettes.isEmpty { lines.append("nothing to play: no cassette is written or changed") }
        return lines
    }
}

extension ImportReport {
    /// The most entries of one file that are listed with one reason. 3.
    private static let sameLimit = 3

    /// A line for each remark; remarks of one file with one reason are one line if they are many.
    private static func lines(_ remarks: [Remark]) -> [String] {
        var counts: [[String]: Int] = [:]
        for remark in remarks { counts[[remark.file, remark.reason], default: 0] += 1 }
        var seen: Set<[String]> = []
        return remarks.compactMap { remark in
            let key = [remark.file, remark.reason]
            guard let count = counts[key], count > self.sameLimit else { return remark.line }
            guard seen.insert(key).inserted else { return nil }
            return "\(remark.place), and \(count - 1) more: \(remark.reason)"
        }
    }
}

extension ImportReport.Remark {
    /// `traffic.har:120: reason`, or `flows.mitm, entry 3: reason`.
    package var line: String { "\(self.place): \(self.reason)" }

    fileprivate var place: String {
        guard self.number > 0 else { return self.file }
        return self.file + (self.position == "line" ? ":\(self.number)" : ", \(self.position) \(self.number)")
    }
}

extension ExportReport {
    /// The report for a person.
    package var lines: [String] { self.leftOut.map { "not in the file: \($0.set): \($0.reason)" } }
}
