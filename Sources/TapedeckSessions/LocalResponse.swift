package import TapedeckCore
package import TapedeckHTTP1

/// An answer of Tapedeck's own, never an origin's.
package struct LocalResponse: Sendable {
    package var status: Int
    /// The reason phrase.
    package var phrase: String
    package var mediaType: String
    package var body: [UInt8]
    package var headers: [HeaderField]

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
            headers: [
                HeaderField("Cache-Control", "no-store"), HeaderField("X-Tapedeck-Unmatched", "true"),
                HeaderField("X-Tapedeck-Reason", report.headerValue),
            ]
        )
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

    /// A fault in words, for a client that turns them into an error of its own; `nil` for the one in which nothing comes,
    /// unless there is an error to tell of it.
    package static func fault(_ failure: UpstreamFailure, _ line: RequestLine) -> LocalResponse? {
        guard failure.fault != .hang || failure.urlError != nil else { return nil }
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
        [HeaderField("Content-Type", self.mediaType), HeaderField("Content-Length", String(self.body.count))]
            + self.headers
    }
}
