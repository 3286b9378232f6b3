/// One exchange as received, on its way into a cassette.
package struct RecordedExchange: Sendable, Equatable {
    /// Counts requests in the order in which they came.
    package var number: Int
    package var method: String
    package var url: String
    package var requestHeaders: [HeaderField]
    package var requestBody: RecordedBody
    /// The part of the request that had come by the end of the response.
    package var requestPart = RequestPart.whole
    package var response: RecordedResponse
    /// When the exchange ended, in seconds since 1970.
    package var time: Int
    /// The distance of the recording machine's local time to UTC, in minutes, positive to the east.
    package var zone = 0
    /// The names of secrets in its bodies that are compressed files or archives, which stay as they are. Known only while it is
    /// saved.
    package var secretsInFiles: [String] = []

    /// The part of a request that decided about its answer.
    package enum RequestPart: Int, Sendable {
        case whole
        /// The response was complete before the request was: its body is not known.
        case unknown
        /// As ``unknown``, of a call: its body has the messages that had come.
        case firstMessages
        /// The client left before it had ended the request: its body has the messages that it had sent.
        case sentMessages
    }

    package init(
        number: Int,
        method: String,
        url: String,
        requestHeaders: [HeaderField],
        requestBody: RecordedBody,
        response: RecordedResponse,
        time: Int
    ) {
        self.number = number
        self.method = method
        self.url = url
        self.requestHeaders = requestHeaders
        self.requestBody = requestBody
        self.response = response
        self.time = time
    }

    /// Takes a request body in memory out of ``AWSChunks``.
    package mutating func removeAWSChunks() {
        guard case .bytes(let body) = self.requestBody else { return }
        self.requestBody = .bytes(AWSChunks.content(body, self.requestHeaders))
        self.requestHeaders = AWSChunks.removed(from: self.requestHeaders)
    }
}

/// The response of a recorded exchange.
package struct RecordedResponse: Sendable, Equatable {
    /// 0 when there was none.
    package var status = 0
    package var reason = ""
    package var interim: [Take.Interim] = []
    package var headers: [HeaderField] = []
    package var body = RecordedBody.bytes([])
    package var trailers: [HeaderField] = []
    package var endsAtClose = false
    /// The origin spoke HTTP/2.
    package var isHTTP2 = false
    package var fault: Fault?
    package var faultOptions = FaultOptions.none
    package var detail: String?
    /// From when the request went out to the first byte of the final response, in milliseconds; `nil` when none
    /// came.
    package var latency: Int?
    /// The arrival of a slow body, piece by piece. Empty for all others.
    package var pieces: [RecordedPiece] = []
    /// The order of the messages of a call; `nil` if the answer came after the whole request.
    package var order: MessageOrder?

    package init() {}
}

/// A piece of a body that came slowly.
package struct RecordedPiece: Sendable, Equatable {
    /// In bytes of the body, which has no content coding.
    package var size: Int
    /// The time at which it came, in milliseconds after the head.
    package var time: Int

    package init(size: Int, time: Int) {
        self.size = size
        self.time = time
    }
}

/// A body without its transfer coding, with its content coding.
package enum RecordedBody: Sendable, Equatable {
    case bytes([UInt8])
    /// A file in the journal's folder; its SHA-256 in lower-case hexadecimal.
    case file(name: String, size: Int, sha256: String)

    package var isEmpty: Bool {
        switch self {
        case .bytes(let bytes): bytes.isEmpty
        case .file(_, let size, _): size == 0
        }
    }
}

/// Computes the SHA-256 of bytes, in lower-case hexadecimal. Passed in, because the crypto library belongs to another
/// target.
package typealias Digest = @Sendable (_ bytes: [UInt8]) -> String
