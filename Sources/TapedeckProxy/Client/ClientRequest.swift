import NIOCore
import TapedeckCore

/// Where the requests of a connection are meant for.
enum Route: Sendable {
    /// A proxy connection: each request names its origin, or is for the reverse listener's.
    case proxy
    /// Inside a tunnel: every request is for the tunnel's origin.
    case tunnel(Origin)

    var isTunnel: Bool {
        if case .tunnel = self { true } else { false }
    }
}

/// What is kept of a request's head while its body is read and its answer is on the way.
struct ClientRequest: Sendable {
    var client: ClientAbilities
    var line: RequestLine
    var wantsUpgrade = false
    var expectsContinue = false
}

/// An answer of Tapedeck's own, never an origin's.
struct OwnAnswer: Sendable {
    var status: Int
    var body: JSONText
    var headers: [HeaderField] = []

    static func unmatched(_ report: UnmatchedReport) -> OwnAnswer {
        OwnAnswer(
            status: 501,
            body: report.json,
            headers: [
                HeaderField("Cache-Control", "no-store"), HeaderField("X-Tapedeck-Unmatched", "true"),
                HeaderField("X-Tapedeck-Reason", report.headerValue),
            ]
        )
    }

    static func gateway(_ failure: UpstreamFailure, _ line: RequestLine) -> OwnAnswer? {
        failure.fault.gatewayStatus.map { status in
            OwnAnswer(
                status: status,
                body: failure.fault.gatewayBody(
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

    static func refusal(_ message: MalformedMessage) -> OwnAnswer {
        OwnAnswer(
            status: message.status,
            body: .object([
                ("error", .string("malformedRequest")),
                ("message", .string("Tapedeck refused the request: \(message.reason).")),
            ])
        )
    }

    func write(to buffer: inout ByteBuffer, client: ClientAbilities, closes: Bool) {
        let body = self.body.pretty + "\n"
        WireHead.write(
            status: self.status,
            reason: StatusPhrase.standard(self.status),
            fields: [
                HeaderField("Content-Type", "application/json"),
                HeaderField("Content-Length", String(body.utf8.count)),
            ] + self.headers,
            closes: closes,
            client: client,
            to: &buffer
        )
        if !client.isHead { buffer.writeString(body) }
    }
}
