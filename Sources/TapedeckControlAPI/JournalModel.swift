/// One request of a session, and its outcome.
package struct JournalEntryModel: Codable, Sendable, Equatable {
    /// Counts the requests of a session, from 1.
    package var number: Int
    /// Another, larger number each time that the entry changes.
    package var version: Int
    /// RFC 3339, with milliseconds.
    package var time: String
    package var method: String
    package var url: String
    /// The version of HTTP that the client spoke: `h2`, `http/1.1` or `http/1.0`.
    package var `protocol`: String
    /// The stream of HTTP/2 on its connection; missing over HTTP/1.
    package var stream: Int?
    /// The URL for display, with placeholders in place of its secrets; missing if it has no secrets.
    package var shownURL: String?
    /// `pending`, `played`, `recorded`, `passedThrough`, `unmatched`, `refused` or `cancelled`.
    package var outcome: String
    /// Missing while there is no answer, and for a fault that has no response.
    package var status: Int?
    package var fault: String?
    /// The error code of HTTP/2 that went with the fault, such as `CANCEL`; missing where it was the usual one.
    package var code: String?
    /// For `played`: what answered.
    package var played: Played?
    /// For `unmatched`: why nothing did.
    package var unmatched: Unmatched?
    /// For `refused`, and for what was not recorded although the session records: why.
    package var reason: String?
    /// A remark about the request's route, or about a body that differs from the recorded one; often missing.
    package var note: String?
    /// From the end of the request's head to the end of the answer; missing until then.
    package var milliseconds: Double?
    /// `complete`, `cut`, `reset` or `abandoned`; missing until the answer has ended.
    package var ending: String?
    package var requestBytes: Int
    package var responseBytes: Int
    package var mediaType: String?
    /// Present if the whole entry was requested.
    package var request: Message?
    package var response: Message?

    package struct Played: Codable, Sendable, Equatable {
        package var set: String
        package var cassette: String
        package var variant: String
        /// The number of the variant's take, from 1.
        package var take: Int
        /// By which rule the set matched.
        package var rule: String
        /// The time of the recording (RFC 3339); missing for what a person wrote.
        package var recorded: String?

        package init(
            set: String,
            cassette: String,
            variant: String,
            take: Int,
            rule: String,
            recorded: String? = nil
        ) {
            self.set = set
            self.cassette = cassette
            self.variant = variant
            self.take = take
            self.rule = rule
            self.recorded = recorded
        }
    }

    package struct Unmatched: Codable, Sendable, Equatable {
        /// A word for programs, as in the body of the 501.
        package var reason: String
        package var message: String
        package var remedy: String
        /// How to let the places differ that separate the request from the nearest set, if they can be ignored.
        package var ignoring: String?
        /// The nearest first.
        package var nearest: [NearMiss]

        package init(reason: String, message: String, remedy: String, nearest: [NearMiss]) {
            self.reason = reason
            self.message = message
            self.remedy = remedy
            self.nearest = nearest
        }
    }

    package struct NearMiss: Codable, Sendable, Equatable {
        package var set: String
        package var cassette: String
        package var parts: [Part]

        package init(set: String, cassette: String, parts: [Part]) {
            self.set = set
            self.cassette = cassette
            self.parts = parts
        }
    }

    /// A condition of a set, and the actual value.
    package struct Part: Codable, Sendable, Equatable {
        package var name: String
        package var wanted: String
        package var came: String
        package var isMet: Bool
        /// The difference in words, of a condition that is not met: `query page is 3, the tape has 1`.
        package var difference: String?

        package init(name: String, wanted: String, came: String, isMet: Bool, difference: String?) {
            self.name = name
            self.wanted = wanted
            self.came = came
            self.isMet = isMet
            self.difference = difference
        }
    }

    package struct Message: Codable, Sendable, Equatable {
        /// In the order and case of the wire; each a name and a value.
        package var headers: [[String]]
        /// The headers with placeholders in place of their secrets, for people; missing if there are none.
        package var shownHeaders: [[String]]?
        package var body: Body?

        package init(headers: [[String]], body: Body?) {
            self.headers = headers
            self.body = body
        }
    }

    /// A body without its content coding.
    package struct Body: Codable, Sendable, Equatable {
        /// For text and JSON.
        package var text: String?
        /// The first KiB of the text for display, with placeholders in place of its secrets; missing if it has no
        /// secrets. Of a call of gRPC the messages, as text by field numbers or as JSON.
        package var shownText: String?
        /// For everything else.
        package var base64: String?
        /// The length on the wire.
        package var length: Int
        /// True if this is only a part of the body.
        package var isCut: Bool

        package init(text: String? = nil, base64: String? = nil, length: Int, isCut: Bool) {
            self.text = text
            self.base64 = base64
            self.length = length
            self.isCut = isCut
        }
    }

    package init(
        number: Int,
        version: Int,
        time: String,
        method: String,
        url: String,
        protocol: String,
        outcome: String
    ) {
        self.number = number
        self.version = version
        self.time = time
        self.method = method
        self.url = url
        self.protocol = `protocol`
        self.outcome = outcome
        self.requestBytes = 0
        self.responseBytes = 0
    }
}

/// Texts about requests of a session, and the answer to `POST /v1/sessions/{id}/texts`, which is these with placeholders in
/// place of secrets.
package struct ShownTexts: Codable, Sendable, Equatable {
    package var texts: [String]

    package init(texts: [String]) {
        self.texts = texts
    }
}

/// A page of a journal.
package struct JournalPage: Codable, Sendable, Equatable {
    /// Oldest first.
    package var entries: [JournalEntryModel]
    /// Requests that the session saw in all.
    package var seen: Int
    /// The number of the oldest entry that is still there.
    package var oldest: Int
    /// The version of the last change that the page shows.
    package var version: Int

    package init(entries: [JournalEntryModel], seen: Int, oldest: Int, version: Int) {
        self.entries = entries
        self.seen = seen
        self.oldest = oldest
        self.version = version
    }
}

/// The answer to `POST /v1/sessions/{id}/journal/wait`.
package struct WaitResult: Codable, Sendable, Equatable {
    /// True if the condition of the wait was met.
    package var isMet: Bool
    /// The number of matching requests.
    package var count: Int
    /// The newest of them, at most 100.
    package var entries: [JournalEntryModel]
    /// The reason for the end of the wait, unless the requests came: `timeout`, `ended` for the session's end,
    /// `stopping` for the deck's.
    package var reason: String?

    package init(isMet: Bool, count: Int, entries: [JournalEntryModel], reason: String? = nil) {
        self.isMet = isMet
        self.count = count
        self.entries = entries
        self.reason = reason
    }
}
