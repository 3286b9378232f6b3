import TapedeckCore
import TapedeckProtobuf

extension Take {
    /// Makes the take of a recorded exchange, and stores its bodies.
    ///
    /// - Parameters:
    ///   - keepsRequestBody: true to note the request body, if no condition of the set contains it.
    ///   - keptHeaders: the fields of the request to note in addition to the type of its body.
    ///   - url: the URL to note, if the set does not give it.
    /// - Throws: `BodyStorage.Lost` for a body whose file is gone, `FileError` for one that cannot be stored.
    init(
        _ exchange: RecordedExchange,
        keepsRequestBody: Bool,
        keptHeaders: [HeaderField] = [],
        url: String? = nil,
        storage: BodyStorage
    ) throws {
        let response = exchange.response
        let end = Instant(seconds: Int64(exchange.time))
        let time = Take.timeRecorded(response.headers, end: end).rfc3339(zone: exchange.zone)
        self.init(
            fault: response.fault,
            faultOptions: response.faultOptions,
            detail: response.fault == nil ? nil : response.detail,
            recorded: response.latency.map { Take.recorded(at: time, latency: $0, number: exchange.number) } ?? time
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
            self.body = try storage.store(
                response.body,
                headers: response.headers,
                accepted: accepted,
                type: storage.method(of: exchange)?.output,
                label: Self.label(exchange.url)
            )
            self.take(response.order)
        }
        var request = Take.Request(url: url)
        // A `grpc:` set says the type of its calls.
        let saysType = !keepsRequestBody && MessageFraming(exchange.requestHeaders) == .grpc
        let hasNoType = exchange.requestBody.isEmpty || saysType
        let types = exchange.requestHeaders.filter { $0.isNamed("content-type") }
        let headers = hasNoType ? [] : keepsRequestBody ? types : CanonicalBody.contentType(types)
        request.headers = headers + keptHeaders
        if keepsRequestBody, !exchange.requestBody.isEmpty {
            let codings = exchange.requestHeaders.filter {
                $0.isNamed("content-encoding") || MessageFraming.codingFields.contains(ASCII.lowercased($0.name))
            }
            request.body = try storage.store(
                exchange.requestBody,
                headers: headers + codings,
                type: storage.method(of: exchange)?.input,
                label: "\(Self.label(exchange.url))-request"
            )
        }
        if request != Take.Request() { self.request = request }
    }

    /// The cuts of the pieces follow from the body; their times, which always differ, are noted with the time of the
    /// recording.
    private mutating func take(_ pieces: [RecordedPiece], of response: RecordedResponse) {
        if !pieces.isEmpty {
            if BodyPieces.areEvents(response.headers) {
                self.pieces = BodyPieces(.events)
            } else if MessageFraming(response.headers) == .grpc {
                self.pieces = BodyPieces(.messages)
            } else {
                self.pieces = BodyPieces(.sizes(pieces.dropLast().map(\.size)))
            }
        }
        guard var recorded = self.recorded else { return }
        recorded = Take.recorded(recorded, pieceTimes: pieces.map(\.time))
        // The detail of an exchange that did not fail.
        if response.fault == nil, let detail = response.detail { recorded += ", \(detail)" }
        self.recorded = recorded
    }

    /// Notes the places of the messages. A body in a file has none: its answer plays after the whole request.
    private mutating func take(_ order: MessageOrder?) {
        guard let order else { return }
        switch self.body {
        case .none where order.messages.isEmpty: break
        case .inline(let body):
            guard var list = body.messages, list.messages.count == order.messages.count else { return }
            for (index, after) in order.messages.enumerated() { list.messages[index].after = after }
            self.body = .inline(InlineBody(list))
        case .none, .file: return
        }
        self.endsAfter = order.end
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
