package import TapedeckCore
import TapedeckHTTP1

/// One request of a session, and its outcome.
package struct JournalEntry: Sendable {
    /// The action on the request.
    package enum Outcome: Sendable {
        /// Undecided: its body is still arriving, or it is held.
        case pending
        case played(PlayedAnswer)
        /// It went to its origin.
        case forwarded(recorded: Bool)
        /// Nothing on tape answered it.
        indirect case unmatched(UnmatchedReport)
        /// Tapedeck refused it.
        case refused(reason: String)
    }

    /// The end of the answer.
    package enum Ending: String, Sendable, CaseIterable {
        case complete
        /// The connection was closed in the middle, as the answer wanted it.
        case cut
        /// The connection was reset, as the answer wanted it.
        case reset
        /// The client went away before the answer was complete.
        case abandoned
    }

    /// Counts the requests of a session, from 1.
    package let number: Int
    /// Another, larger number each time that this entry changes; of all entries of a session, no two have the same.
    package internal(set) var version = 0
    package let time: Instant
    package let request: JournalRequest
    /// `nil` while it is still coming.
    package internal(set) var requestBody: JournalBody?
    package internal(set) var outcome: Outcome
    /// The response that was sent; `nil` if it is the one on tape, or if nothing was sent yet.
    package internal(set) var response: JournalResponse? {
        get { self.ownResponse?.value }
        set { self.ownResponse = newValue.map(Boxed.init) }
    }
    private var ownResponse: Boxed?
    /// From the end of the request's head to the end of the answer; `nil` until then.
    package internal(set) var microseconds: Int?
    /// `nil` until the answer has ended.
    package internal(set) var ending: Ending?
    /// True once a part of the answer was sent to the client.
    package internal(set) var hasBegun = false

    /// The memory of a tape that only this entry may keep alive, in bytes.
    var heldBytes = 0

    /// Most entries have no response of their own, so those that do keep it apart.
    private final class Boxed: Sendable {
        let value: JournalResponse
        /// See ``JournalEntry/size``, which is read at each change.
        let size: Int

        init(_ value: JournalResponse) {
            self.value = value
            self.size = value.size
        }
    }

    init(
        number: Int,
        version: Int,
        time: Instant,
        request: JournalRequest,
        requestBody: JournalBody?,
        outcome: Outcome,
        response: JournalResponse?,
        microseconds: Int?,
        ending: Ending?
    ) {
        self.number = number
        self.version = version
        self.time = time
        self.request = request
        self.requestBody = requestBody
        self.outcome = outcome
        self.ownResponse = response.map(Boxed.init)
        self.microseconds = microseconds
        self.ending = ending
        self.hasBegun = ending != nil
    }

    /// True if the client went away before it had all of an answer off the tape or of a live one. A recording may have
    /// the exchange all the same.
    package var isCancelled: Bool {
        switch self.outcome {
        case .pending, .played, .forwarded(recorded: false): self.ending == .abandoned
        case .forwarded(recorded: true), .unmatched, .refused: false
        }
    }

    /// The approximate number of bytes of memory that it uses.
    var size: Int {
        256 + self.request.head.count + (self.requestBody?.bytes.count ?? 0) + (self.ownResponse?.size ?? 0)
            + self.outcome.size + self.heldBytes
    }

    /// Forgets what was in its bodies, but not how long they were.
    mutating func dropBodies() {
        self.requestBody?.bytes = []
        self.response?.body.bytes = []
    }
}

extension JournalEntry.Outcome {
    /// Returns the outcome of a decision, as far as it is known at that time.
    package init(_ decision: Decision) {
        self =
            switch decision {
            case .play(let play): .played(PlayedAnswer(play))
            case .forward: .forwarded(recorded: false)
            case .reject(let report, _): .unmatched(report)
            case .hold: .pending
            }
    }

    /// The approximate number of bytes of memory that it uses in addition to its entry.
    fileprivate var size: Int {
        // A report contains a text of the request, and three sets part by part.
        if case .unmatched = self { 2_560 } else { 0 }
    }
}

/// The head of a request as received. It is kept as bytes and parsed on demand, because most heads are never read.
package struct JournalRequest: Sendable {
    /// Request line and header fields.
    let head: [UInt8]
    package let origin: Origin
    /// The offset of the path in the request's target.
    let pathStart: Int
    /// True if it named no session, and is the default one's although there were others.
    package var isUnnamed = false
    /// Its stream of HTTP/2; 0 over HTTP/1.
    package let stream: Int32

    /// - Parameter head: request line and header fields, as bytes.
    package init(head: [UInt8], origin: Origin, pathStart: Int, isUnnamed: Bool = false, stream: Int32 = 0) {
        self.head = head
        self.origin = origin
        self.pathStart = pathStart
        self.isUnnamed = isUnnamed
        self.stream = stream
    }

    /// The version of HTTP by which the client sent it, as ALPN names it: `h2`, `http/1.1` or `http/1.0`.
    package var protocolName: String {
        if self.stream > 0 { return "h2" }
        let line = self.head.prefix { $0 != ASCII.carriageReturn && $0 != ASCII.lineFeed }
        return line.last == UInt8(ascii: "0") ? "http/1.0" : "http/1.1"
    }

    /// Method and URL.
    package var line: RequestLine { self.parsed.line }

    /// The header fields, but for those that are for Tapedeck.
    package var fields: [HeaderField] { self.parsed.fields }

    private var parsed: (line: RequestLine, fields: [HeaderField]) {
        self.head.withUnsafeBytes { bytes in
            var scanner = RequestScanner()
            guard case .complete = scanner.scan(bytes) else {
                return (RequestLine(method: "-", url: AbsoluteURL(origin: self.origin, target: "/")), [])
            }
            return (scanner.line(bytes, origin: self.origin, pathStart: self.pathStart), scanner.fields.fields(bytes))
        }
    }
}

/// A body as far as a journal keeps it.
package struct JournalBody: Sendable {
    /// As they came over the wire, any content coding included.
    package var bytes: [UInt8]
    /// The length of the body; more than in ``bytes`` if the body exceeds a journal's limit.
    package var length: Int

    package var isWhole: Bool { self.bytes.count == self.length }

    package static let empty = JournalBody(bytes: [], length: 0)
}

/// A response as the client got it.
package struct JournalResponse: Sendable {
    /// 0 if a fault was sent in place of a status.
    package var status: Int
    /// The reason phrase.
    package var reason: String
    package var fields: [HeaderField]
    package var body: JournalBody
    package var trailers: [HeaderField] = []
    /// The failure, if any.
    package var fault: Fault?
    /// The HTTP/2 error code of the fault, if it is not the default.
    package var faultCode: HTTP2ErrorCode?
    /// The reason why it is not in the cassette although the session records.
    package var notRecorded: String?
    /// The changes on its way to the client, for a person.
    package var note: String?

    /// The approximate number of bytes of memory that it uses.
    fileprivate var size: Int {
        128 + self.body.bytes.count + Self.size(of: self.fields) + Self.size(of: self.trailers)
    }

    private static func size(of fields: [HeaderField]) -> Int {
        fields.reduce(0) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

/// An answer off a tape: at first by the tape's own numbers, which costs nothing; by name and value once the tape is
/// another one, so that the old one can go.
package struct PlayedAnswer: Sendable {
    private enum Form: Sendable {
        case play(Play)
        indirect case names(Names)
    }

    /// The names of the answer, and the take that was played.
    package struct Names: Sendable {
        package var set: String
        package var cassette: String
        package var variant: String
        /// The number of the variant's take, from 1.
        package var number: Int
        /// By which rule the set matched, such as `exact URL, 0 conditions`.
        package var rule: String
        package var take: Take
        /// The body that the set asks for as a whole, if it is one.
        package var wantedBody: InlineBody?
        /// The times that move.
        package var time = TimeRules()
        /// The secrets of its cassette.
        var secrets: [SecretDescription] = []

        /// About how many bytes of memory its bodies take.
        var size: Int {
            let answer = if case .inline(let body) = self.take.body { body.content.count } else { 0 }
            return answer + (self.wantedBody?.content.count ?? 0)
        }
    }

    private var form: Form
    /// How HTTP derived the answer from the take; `nil` for the take itself.
    private var derivation: Excerpt?
    /// The places of the request whose values differ from the recorded ones.
    package private(set) var variedPlaces: [String] = []

    package init(_ play: Play) {
        self.derivation = play.staging?.excerpt
        self.variedPlaces = play.staging?.variedPlaces ?? []
        // The entry has the request already, so it does not keep the staging.
        self.form = .play(Play(tape: play.tape, entry: play.entry, take: play.take, variant: play.variant))
    }

    init(_ names: Names) {
        self.form = .names(names)
    }

    package var names: Names {
        var names = self.ownNames
        if let derivation { names.rule += "; \(derivation.explanation)" }
        if !self.variedPlaces.isEmpty {
            let verb = self.variedPlaces.count == 1 ? "varies" : "vary"
            names.rule += "; \(self.variedPlaces.prefix(5).joined(separator: ", ")) \(verb)"
        }
        return names
    }

    private var ownNames: Names {
        switch self.form {
        case .names(let names): return names
        case .play(let play):
            let entry = play.tape.entries[play.entry]
            let cassette = play.tape.cassette(ofTake: play.take)
            return Names(
                set: entry.set.name,
                cassette: play.tape.cassettes[entry.cassette].name,
                variant: play.variant ?? entry.set.variants[entry.set.defaultVariant].name,
                number: play.number,
                rule: play.tape.rule(play.entry),
                take: play.tape.takes[play.take],
                wantedBody: entry.set.request.body.first?.whole,
                time: cassette?.time ?? TimeRules(),
                secrets: cassette?.secrets ?? []
            )
        }
    }

    /// Identifies an answer.
    package struct Key: Hashable {
        let tape: Int
        let entry: Int
        let take: Int
        let variant: String?
    }

    /// Lets go of the tape.
    ///
    /// - Parameter known: what was looked up before; the same few answers are given again and again.
    /// - Returns: how many bytes are kept for this answer and for none that was looked up before.
    mutating func detach(_ known: inout [Key: Names]) -> Int {
        guard case .play(let play) = self.form else { return 0 }
        let key = Key(tape: play.tape.serial, entry: play.entry, take: play.take, variant: play.variant)
        if let names = known[key] {
            self.form = .names(names)
            return 0
        }
        let names = self.ownNames
        known[key] = names
        self.form = .names(names)
        return names.size
    }
}
