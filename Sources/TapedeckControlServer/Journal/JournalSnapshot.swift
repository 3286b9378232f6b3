import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckSessions

/// Requests of a journal with their answers, as a recording would have taken them.
struct JournalSnapshot: Sendable {
    private(set) var exchanges: [RecordedExchange] = []
    /// The name of the cassette of the first answer from a cassette; `nil` if there was none.
    private(set) var cassette: String?
    /// The reasons why others are missing: a line each, at most 100, and one with the number of the rest.
    var leftOut: [String] {
        let more = self.problemCount - self.problems.count
        return self.problems + (more > 0 ? ["and \(more) more"] : [])
    }

    private static let problemLimit = 100
    private var problems: [String] = []
    private var problemCount = 0

    /// - Parameters:
    ///   - matcher: only requests that it matches; `nil` is all.
    ///   - numbers: only requests with these numbers; `nil` is all.
    ///   - includesPlayed: true if answers from the tape count, too; otherwise those of live servers alone.
    init(
        of session: Session,
        _ matcher: JournalMatcher?,
        numbers: Set<Int>? = nil,
        includesPlayed: Bool = false
    ) {
        let scratch = PatternScratch()
        let state = session.values
        for entry in session.journal.view().entries {
            guard numbers?.contains(entry.number) != false else { continue }
            var player: String?
            switch entry.outcome {
            case .forwarded: break
            case .played(let answer) where includesPlayed: player = answer.names.cassette
            case .unmatched where numbers != nil, .refused where numbers != nil:
                self.note("\(entry.request.line): nothing answered it")
                continue
            default: continue
            }
            if let matcher {
                guard case .matches = matcher.judge(entry, state: state, scratch: scratch) else { continue }
            }
            if let exchange = RecordedExchange(entry) {
                self.exchanges.append(exchange)
                self.cassette = self.cassette ?? player
            } else {
                self.note("\(entry.request.line): \(Self.reason(entry))")
            }
        }
    }

    private mutating func note(_ problem: String) {
        self.problemCount += 1
        if self.problems.count < Self.problemLimit { self.problems.append(problem) }
    }

    private static func reason(_ entry: JournalEntry) -> String {
        guard let ending = entry.ending else { return "the exchange is not over yet" }
        guard ending == .complete, entry.requestBody != nil else { return "the exchange was not complete" }
        guard entry.response != nil else {
            return "its answer on tape has placeholders of secrets; `tapedeck variant copy` copies it"
        }
        return "a body is longer than a journal keeps"
    }
}

extension RecordedExchange {
    /// `nil` for an exchange that is not complete, or not kept as a whole.
    fileprivate init?(_ entry: JournalEntry) {
        guard entry.ending == .complete, let body = entry.requestBody, body.isWhole else { return nil }
        let line = entry.request.line
        var response = RecordedResponse()
        if let answer = entry.response {
            guard answer.body.isWhole else { return nil }
            response.status = answer.status
            response.reason = answer.reason
            response.headers = answer.fields
            response.body = .bytes(answer.body.bytes)
            response.trailers = answer.trailers
            response.fault = answer.fault
            response.faultOptions.code = answer.faultCode
        } else if case .played(let answer) = entry.outcome, let onTape = RecordedResponse(answer.names.take) {
            response = onTape
        } else {
            return nil
        }
        self.init(
            number: entry.number,
            method: line.method,
            url: line.url.description,
            requestHeaders: entry.request.fields,
            requestBody: .bytes(body.bytes),
            response: response,
            time: Int(entry.time.seconds)
        )
        self.removeAWSChunks()
    }
}

extension RecordedResponse {
    /// The answer that a take gives; `nil` for one with placeholders, whose values are not on tape, and for one without a
    /// response. Reads files.
    fileprivate init?(_ take: Take) {
        var content = ReadableBody(take.body).bytes
        let codings = take.body.coding?.layers.map(\.coding) ?? []
        let texts = [content] + (take.headers + take.trailers).map { Array($0.value.utf8) }
        guard !take.isFaultAlone, take.body.files.allSatisfy({ FileContents.exists($0.path) }),
            texts.allSatisfy({ SecretPlaceholder.names(in: $0).isEmpty })
        else { return nil }
        if let coding = take.body.coding {
            let kept = try? coding.kept?.bytes(of: content, codings)
            guard let coded = kept ?? (try? ContentCoder.encode(content, coding.layers)) else { return nil }
            content = coded
        }
        self.init()
        self.status = take.status
        self.reason = take.reasonPhrase
        self.headers = take.headers
        self.body = .bytes(content)
        self.trailers = take.trailers
        self.fault = take.fault
        self.faultOptions = take.faultOptions
    }
}
