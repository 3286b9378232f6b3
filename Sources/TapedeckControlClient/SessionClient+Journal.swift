package import TapedeckControlAPI

/// An event of a session.
package enum SessionEvent: Sendable, Equatable {
    /// A request came, or what became of it has changed.
    case entry(JournalEntryModel)
    /// The session's state: the first of all events, and after each change.
    case session(SessionModel)
    /// The number of entries that were dropped before they could be sent.
    case missed(Int)
    /// The session is over; nothing follows.
    case ended
}

extension SessionClient {
    /// A filter for journal entries; every part is optional.
    package struct JournalFilter: Sendable {
        /// Only entries with a higher number, the oldest of them first.
        package var after: Int?
        /// Only entries with a smaller number.
        package var before: Int?
        /// The maximum number: the newest, or with ``after`` the oldest.
        package var limit: Int?
        package var outcome: String?
        /// In method, URL or the name of what answered.
        package var search: String?
        /// With headers and bodies.
        package var bodies = false

        package init() {}
    }

    /// A page of the journal, oldest first.
    package func journal(_ filter: JournalFilter = JournalFilter()) throws(ControlError) -> JournalPage {
        try self.client.get(
            self.path("journal"),
            query: [
                ("after", filter.after.map(String.init)), ("before", filter.before.map(String.init)),
                ("limit", filter.limit.map(String.init)), ("outcome", filter.outcome), ("search", filter.search),
                ("bodies", filter.bodies ? "true" : nil),
            ]
        )
    }

    /// Returns one entry, with headers and bodies.
    ///
    /// - Parameter bodyLimit: the maximum bytes of a body, at most 1 MiB; `nil` means 64 KiB.
    package func entry(_ number: Int, bodyLimit: Int? = nil) throws(ControlError) -> JournalEntryModel {
        try self.client.get(self.path("journal", "\(number)"), query: [("limit", bodyLimit.map(String.init))])
    }

    /// The entries whose request matches.
    ///
    /// - Parameter matcher: the `request` of a response set, written as JSON.
    package func journal(
        matching matcher: String,
        _ filter: JournalFilter = JournalFilter()
    ) throws(ControlError) -> JournalPage {
        let body = try self.client.object([
            "request": matcher,
            "outcome": try filter.outcome.map { text throws(ControlError) in try self.client.text(text) },
            "limit": filter.limit.map(String.init),
            "after": filter.after.map(String.init),
            "bodies": filter.bodies ? "true" : nil,
        ])
        return try self.client.ask(ControlRequest("POST", self.path("journal", "query"), body: body))
    }

    /// Waits until a number of requests match, or, with `never`, for the time to pass without one.
    ///
    /// - Parameters:
    ///   - matcher: the `request` of a response set, written as JSON.
    ///   - time: the maximum time in whole milliseconds, at most 5 minutes.
    ///   - after: only entries with a higher number count.
    package func wait(
        for matcher: String,
        count: Int = 1,
        within time: Duration = .seconds(5),
        never: Bool = false,
        after: Int? = nil
    ) throws(ControlError) -> WaitResult {
        let body = try self.client.object([
            "request": matcher,
            "count": never ? nil : "\(count)",
            "within": "\"\(ControlRequest.milliseconds(time))\"",
            "never": never ? "true" : nil,
            "after": after.map(String.init),
        ])
        let request = ControlRequest("POST", self.path("journal", "wait"), body: body)
        return try self.client.ask(request, patience: time)
    }

    /// Returns texts about requests of the session with placeholders in place of their secrets.
    package func shown(_ texts: [String]) throws(ControlError) -> [String] {
        let body = try self.client.encode(ShownTexts(texts: texts))
        let answer: ShownTexts = try self.client.ask(ControlRequest("POST", self.path("texts"), body: body))
        return answer.texts
    }

    /// Calls `handle` with events until it returns `false` or the session ends.
    ///
    /// - Parameter version: begin with entries that have changed after this version; `nil` begins with future ones.
    /// - Throws: ``ControlError``, also of the kind `interrupted` when the deck stops; and errors of `handle`.
    package func follow(after version: Int? = nil, _ handle: (SessionEvent) throws -> Bool) throws {
        struct Missed: Decodable { var count: Int }

        var request = ControlRequest("GET", self.path("events"), query: [("after", version.map(String.init))])
        request.accepts = "text/event-stream"
        let wasEnded = try self.client.transport.follow(request) { event in
            let data = Array(event.data.utf8)
            switch event.name {
            case "entry": return try handle(.entry(try self.client.decode(data)))
            case "session": return try handle(.session(try self.client.decode(data)))
            case "missed": return try handle(.missed((try self.client.decode(data) as Missed).count))
            case "ended":
                _ = try handle(.ended)
                return false
            // A newer deck may tell of more.
            default: return true
            }
        }
        if !wasEnded {
            throw ControlError(.interrupted, "the deck at \(self.client.url) has stopped")
        }
    }
}

extension ControlClient {
    /// An object of members that are JSON already; see ``ControlJSON/object(_:)``.
    func object(_ members: KeyValuePairs<String, String?>) throws(ControlError) -> [UInt8] {
        do {
            return try ControlJSON.object(members)
        } catch {
            throw ControlError(.notUnderstood, "this cannot be written as JSON: \(error)")
        }
    }

    /// A text as JSON.
    func text(_ text: String) throws(ControlError) -> String {
        String(decoding: try self.encode(text), as: UTF8.self)
    }
}
