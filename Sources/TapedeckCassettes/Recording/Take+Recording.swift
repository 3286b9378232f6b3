import TapedeckCore

extension Take {
    /// The take of a recorded exchange; its bodies are put where they belong.
    ///
    /// - Parameters:
    ///   - keepsRequestBody: whether what was sent is noted: where no condition of the set says it.
    ///   - keptHeaders: the fields of the request that are noted beside what goes with its body.
    ///   - url: the URL to note, where the set does not say it.
    /// - Throws: `BodyStorage.Lost` for a body whose file is gone, `FileError` for one that cannot be put in place.
    init(
        _ exchange: RecordedExchange,
        keepsRequestBody: Bool,
        keptHeaders: [HeaderField] = [],
        url: String? = nil,
        storage: BodyStorage
    ) throws {
        let response = exchange.response
        let end = Instant(seconds: Int64(exchange.time))
        let time = Take.timeRecorded(response.headers, end: end).rfc3339
        let label = Self.label(exchange.url)
        self.init(
            fault: response.fault,
            detail: response.fault == nil ? nil : response.detail,
            recorded: response.latency.map { Take.recorded(at: time, latency: $0) } ?? time
        )
        if !self.isFaultAlone {
            self.status = response.status
            self.reason = response.reason == StatusPhrase.standard(response.status) ? nil : response.reason
            self.interim = response.interim
            self.headers = response.headers
            self.trailers = response.trailers
            self.endsAtClose = response.endsAtClose
            self.isHTTP2 = response.isHTTP2
            self.take(response.pieces, of: response)
            let accepted = AcceptedCodings(of: exchange.requestHeaders)
            self.body = try storage.store(response.body, headers: response.headers, accepted: accepted, label: label)
        }
        var request = Take.Request(url: url)
        request.headers = keptHeaders
        if keepsRequestBody, !exchange.requestBody.isEmpty {
            let headers = exchange.requestHeaders.filter { $0.isNamed("content-type") }
            request.headers = headers + keptHeaders
            request.body = try storage.store(
                exchange.requestBody,
                headers: headers + exchange.requestHeaders.filter { $0.isNamed("content-encoding") },
                label: "\(label)-request"
            )
        }
        if request != Take.Request() { self.request = request }
    }

    /// Where the pieces are cut follows from what came, and when they came, which is never the same twice, stands with
    /// the time of the recording.
    private mutating func take(_ pieces: [RecordedPiece], of response: RecordedResponse) {
        if !pieces.isEmpty {
            let areEvents = BodyPieces.areEvents(response.headers)
            self.pieces = BodyPieces(areEvents ? .events : .sizes(pieces.dropLast().map(\.size)))
        }
        guard var recorded = self.recorded else { return }
        recorded = Take.recorded(recorded, pieceTimes: pieces.map(\.time))
        // The detail of an exchange that did not fail.
        if response.fault == nil, let detail = response.detail { recorded += ", \(detail)" }
        self.recorded = recorded
    }

    /// The last two parts of a path, as a file name can have them.
    private static func label(_ url: String) -> String {
        let path = AbsoluteURL(url)?.path ?? ""
        let parts = path.split(separator: "/").suffix(2)
        let text = parts.joined(separator: "-").unicodeScalars.map { scalar in
            scalar.isASCII && ASCII.isUnreserved(UInt8(scalar.value)) && scalar != "~" ? Character(scalar) : "-"
        }
        let label = String(text.prefix(48))
        return label.isEmpty || label.hasPrefix(".") ? "root\(label)" : label
    }
}
