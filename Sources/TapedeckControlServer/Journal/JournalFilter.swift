import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// A filter for journal entries.
struct JournalFilter: Sendable {
    /// Only entries with a higher number, the oldest of them first; else the newest there are.
    var after: Int?
    var before: Int?
    var outcome: String?
    /// A text in the method, the URL, or the name of the set or variant that answered, without regard to case.
    var search: String?
    var matcher: JournalMatcher?
    var limit = 100

    /// The entries, the oldest first. A matcher's state is the session's of now.
    func view(of session: Session) -> SessionJournal.View {
        let start = (self.after ?? -1) + 1
        var view = session.journal.view(
            numbers: start..<max(start, self.before ?? .max),
            limit: self.needsMore ? .max : self.limit,
            fromEnd: self.after == nil
        ) { entry in
            self.outcome.map { $0 == JournalEntryModel.outcome(of: entry) } ?? true
        }
        // Slow work is done with the journal's entries, not under its lock.
        if self.needsMore { view.entries = self.filtered(view.entries, state: session.values) }
        return view
    }

    private var needsMore: Bool { self.matcher != nil || !(self.search ?? "").isEmpty }

    private func filtered(_ entries: [JournalEntry], state: [String: String]) -> [JournalEntry] {
        let scratch = PatternScratch()
        let search = ASCII.lowercased(self.search ?? "")
        var found: [JournalEntry] = []
        for entry in self.after == nil ? entries.reversed() : entries where found.count < self.limit {
            guard search.isEmpty || Self.text(of: entry).contains(search) else { continue }
            if let matcher = self.matcher {
                guard case .matches = matcher.judge(entry, state: state, scratch: scratch) else { continue }
            }
            found.append(entry)
        }
        return self.after == nil ? found.reversed() : found
    }

    private static func text(of entry: JournalEntry) -> String {
        var parts = [entry.request.line.description]
        if case .played(let answer) = entry.outcome {
            let names = answer.names
            parts += [names.set, names.variant]
        }
        return ASCII.lowercased(parts.joined(separator: "\n"))
    }
}
