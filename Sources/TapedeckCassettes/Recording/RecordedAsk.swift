package import TapedeckCore

/// A request that a recording made, taken from the response set that was recorded for it.
package struct RecordedAsk: Sendable {
    package let request: MatchRequest

    /// `nil` for a set that is for more than one request, and for one whose request body is not known.
    package init?(_ set: ResponseSet, digest: Digest) {
        guard case .exact(let url) = set.request.url, set.request.methods.count <= 1,
            let take = set.variants.lazy.flatMap(\.behaviour.allTakes).first(where: { $0.recorded != nil }),
            let body = Self.body(of: set.request, take)
        else { return nil }
        let method = set.request.methods.first ?? "GET"
        let fields = Self.fields(of: set.request)
        let observed = body.isEmpty ? ObservedBody.empty : ObservedBody(bytes: body, sha256: digest(body))
        // Sent fields that no condition uses are included.
        let sent = (take.request?.headers ?? []).filter { field in !fields.contains { $0.isNamed(field.name) } }
        self.request = MatchRequest(RequestKey(method: method, url: url), fields: fields + sent, body: observed)
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
}
