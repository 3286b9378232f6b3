import TapedeckCassettes
package import TapedeckCore

/// A recorded request that is sent again.
package struct LiveRequest: Sendable {
    /// Fields that follow from the request itself.
    static let ownFields = [
        "host", "content-length", "transfer-encoding", "connection", "proxy-connection", "keep-alive", "upgrade", "te",
        "trailer", "expect", "proxy-authorization",
    ]

    /// The number of the response set that it is from.
    var set: Int
    /// The number of the take among those of the set's recorded variant.
    var take: Int
    package var method: String
    /// With secrets in the place of placeholders, as all that follows.
    package var url: AbsoluteURL
    package var headers: [HeaderField]
    /// With its content coding.
    package var body: [UInt8]

    init(set: Int, take: Int, method: String, url: AbsoluteURL, headers: [HeaderField], body: [UInt8]) {
        self.set = set
        self.take = take
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A request of no response set. Fields that follow from the request itself are left out.
    package init(method: String, url: AbsoluteURL, headers: [HeaderField], body: [UInt8]) {
        let fields = headers.filter { field in !Self.ownFields.contains(where: field.isNamed) }
        self.init(set: 0, take: 0, method: method, url: url, headers: fields, body: body)
    }
}

/// The recorded answer to a live request.
package struct LiveAnswer: Sendable {
    package var request: LiveRequest
    /// Redacted; `nil` when it was not recorded.
    package var exchange: RecordedExchange?
    /// The reason why it was not recorded.
    package var notRecorded: String?

    package init(request: LiveRequest, exchange: RecordedExchange?, notRecorded: String?) {
        self.request = request
        self.exchange = exchange
        self.notRecorded = notRecorded
    }
}

/// Sends requests to live APIs and records the answers. The deck does this with a proxy of its own, so that the answers
/// are redacted and kept like those of any recording.
package protocol LiveAsking: Sendable {
    /// Sends the requests one after the other, then calls `use`.
    ///
    /// - Parameters:
    ///   - cassette: its rules for redaction, and its secrets, hold for the recording.
    ///   - path: the temporary cassette to record into. Its folder is made for it, and removed at the end.
    ///   - use: gets the answers in the order of the requests, and the folder with their large bodies, which exists while
    ///     it runs.
    func ask(
        _ requests: [LiveRequest],
        for cassette: Cassette,
        in path: String,
        use: @Sendable (_ answers: [LiveAnswer], _ journal: String) async throws -> MaintenanceReport
    ) async throws -> MaintenanceReport
}

/// The request of a take as far as the cassette says it: with placeholders in the place of secrets.
struct TapedRequest {
    var method: String
    var url: String
    var headers: [HeaderField]
    var body: [UInt8]

    /// The reason why a request cannot be made from the cassette, as text after the name of its set.
    struct Problem: Error {
        var description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
