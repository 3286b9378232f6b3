/// One recorded (or hand-written) answer inside a variant.
package struct Take: Sendable, Equatable {
    /// A 1xx response before the final one (RFC 9110 section 15.2).
    package struct Interim: Sendable, Equatable {
        package var status: Int
        /// The reason phrase, if it is not the usual one of the status.
        package var reason: String?
        package var headers: [HeaderField]

        package init(status: Int, reason: String? = nil, headers: [HeaderField]) {
            self.status = status
            self.reason = reason
            self.headers = headers
        }
    }

    /// The request of the recorded take, for readers; not used for matching.
    package struct Request: Sendable, Equatable {
        /// The whole URL, if it differs from that of the response set.
        package var url: String?
        package var headers: [HeaderField]
        package var body: StoredBody

        package init(url: String? = nil, headers: [HeaderField] = [], body: StoredBody = .none) {
            self.url = url
            self.headers = headers
            self.body = body
        }
    }

    package var status: Int
    /// The number of requests in a row that it answers; at least 1.
    package var times = 1
    /// The reason phrase, if it is not the usual one of the status.
    package var reason: String?
    package var interim: [Interim]
    /// In the order and case of the wire, duplicates kept.
    package var headers: [HeaderField]
    package var body: StoredBody
    package var trailers: [HeaderField]
    /// True if the end of the connection ended the body (RFC 9112 section 6.3, the last rule).
    package var endsAtClose: Bool
    /// True if it was recorded over HTTP/2. It plays over either version.
    package var isHTTP2 = false
    /// Of a gRPC call: the number of messages of the request after which the answer ends; `nil` if it ends after the whole
    /// request.
    package var endsAfter: Int?
    /// The pieces of the body; `nil` for a body that is sent as a whole.
    package var pieces: BodyPieces?
    /// The failure of the exchange. One that ``Fault/hasResponse`` has a status, headers and a body; the others have no
    /// response.
    package var fault: Fault?
    /// The details of the fault.
    package var faultOptions = FaultOptions.none
    /// The error that a URLSession reports instead of a fault without a response.
    package var urlError: URLErrorCode?
    /// Details of a recorded fault, such as the reason why a certificate was rejected.
    package var detail: String?
    /// The time of recording, `2026-11-21T10:00:00Z, answered in 120 ms`; `nil` for a take written by hand.
    package var recorded: String?
    package var request: Request?

    package init(
        status: Int = 200,
        reason: String? = nil,
        interim: [Interim] = [],
        headers: [HeaderField] = [],
        body: StoredBody = .none,
        trailers: [HeaderField] = [],
        endsAtClose: Bool = false,
        pieces: BodyPieces? = nil,
        fault: Fault? = nil,
        faultOptions: FaultOptions = .none,
        urlError: URLErrorCode? = nil,
        detail: String? = nil,
        recorded: String? = nil,
        request: Request? = nil
    ) {
        self.status = status
        self.reason = reason
        self.interim = interim
        self.headers = headers
        self.body = body
        self.trailers = trailers
        self.endsAtClose = endsAtClose
        self.pieces = pieces
        self.fault = fault
        self.faultOptions = faultOptions
        self.urlError = urlError
        self.detail = detail
        self.recorded = recorded
        self.request = request
    }

    /// The reason phrase to send.
    package var reasonPhrase: String { self.reason ?? StatusPhrase.standard(self.status) }

    /// True if the take consists only of a fault.
    package var isFaultAlone: Bool { self.fault.map { !$0.hasResponse } ?? false }

    /// The fault in words: its name and options, such as `streamReset CANCEL after 10 bytes`; `nil` without a fault.
    package var faultText: String? {
        self.fault.map { ([$0.rawValue] + self.faultOptions.words).joined(separator: " ") }
    }

    /// The code of the frame that ends its fault over HTTP/2.
    package var faultCode: HTTP2ErrorCode { self.faultOptions.code ?? self.fault?.code ?? .internalError }

    /// True if the response may announce the end of its connection, as most faults must not.
    package var announcesEnd: Bool {
        switch self.fault?.ending {
        case nil, .complete, .goAway: true
        default: false
        }
    }

    /// The number of bytes of a body of `length` bytes that the client gets.
    ///
    /// - Parameter offset: the end of so many messages of gRPC in the body, or its length where it has fewer.
    package func sentLength(of length: Int, offset: (_ messages: Int) -> Int) -> Int {
        guard let fault = self.fault else { return length }
        switch self.faultOptions.after {
        case nil: return fault.sentLength(of: length)
        case .bytes(let count): return min(count, length)
        case .messages(let count): return min(offset(count), length)
        }
    }

    /// True if there is nothing but a status with its reason, and header fields.
    package var isHeadAlone: Bool {
        self.body == .none && self.trailers.isEmpty && self.interim.isEmpty && self.fault == nil && self.request == nil
            && self.recorded == nil
    }

    /// The origin's time until the beginning of its answer, in milliseconds; ``recorded`` has it after the time.
    package var latency: Int? {
        self.number(behind: Self.latencyMark)
    }

    /// The value of ``recorded`` for a take that was answered after `latency` milliseconds.
    ///
    /// - Parameter number: the number of its request in the recording.
    package static func recorded(at time: String, latency: Int, number: Int? = nil) -> String {
        "\(time)\(number.map { "\(Self.numberMark)\($0)" } ?? "")\(Self.latencyMark)\(latency) ms"
    }

    /// The number of the request in the recording, in the order in which they came; ``recorded`` has it after the time.
    package var recordedNumber: Int? {
        self.number(behind: Self.numberMark)
    }

    private func number(behind mark: String) -> Int? {
        let (text, mark) = (ByteText.bytes(of: self.recorded ?? ""), Array(mark.utf8))
        guard let place = text.firstPlace(of: mark) else { return nil }
        return Int(String(decoding: text[(place + mark.count)...].prefix { 0x30...0x39 ~= $0 }, as: UTF8.self))
    }

    private static let latencyMark = ", answered in "
    private static let numberMark = ", request "
}

extension [Take] {
    /// The number of requests that they answer, each in its turn.
    package var requestCount: Int { self.reduce(0) { $0 + $1.times } }

    /// One for each request.
    package var forEachRequest: [Take] {
        self.flatMap { take in
            var one = take
            one.times = 1
            return Array(repeating: one, count: take.times)
        }
    }
}

extension Take {
    /// Stands in a cassette for a `Date` that is the time in `recorded`, which is the one line of a take that differs from
    /// one recording to the next.
    package static let recordedDate = "recorded"

    /// The `Date` of an answer that was given when the take was recorded (RFC 9110 section 6.6.1); `nil` for a take
    /// without a time.
    package var dateWhenRecorded: String? { self.recordedTime?.text(.http) }

    /// The time that a recording notes: the response's `Date` if it is within five minutes of the end of the exchange,
    /// so that one time suffices, else the end itself.
    package static func timeRecorded(_ headers: [HeaderField], end: Instant) -> Instant {
        guard let date = headers.first(named: "date").flatMap({ Instant(httpDate: $0) }),
            abs(date.seconds - end.seconds) <= 300
        else { return end }
        return date
    }
}
