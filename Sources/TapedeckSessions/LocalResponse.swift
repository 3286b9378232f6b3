package import TapedeckCore
package import TapedeckHTTP1
import TapedeckProtobuf

/// An answer of Tapedeck's own, never an origin's.
package struct LocalResponse: Sendable {
    package var status: Int
    /// The reason phrase.
    package var phrase: String
    package var mediaType: String
    package var body: [UInt8]
    package var headers: [HeaderField]
    /// True if the connection ends with it.
    package var closes = false

    package init(status: Int, phrase: String? = nil, mediaType: String, body: [UInt8], headers: [HeaderField] = []) {
        self.status = status
        self.phrase = phrase ?? StatusPhrase.standard(status)
        self.mediaType = mediaType
        self.body = body
        self.headers = headers
    }

    package init(status: Int, phrase: String? = nil, json: JSONText, headers: [HeaderField] = []) {
        self.init(
            status: status,
            phrase: phrase,
            mediaType: "application/json",
            body: Array("\(json.pretty)\n".utf8),
            headers: headers
        )
    }

    package static func unmatched(_ report: UnmatchedReport) -> LocalResponse {
        LocalResponse(
            status: 501,
            json: report.json,
            headers: Self.unmatchedHeaders(report.headerValue)
        )
    }

    private static func unmatchedHeaders(_ reason: String) -> [HeaderField] {
        [
            HeaderField("Cache-Control", "no-store"), HeaderField("X-Tapedeck-Unmatched", "true"),
            // The SDKs of OpenAI and Anthropic do not try again then.
            HeaderField("x-should-retry", "false"),
            HeaderField("X-Tapedeck-Reason", reason),
        ]
    }

    /// The answer to a client that asks for a WebSocket: one that can do without goes on over HTTP (RFC 9110 section 15.5.22), and
    /// none tries again.
    package static func webSocket(_ line: RequestLine) -> LocalResponse {
        let reason = "WebSockets are not recorded, so a replay has none"
        var answer = LocalResponse(
            status: 426,
            json: .object([
                ("error", .string("webSocketsAreNotRecorded")),
                ("message", .string("\(line.method) \(line.url): \(reason).")),
            ]),
            headers: [HeaderField("Connection", "upgrade"), HeaderField("Upgrade", "HTTP/1.1")]
                + Self.unmatchedHeaders(reason)
        )
        answer.closes = true
        return answer
    }

    package static func gateway(_ failure: UpstreamFailure, _ line: RequestLine) -> LocalResponse? {
        failure.fault.gatewayStatus.map { status in
            LocalResponse(
                status: status,
                json: failure.fault.gatewayBody(
                    method: line.method,
                    url: line.url.description,
                    detail: failure.detail
                ),
                headers: [
                    HeaderField("Cache-Control", "no-store"), HeaderField("X-Tapedeck-Fault", failure.fault.rawValue),
                ]
            )
        }
    }

    /// Returns a fault as a response, for a client that turns it into its own error; `nil` for the fault without any
    /// response, unless it has an error to report.
    package static func fault(_ failure: UpstreamFailure, _ line: RequestLine) -> LocalResponse? {
        guard failure.fault.ending != .hang || failure.urlError != nil else { return nil }
        var headers = [
            HeaderField("Cache-Control", "no-store"), HeaderField("X-Tapedeck-Fault", failure.fault.rawValue),
        ]
        if let error = failure.urlError {
            headers.append(HeaderField("X-Tapedeck-URL-Error", error.name))
            headers.append(HeaderField("X-Tapedeck-URL-Error-Code", String(error.rawValue)))
        }
        let json = failure.fault.gatewayBody(
            method: line.method,
            url: line.url.description,
            detail: failure.detail
        )
        return LocalResponse(status: 502, json: json, headers: headers)
    }

    /// The end of an answer whose start several sets agreed on, when in the end none of them answers.
    package static let earlyAnswerDiffers = LocalResponse(
        status: 502,
        json: .object([
            ("error", .string("earlyAnswerDiffers")),
            (
                "message",
                .string("No call on tape that began like this one goes on like it, and part of their answer was sent.")
            ),
        ])
    )

    package static func refusal(_ message: MalformedMessage) -> LocalResponse {
        LocalResponse(
            status: message.status,
            json: .object([
                ("error", .string("malformedRequest")),
                ("message", .string("Tapedeck refused the request: \(message.reason).")),
            ])
        )
    }

    /// All its header fields.
    package var fields: [HeaderField] {
        let type = HeaderField("Content-Type", self.mediaType)
        // The status of a call stands in a head without a length.
        if self.mediaType == MessageFraming.grpc.mediaType { return [type] + self.headers }
        return [type, HeaderField("Content-Length", String(self.body.count))] + self.headers
    }
}
