package import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS

/// The response set that answers a request, the rule, and the other matching sets; or the reason why none does.
package struct RequestExplanation: Sendable {
    /// A request as the command line has it.
    package struct Request: Sendable {
        package var method: String
        /// Absolute.
        package var url: String
        /// Each `Name: value`.
        package var headers: [String] = []
        /// A text, `@FILE`, or `@-` for standard input: the bytes as they would come, so that a content coding which
        /// the headers name is undone.
        package var body: String?

        package init(method: String, url: String) {
            self.method = method
            self.url = url
        }
    }

    let request: RequestLine
    let cassettes: [String]
    let explanation: Explanation
    /// Selections that change nothing, one line each.
    package let warnings: [String]
    /// The set that answers, by number; `nil` if none of those that match does.
    private let answering: Int?
    /// The answer to a request that no set matches: a preflight, or one whose values vary.
    let unmatchedAnswer: PlayedAnswer.Names?
    /// True if its answer comes from the live server.
    let isLive: Bool
    /// The reason why no set answers although some match.
    let refusal: MissReason?

    /// True if a set answers.
    package var isAnswered: Bool { self.winner != nil || self.unmatchedAnswer != nil }

    /// The matching set that answers.
    var winner: Explanation.Candidate? {
        self.explanation.candidates.first { $0.entry == self.answering }
    }

    /// The matching sets that do not answer: those that were tried before the winner and had no answer, and the rest.
    /// If none answers, ``refusal`` is about the first of them.
    var others: [(candidate: Explanation.Candidate, declined: Bool)] {
        let place = self.explanation.candidates.firstIndex { $0.entry == self.answering }
        return self.explanation.candidates.enumerated().filter { $0.offset != place }
            .map { ($0.element, $0.offset < place ?? .max) }
    }

    /// - Parameter configuration: the cassettes and selections.
    /// - Throws: ``DeckError`` if a cassette cannot be used, or the request has a mistake.
    package init(_ request: Request, _ configuration: DeckConfiguration) throws(DeckError) {
        do {
            let matchRequest = try Self.matchRequest(request)
            let cassettes = try configuration.cassettes.map { try Deck.store.load($0) }
            let tape = Tape(cassettes)
            let selection = try DeckSelection(configuration, tape: tape)
            var settings = Session.Settings(mode: .replay)
            settings.allowsPassthrough = configuration.allowsPassthrough
            settings.rules = configuration.rules
            settings.secrets = configuration.secrets(try configuration.project.load())
            let session = Session(settings, tape: tape)
            try selection.apply(to: session)
            self.warnings = selection.idleProfiles(tape)
            self.request = session.shown(RequestFacts(matchRequest, scratch: PatternScratch()).line)
            self.cassettes = cassettes.map(\.name)
            self.explanation = session.explanation(matchRequest)
            var unmatchedAnswer: PlayedAnswer.Names?
            switch session.answer(matchRequest) {
            case .play(let play):
                if self.explanation.candidates.isEmpty { unmatchedAnswer = PlayedAnswer(play).names }
                (self.answering, self.isLive, self.refusal) = (play.entry, false, nil)
            case .forward:
                // The sets are tried in the order of the candidates, and the last one that was tried has the answer.
                let asked = tape.entries.count - session.report().unused.count
                let candidates = self.explanation.candidates
                let last = candidates.indices.contains(asked - 1) ? candidates[asked - 1].entry : nil
                (self.answering, self.isLive, self.refusal) = (last, true, nil)
            // No file holds requests.
            case .hold:
                (self.answering, self.isLive, self.refusal) = (nil, false, nil)
            case .reject(let report, _):
                (self.answering, self.isLive, self.refusal) = (nil, false, report.reason)
            }
            self.unmatchedAnswer = unmatchedAnswer
        } catch {
            throw DeckError(error)
        }
    }

    /// The captures of a set's URL: by their names, where they have any, else by number.
    static func captures(_ candidate: Explanation.Candidate) -> [(name: String, value: String)] {
        let named = candidate.captures.filter { Int($0.name) == nil }
        return named.isEmpty ? candidate.captures : named
    }

    // MARK: The request

    private static func matchRequest(_ request: Request) throws -> MatchRequest {
        guard self.isToken(request.method) else {
            throw DeckError("\"\(request.method)\" is no method; write GET, POST, …", kind: .badOption)
        }
        guard let url = AbsoluteURL(request.url) else {
            throw DeckError(
                request.url.contains("@")
                    ? "a URL has no user name and password here; send them with --header 'Authorization: …'"
                    : "\"\(request.url)\" is no absolute URL; write one such as https://api.example.com/users",
                kind: .badOption
            )
        }
        var fields = try request.headers.map(self.field)
        if !fields.contains(named: "host") { fields.insert(HeaderField("Host", url.origin.authority), at: 0) }
        let body = try request.body.map(self.body) ?? []
        return MatchRequest(
            RequestKey(method: request.method, url: url),
            fields: fields,
            body: self.observed(body, fields)
        )
    }

    /// As a replay has it: without its content coding, and unknown but for its digest if it is too large.
    private static func observed(_ body: [UInt8], _ fields: [HeaderField]) -> ObservedBody {
        guard !body.isEmpty else { return .empty }
        let digest = SHA256.hexDigest(of: body)
        let limit = ProxyConfiguration().matchedBodyLimit
        guard body.count <= limit else { return ObservedBody(bytes: nil, sha256: digest) }
        return ObservedBody(bytes: ContentCoder.decoded(body, fields, limit: limit * 16), sha256: digest)
    }

    private static func field(_ text: String) throws -> HeaderField {
        let name = text.prefix { $0 != ":" }
        guard name.count < text.count, self.isToken(String(name)) else {
            throw DeckError("\"\(text)\" is no header; write 'Name: value'", kind: .badOption)
        }
        return HeaderField(String(name), String(text.dropFirst(name.count + 1).trimmingSpaces()))
    }

    private static func body(_ text: String) throws -> [UInt8] {
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        let path = text == "@-" ? "/dev/stdin" : String(text.dropFirst())
        do {
            return try FileContents.read(path)
        } catch {
            throw DeckError("the body cannot be read: \(error)", kind: .badOption)
        }
    }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                ASCII.isUnreserved(byte) || "!#$%&'*+^`|".utf8.contains(byte)
            }
    }
}
