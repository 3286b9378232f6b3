/// A CORS preflight (WHATWG Fetch section 3.3): a browser asks if a page may send a request to another origin.
///
/// Browsers keep the answers, so a recording may lack them. What the tape has for the request itself answers them.
struct Preflight {
    private let request: MatchRequest
    private let method: String
    private let headers: String?

    /// - Returns: `nil` for any other request.
    init?(_ request: MatchRequest) {
        guard request.key.bytes.starts(with: "OPTIONS ".utf8), request.fields.contains(named: "origin"),
            let method = request.fields.first(named: "access-control-request-method")
        else { return nil }
        self.request = request
        self.method = method
        self.headers = request.fields.first(named: "access-control-request-headers")
    }

    /// Returns the answer that fits the first set for the method and URL whose response permits another origin; `nil` if
    /// there is none.
    func play(_ tapes: TapeStack, scratch: PatternScratch) -> Play? {
        var asked = self.request
        var key = RequestKey()
        key.appendCanonical(Array(self.method.utf8) + self.request.key.bytes.drop { $0 != ASCII.space })
        asked.key = key
        let facts = RequestFacts(asked, scratch: scratch)
        for (_, tape) in tapes.layers {
            for entry in tape.entries where entry.matcher.takesMethod(self.method) && entry.matcher.takesURL(facts) {
                let takes = entry.set.variants[entry.set.defaultVariant].behaviour.allTakes
                guard let headers = takes.lazy.compactMap({ self.answer($0.headers) }).first else { continue }
                let set = ResponseSet(
                    name: "preflight of \(entry.set.name)",
                    request: RequestMatcher(),
                    variants: [Variant(name: "permitted", takes: [Take(status: 204, headers: headers)])]
                )
                let cassette = Cassette(name: tape.cassettes[entry.cassette].name, responseSets: [set])
                return Play(tape: Tape([cassette]), entry: 0, take: 0)
            }
        }
        return nil
    }

    private func answer(_ response: [HeaderField]) -> [HeaderField]? {
        guard let origin = response.first(named: "access-control-allow-origin") else { return nil }
        var headers = [
            HeaderField("Access-Control-Allow-Origin", origin),
            HeaderField("Access-Control-Allow-Methods", self.method),
        ]
        if let names = self.headers { headers.append(HeaderField("Access-Control-Allow-Headers", names)) }
        if let credentials = response.first(named: "access-control-allow-credentials") {
            headers.append(HeaderField("Access-Control-Allow-Credentials", credentials))
        }
        if self.request.fields.contains(named: "access-control-request-private-network") {
            headers.append(HeaderField("Access-Control-Allow-Private-Network", "true"))
        }
        return headers + [
            HeaderField("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"),
            HeaderField("X-Tapedeck-Preflight", "true"),
        ]
    }
}

extension SessionState {
    /// Answers a CORS preflight that is not on tape by what the tape has for the request that it asks for; `nil` for other
    /// requests. In `replay` only.
    ///
    /// - Parameter request: with its header fields.
    package mutating func answerPreflight(_ request: MatchRequest) -> Play? {
        guard self.mode == .replay, let preflight = Preflight(request),
            let play = preflight.play(self.tapes, scratch: self.scratch)
        else { return nil }
        self.notePlayed()
        return play
    }
}
