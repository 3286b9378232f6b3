/// One recorded (or hand-written) answer inside a variant.
package struct Take: Sendable, Equatable {
    /// A 1xx response that went before the final one (RFC 9110 section 15.2).
    package struct Interim: Sendable, Equatable {
        package var status: Int
        /// The reason phrase, where it is not the usual one of the status.
        package var reason: String?
        package var headers: [HeaderField]

        package init(status: Int, reason: String? = nil, headers: [HeaderField]) {
            self.status = status
            self.reason = reason
            self.headers = headers
        }
    }

    /// What was sent when the take was recorded. It is there to be read; nothing is matched on it.
    package struct Request: Sendable, Equatable {
        /// The whole URL, where it is not the one that the response set asks for.
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
    /// The reason phrase, where it is not the usual one of the status.
    package var reason: String?
    package var interim: [Interim]
    /// In the order and case of the wire, duplicates kept.
    package var headers: [HeaderField]
    package var body: StoredBody
    package var trailers: [HeaderField]
    /// Whether the end of the connection ended the body (RFC 9112 section 6.3, the last rule).
    package var endsAtClose: Bool
    /// True if it was recorded over HTTP/2. It plays over either version.
    package var isHTTP2 = false
    /// How the body is cut when it goes out piece by piece; `nil` for one that never does.
    package var pieces: BodyPieces?
    /// How the exchange fails. One that ``Fault/hasResponse`` goes with a status, headers and a body; the others
    /// stand alone.
    package var fault: Fault?
    /// What a URLSession is told instead, of a fault that stands alone.
    package var urlError: URLErrorCode?
    /// What was seen when the fault was recorded, such as the reason of a certificate's refusal.
    package var detail: String?
    /// When it was recorded, `2026-11-21T10:00:00Z, answered in 120 ms`; `nil` for a take that a person wrote.
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
        self.urlError = urlError
        self.detail = detail
        self.recorded = recorded
        self.request = request
    }

    /// The reason phrase to send.
    package var reasonPhrase: String { self.reason ?? StatusPhrase.standard(self.status) }

    /// A take that is nothing but a fault.
    package var isFaultAlone: Bool { self.fault.map { !$0.hasResponse } ?? false }

    /// How long the origin took to begin its answer, in milliseconds; ``recorded`` says it behind the time.
    package var latency: Int? {
        guard let recorded = self.recorded, let start = recorded.firstRange(of: Self.latencyMark)?.upperBound else {
            return nil
        }
        return Int(recorded[start...].prefix { $0.isNumber })
    }

    /// The value of ``recorded`` for a take that was answered after `latency` milliseconds.
    package static func recorded(at time: String, latency: Int) -> String {
        "\(time)\(Self.latencyMark)\(latency) ms"
    }

    private static let latencyMark = ", answered in "
}

extension Take {
    /// Stands in a cassette for a `Date` that is the time in `recorded`, which is the one line of a take that differs from
    /// one recording to the next.
    package static let recordedDate = "recorded"

    /// The `Date` of an answer that was given when the take was recorded (RFC 9110 section 6.6.1); `nil` for a take
    /// without a time.
    package var dateWhenRecorded: String? { self.recordedTime?.text(.http) }

    /// The time that a recording notes: that of the response's `Date` where it is within five minutes of the end of the
    /// exchange, so that the two need not be told apart, else the end itself.
    package static func timeRecorded(_ headers: [HeaderField], end: Instant) -> Instant {
        guard let date = headers.first(named: "date").flatMap({ Instant(httpDate: $0) }),
            abs(date.seconds - end.seconds) <= 300
        else { return end }
        return date
    }
}
