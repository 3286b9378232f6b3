import TapedeckControlAPI

/// A request of a journal for a terminal: one line, and others where something is worth saying.
struct JournalLines {
    let lines: [String]

    init(_ entry: JournalEntryModel) {
        let parts = [
            "\(entry.number)", Self.time(entry.time), Self.answer(entry),
            "\(entry.method) \(entry.shownURL ?? entry.url)",
            Self.source(entry), entry.stream.map { "h2 stream \($0)" } ?? "",
            entry.milliseconds.map(Self.milliseconds) ?? "",
        ]
        self.lines = [parts.filter { !$0.isEmpty }.joined(separator: "  ")] + Self.remarks(entry)
    }

    /// The time of day of an RFC 3339 time.
    private static func time(_ text: String) -> String {
        guard let start = text.firstIndex(of: "T") else { return text }
        return String(text[text.index(after: start)...].prefix { $0.isNumber || $0 == ":" || $0 == "." })
    }

    private static func answer(_ entry: JournalEntryModel) -> String {
        entry.status.map(String.init) ?? Self.fault(of: entry) ?? (entry.ending == nil ? "…" : "---")
    }

    private static func fault(of entry: JournalEntryModel) -> String? {
        entry.fault.map { fault in entry.code.map { "\(fault) \($0)" } ?? fault }
    }

    private static func source(_ entry: JournalEntryModel) -> String {
        switch entry.outcome {
        case "played": entry.played.map { "\($0.set) / \($0.variant)" } ?? "played"
        case "passedThrough": "passed through"
        default: entry.outcome
        }
    }

    private static func milliseconds(_ number: Double) -> String {
        // Two digits say enough of what is quick.
        number < 10 ? "\((number * 10).rounded() / 10) ms" : "\(Int(number.rounded())) ms"
    }

    private static func remarks(_ entry: JournalEntryModel) -> [String] {
        var remarks: [String] = []
        if let unmatched = entry.unmatched { remarks.append(unmatched.message) }
        if let reason = entry.reason {
            remarks.append(entry.outcome == "refused" ? "refused: \(reason)" : "not recorded: \(reason)")
        }
        if let note = entry.note { remarks.append("note: \(note)") }
        if let fault = Self.fault(of: entry), entry.status != nil { remarks.append("with the fault \(fault)") }
        if entry.ending == "abandoned" { remarks.append("the client left before the answer was complete") }
        return remarks.map { "    \($0)" }
    }
}
