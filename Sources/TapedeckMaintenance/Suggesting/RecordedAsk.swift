import TapedeckCassettes
import TapedeckCore

/// A request that a recording made, taken from the response set that was recorded for it.
struct RecordedAsk {
    let comparable: ComparableRequest
    private let matchRequest: MatchRequest

    /// `nil` for a set that is for more than one request, and for one whose request body is not known.
    init?(_ set: ResponseSet, digest: Digest) {
        guard case .exact(let url) = set.request.url, set.request.methods.count <= 1,
            let take = set.variants.lazy.flatMap(\.behaviour.allTakes).first(where: { $0.recorded != nil }),
            let body = Self.body(of: set.request, take)
        else { return nil }
        let method = set.request.methods.first ?? "GET"
        let fields = Self.fields(of: set.request)
        let observed = body.isEmpty ? ObservedBody.empty : ObservedBody(bytes: body, sha256: digest(body))
        // Sent fields that no condition uses are included.
        let sent = (take.request?.headers ?? []).filter { field in !fields.contains { $0.isNamed(field.name) } }
        self.matchRequest = MatchRequest(RequestKey(method: method, url: url), fields: fields + sent, body: observed)
        let json = body.isEmpty ? nil : try? JSONValue(parsing: body)
        let place = RequestKey(method: method, url: AbsoluteURL(origin: url.origin, target: url.path))
        self.comparable = ComparableRequest(
            place: String(decoding: place.bytes, as: UTF8.self),
            query: Self.query(of: url),
            headers: fields.map { (ASCII.lowercased($0.name), $0.value) },
            json: json,
            bytes: json == nil ? body : nil
        )
    }

    /// Returns true if a tape answers it.
    func isAnswered(by tape: Tape) -> Bool {
        var state: [String: String] = [:]
        for entry in tape.cassettes.flatMap(\.state) { state[entry.key] = entry.value }
        return tape.match(self.matchRequest, state: state) != nil
    }

    /// Returns the body that the set requires, else the recorded one; `nil` if it is not known exactly.
    private static func body(of request: RequestMatcher, _ take: Take) -> [UInt8]? {
        if let condition = request.body.first { return condition.whole?.decoded }
        switch take.request?.body {
        case nil, .some(.none): return []
        case .inline(let body): return body.decoded
        case .file: return nil
        }
    }

    private static func fields(of request: RequestMatcher) -> [HeaderField] {
        request.headers.flatMap { field -> [HeaderField] in
            switch field.value {
            case .equals(let text): [HeaderField(field.name, text)]
            case .values(let texts): texts.map { HeaderField(field.name, $0) }
            default: []
            }
        }
    }

    private static func query(of url: AbsoluteURL) -> [(name: String, value: String)] {
        (url.query ?? "").split(separator: "&").map { parameter in
            let name = parameter.prefix { $0 != "=" }
            return (QueryText.decoded(name.utf8), QueryText.decoded(parameter.dropFirst(name.count + 1).utf8))
        }
    }
}
