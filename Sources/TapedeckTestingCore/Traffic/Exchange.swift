public import Foundation
import TapedeckControlAPI

/// One request that a session saw, and what became of it.
///
/// Its description, and what test frameworks print of it, has placeholders in place of the request's and the response's
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
        /// Which of the variant's takes it was, from 1.
        public let take: Int
    }

    /// Counts the requests of a session, from 1.
    public let number: Int
    /// As it was sent: case matters (RFC 9110 section 9.1).
    public let method: String
    /// The whole URL, in the form that cassettes compare.
    public let url: String
    /// ``url`` with placeholders in place of its secrets, for texts.
    let shownURL: String
    /// The request of the client.
    public let request: Message
    /// The outcome of the request.
    public let outcome: Outcome
    /// The answer's place on tape, also where the client did not wait for it; `nil` where nothing on tape was chosen.
    public let played: Played?
    /// The response to the client; `nil` while it has none of it, and for a fault without one.
    public let response: Message?
    /// The response's status; `nil` where there is no response.
    public let status: Int?
    /// The name of the fault that the client met, if it met one.
    public let fault: String?
    /// From the end of the request's head to the end of the answer; `nil` while it is under way.
    public let duration: Duration?
    /// Why nothing answered, with the near misses, in lines for people; `nil` unless ``outcome`` is
    /// ``Outcome/unmatched``.
    public let mismatch: String?

    /// Headers and body, of a request or a response.
    public struct Message: Sendable, Equatable {
        /// In the order and case of the wire.
        public let headers: [(name: String, value: String)]
        /// Without its content coding (gzip, deflate).
        public let body: Data
        /// True if ``body`` is incomplete: a deck limits the size of a body, and of all bodies together.
        public let isCut: Bool
        /// ``headers`` with placeholders in place of their secrets, for texts.
        let shownHeaders: [(name: String, value: String)]
        /// The beginning of a body that is text, with placeholders in place of its secrets, for texts.
        let shownText: String?

        /// The first header field of a name, whatever its case.
        public func header(_ name: String) -> String? {
            self.headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The body as text; bytes that are no UTF-8 show as U+FFFD.
        public var text: String { String(decoding: self.body, as: UTF8.self) }

        public static func == (one: Message, other: Message) -> Bool {
            one.body == other.body && one.isCut == other.isCut
                && one.headers.elementsEqual(other.headers) { $0.name == $1.name && $0.value == $1.value }
        }
    }

    /// The last part of the URL before its query, as in `/users/7`.
    public var path: String {
        guard let scheme = self.url.firstRange(of: "://") else { return self.url }
        let rest = self.url[scheme.upperBound...]
        guard let slash = rest.firstIndex(of: "/") else { return "/" }
        return String(rest[slash...].prefix { $0 != "?" })
    }
}

extension Exchange {
    init(_ entry: JournalEntryModel) {
        self.number = entry.number
        self.method = entry.method
        self.url = entry.url
        self.shownURL = entry.shownURL ?? entry.url
        self.request = Message(entry.request)
        self.outcome = Outcome(rawValue: entry.outcome) ?? .refused
        self.played = entry.played.map {
            Played(set: $0.set, cassette: $0.cassette, variant: $0.variant, take: $0.take)
        }
        self.response = entry.response.map { Message($0) }
        self.status = entry.status
        self.fault = entry.fault
        self.duration = entry.milliseconds.map { .microseconds(Int64($0 * 1_000)) }
        self.mismatch = entry.unmatched.map { Self.mismatch($0) }
    }

    /// Three near misses are enough to see what is wrong.
    private static func mismatch(_ unmatched: JournalEntryModel.Unmatched) -> String {
        let nearest = unmatched.nearest.prefix(3).map { miss in
            let parts = miss.parts.filter { !$0.isMet }.map { part in
                "\n      \(part.name): wanted \(part.wanted), came \(part.came)"
            }
            return "\n    near is \"\(miss.set)\" of \(miss.cassette)" + parts.joined()
        }
        return unmatched.message + nearest.joined()
    }
}

extension Exchange.Message {
    init(_ message: JournalEntryModel.Message?) {
        self.headers = Self.fields(message?.headers)
        self.shownHeaders = Self.fields(message?.shownHeaders ?? message?.headers)
        let body = message?.body
        self.shownText = (body?.shownText ?? body?.text).map { String($0.prefix(200)) }
        self.body = body?.text.map { Data($0.utf8) } ?? body?.base64.flatMap { Data(base64Encoded: $0) } ?? Data()
        self.isCut = body?.isCut ?? false
    }

    private static func fields(_ headers: [[String]]?) -> [(name: String, value: String)] {
        (headers ?? []).map { ($0.first ?? "", $0.dropFirst().first ?? "") }
    }

    /// The body, decoded from JSON.
    ///
    /// - Throws: ``TapedeckError`` that says what the body is, when it is something else.
    public func json<Value: Decodable>(
        as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        do {
            return try decoder.decode(type, from: self.body)
        } catch {
            throw TapedeckError(.notDecodable, "the body is no JSON for \(type): \(error); \(self.summary)")
        }
    }

    /// The body as JSON.
    ///
    /// - Throws: ``TapedeckError`` when it is none.
    public func json() throws -> Tapedeck.JSON {
        do {
            return try Tapedeck.JSON(parsing: self.text)
        } catch {
            throw TapedeckError(.notDecodable, "the body is no JSON: \(error); \(self.summary)")
        }
    }

    /// The description of a body that is not JSON, for the end of a message.
    private var summary: String {
        let cut = self.isCut ? "the deck kept no more than its first \(self.body.count) bytes; " : ""
        return "\(cut)it is: \(self.shownText ?? "\(self.body.count) bytes that are no text")"
    }
}
