public import Foundation
import TapedeckControlAPI

extension Tapedeck {
    /// One request of a session, and its outcome.
    ///
    /// Its description, and the output of test frameworks, has placeholders in place of the request's and the response's
    /// secrets; its properties have the secrets.
    public struct Exchange: Sendable {
        /// The outcome of a request.
        public enum Outcome: String, Sendable {
            /// The client has nothing of an answer yet: the request is still coming, held, or delayed.
            case pending
            /// Something on tape, or a stub, answered.
            case played
            /// The live server answered, and the answer was recorded.
            case recorded
            /// The live server answered.
            case passedThrough
            /// Nothing on tape answered.
            case unmatched
            /// Tapedeck refused it: it was malformed, or the session had ended.
            case refused
            /// The client went away before it had all of the answer.
            case cancelled
        }

        /// The answer's place on tape.
        public struct Played: Sendable, Equatable {
            /// The response set's name, or the stub's.
            public let set: String
            /// The cassette's name; `added` for a stub.
            public let cassette: String
            /// The variant's name.
            public let variant: String
            /// The number of the variant's take, from 1.
            public let take: Int
            /// The time of its recording, such as for the app's clock; `nil` for what a person wrote, and for stubs.
            public let recorded: Date?
        }

        /// Counts the requests of a session, from 1.
        public let number: Int
        /// The request of the client.
        public private(set) var request: Tapedeck.Request
        /// The outcome of the request.
        public let outcome: Outcome
        /// The answer's place on tape, also where the client did not wait for it; `nil` where nothing on tape was chosen.
        public let played: Played?
        /// The response to the client; `nil` while it has none of it, and for a fault without one.
        public let response: Tapedeck.Response?
        /// The response's status; `nil` where there is no response.
        public let status: Int?
        /// The name of the fault that the client met, if it met one.
        public let fault: String?
        /// The time at which the request came.
        public let time: Date
        /// From the end of the request's head to the end of the answer; `nil` while it is under way.
        public let duration: Duration?
        /// A remark of the deck, such as the place where a request differs from the one that its answer was recorded for; `nil`
        /// without one.
        public let note: String?
        /// The reason why nothing answered, with the near misses, as lines for people; `nil` unless ``outcome`` is
        /// ``Outcome/unmatched``.
        public internal(set) var mismatch: String?
        /// How to let the places differ that separate it from what is nearest, if they can be ignored.
        let ignoring: String?

        /// The request's method, as it was sent.
        public var method: String { self.request.method }
        /// The request's whole URL, in the form that cassettes compare.
        public var url: URL { self.request.url }
        /// The part of the request's URL before its query, as in `/users/7`.
        public var path: String { self.request.path }
    }
}

extension Tapedeck.Exchange {
    /// Returns it with all of the request's body.
    func with(body: Data) -> Tapedeck.Exchange {
        var copy = self
        copy.request = self.request.with(body: body)
        return copy
    }

    init(_ entry: JournalEntryModel) {
        self.number = entry.number
        let request = JournalMessage(entry.request)
        self.request = Tapedeck.Request(
            method: entry.method,
            url: URL(ofJournal: entry.url),
            headers: request.headers,
            body: request.body,
            isCut: request.isCut,
            shown: request.shown,
            shownURL: entry.shownURL ?? entry.url
        )
        self.outcome = Outcome(rawValue: entry.outcome) ?? .refused
        self.played = entry.played.map { played in
            Played(
                set: played.set,
                cassette: played.cassette,
                variant: played.variant,
                take: played.take,
                recorded: played.recorded.flatMap { Date(rfc3339: $0) }
            )
        }
        self.response = entry.response.map { message in
            let response = JournalMessage(message)
            return Tapedeck.Response(
                status: entry.status ?? 0,
                headers: response.headers,
                body: response.body,
                isCut: response.isCut,
                shown: response.shown
            )
        }
        self.status = entry.status
        self.fault = entry.fault
        self.time = Date(rfc3339: entry.time) ?? Date(timeIntervalSince1970: 0)
        self.duration = entry.milliseconds.map { .microseconds(Int64($0 * 1_000)) }
        self.note = entry.note
        self.mismatch = entry.unmatched.map { Self.mismatch($0) }
        self.ignoring = entry.unmatched?.ignoring
    }

    /// Three near misses are enough to see what is wrong.
    private static func mismatch(_ unmatched: JournalEntryModel.Unmatched) -> String {
        let nearest = unmatched.nearest.prefix(3).map { miss in
            let parts = miss.parts.compactMap { part in part.difference.map { "\n      \($0)" } }
            return "\n    near is \"\(miss.set)\" of \(miss.cassette)" + parts.joined()
        }
        return unmatched.message + nearest.joined()
    }
}

extension Date {
    /// A time as the control API writes it.
    fileprivate init?(rfc3339 text: String) {
        let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? withFraction.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)) else {
            return nil
        }
        self = date
    }
}
