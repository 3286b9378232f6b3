import TapedeckControlAPI
import TapedeckCore
import TapedeckRedaction
import TapedeckSessions

extension JournalEntryModel {
    /// Returns the entry with display texts for its URL, headers and bodies, by the session's knowledge of secrets.
    func shown(by session: Session, _ entry: JournalEntry) -> JournalEntryModel {
        var model = self
        let url = session.shown(entry.request.line).url.description
        // In canonical form, so what differs in spelling alone is the same.
        if url.contains(SecretPlaceholder.start) { model.shownURL = url }
        model.note = self.note.map(session.shown)
        if case .unmatched(let report) = entry.outcome {
            model.unmatched?.ignoring = report.ignoring(paths: session.paths)
        }
        guard self.request != nil || self.response != nil else { return model }
        var exchange = RecordedExchange(
            number: self.number,
            method: self.method,
            url: self.url,
            requestHeaders: self.request?.searchedFields ?? [],
            requestBody: .bytes(self.request?.searchedText ?? []),
            response: RecordedResponse(),
            time: 0
        )
        exchange.response.headers = self.response?.searchedFields ?? []
        exchange.response.body = .bytes(self.response?.searchedText ?? [])
        let shown = try? session.shown(exchange)
        model.request?.show(shown?.requestHeaders, shown?.requestBody)
        model.response?.show(shown?.response.headers, shown?.response.body)
        return model
    }
}

extension JournalEntryModel.Message {
    /// The number of bytes of a text that are searched. Fewer are shown, so that a secret that begins in them is
    /// searched as a whole.
    private static let searchLimit = 8 << 10
    private static let showLimit = 1 << 10
    /// Shown where a part could not be searched, such as by a pattern that takes too long.
    private static let unsearched = "(not shown: its secrets could not be looked for)"

    /// The fields that are searched: a content coding is undone in `text`.
    fileprivate var searchedFields: [HeaderField] {
        self.headers.map { HeaderField(Self.isCoding($0) ? "x" : $0.first ?? "", $0.dropFirst().first ?? "") }
    }

    fileprivate var searchedText: [UInt8] {
        Array((self.body?.text ?? self.body?.shownText ?? "").utf8.prefix(Self.searchLimit))
    }

    private static func isCoding(_ field: [String]) -> Bool {
        field.first.map { ASCII.equalsIgnoringCase($0, "content-encoding") } ?? false
    }

    /// - Parameter fields: what was made of the searched ones; `nil` where they could not be searched.
    fileprivate mutating func show(_ fields: [HeaderField]?, _ body: RecordedBody?) {
        let shown = zip(self.headers, fields?.map(\.value) ?? self.headers.map { _ in Self.unsearched })
            .map { [$0.first ?? "", $1] }
        if shown != self.headers { self.shownHeaders = shown }
        let searched = self.searchedText
        guard !searched.isEmpty else { return }
        guard case .bytes(let text) = body else {
            self.body?.shownText = Self.unsearched
            return
        }
        // The messages of a call are no text of the body.
        guard text != searched || self.body?.text == nil else { return }
        // Removing long secrets could make text visible that the search has cut off.
        let isInView = searched.count == Self.searchLimit && text.count < Self.searchLimit / 2
        self.body?.shownText = isInView ? Self.unsearched : String(decoding: text.prefix(Self.showLimit), as: UTF8.self)
    }
}
