import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import TapedeckTLS

/// Tells which requests of a journal a cassette's `request:` matches.
struct JournalMatcher: Sendable {
    /// A tape of one set with just that request.
    private let tapes: TapeStack

    init(_ matcher: RequestMatcher) {
        let set = ResponseSet(name: "request", request: matcher, variants: [Variant(name: "any", takes: [Take()])])
        self.tapes = TapeStack(Tape([Cassette(name: "journal", responseSets: [set])]))
    }

    /// The result of matching a request.
    enum Verdict: Sendable {
        case matches
        case differs
        /// Its body is still coming.
        case open
    }

    /// A body that was too long for the journal is not known, and no condition on it holds.
    ///
    /// - Parameter state: what the session's state is taken to be.
    func judge(_ entry: JournalEntry, state: [String: String], scratch: PatternScratch) -> Verdict {
        guard let body = entry.requestBody else { return entry.ending == nil ? .open : .differs }
        guard body.isWhole || !self.tapes.mayNeedBody else { return .differs }
        let line = entry.request.line
        let fields = entry.request.fields
        let matchRequest = MatchRequest(
            RequestKey(method: line.method, url: line.url),
            fields: fields,
            body: self.tapes.mayNeedBody ? Self.observed(body, fields) : nil
        )
        scratch.beginRequest()
        var candidates = self.tapes.candidates(matchRequest, state: state, scratch: scratch)
        return candidates.next() == nil ? .differs : .matches
    }

    private static func observed(_ body: JournalBody, _ fields: [HeaderField]) -> ObservedBody {
        body.bytes.isEmpty
            ? .empty
            : ObservedBody(bytes: ReadableBody(body, fields).bytes, sha256: SHA256.hexDigest(of: body.bytes))
    }
}
