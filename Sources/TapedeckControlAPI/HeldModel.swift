/// A request that waits until a client of the control API releases it.
package struct HeldModel: Codable, Sendable, Equatable {
    /// The number of its entry in the journal.
    package var number: Int
    /// The name of the set that holds it.
    package var set: String
    /// Another, larger number for each request that is held.
    package var version: Int
    /// The request with its headers and up to 1 MiB of its body. If that is cut, `GET …/held/{number}/body` has the whole.
    package var entry: JournalEntryModel

    package init(number: Int, set: String, version: Int, entry: JournalEntryModel) {
        self.number = number
        self.set = set
        self.version = version
        self.entry = entry
    }
}

/// The answer to `GET /v1/sessions/{id}/held`.
package struct HeldList: Codable, Sendable, Equatable {
    /// In the order in which they came; at most 16.
    package var held: [HeldModel]
    /// The value for `after` in the next request.
    package var version: Int

    package init(held: [HeldModel], version: Int) {
        self.held = held
        self.version = version
    }
}

/// The tape's answer to a held request: the response to `POST /v1/sessions/{id}/held/{number}/tape`.
package struct TapeAnswerModel: Codable, Sendable, Equatable {
    /// `played`, `unmatched`, or `forwarded` where the origin would be asked.
    package var outcome: String
    /// The response that the client would get; missing for a request that would be forwarded.
    package var take: TakeModel?
    /// For `played`: what answers.
    package var set: String?
    package var variant: String?

    package init(outcome: String, take: TakeModel? = nil, set: String? = nil, variant: String? = nil) {
        self.outcome = outcome
        self.take = take
        self.set = set
        self.variant = variant
    }
}

/// An answer in the shape that takes have in a cassette, made out in full: it can be changed and given back as it is.
package struct TakeModel: Codable, Sendable, Equatable {
    /// Missing for a fault without a response.
    package var status: Int?
    /// The reason phrase, if it is not the usual one of the status.
    package var reason: String?
    /// Each an object of one name and its value, in the order of the wire; without `Content-Length`,
    /// `Transfer-Encoding` and the `Content-Encoding` that was undone.
    package var headers: [[String: String]]?
    /// Missing if there is no body.
    package var body: Body?
    package var trailers: [[String: String]]?
    package var fault: String?
    /// The error that a `URLSession` meets for the fault, if one is named.
    package var urlError: String?
    /// The details that were recorded with the fault.
    package var detail: String?
    /// Before the first byte, such as `120ms`.
    package var delay: String?

    package struct Body: Codable, Sendable, Equatable {
        /// For text and JSON.
        package var text: String?
        /// For everything else.
        package var base64: String?

        package init(text: String? = nil, base64: String? = nil) {
            self.text = text
            self.base64 = base64
        }
    }

    package init() {}
}
