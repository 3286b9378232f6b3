package import TapedeckCore
import TapedeckProtobuf

/// Answers of Tapedeck's own to calls of gRPC.
extension LocalResponse {
    /// Returns the answer as clients of gRPC take it: a status in the head (gRPC over HTTP2, "Trailers-Only").
    package func forCall(_ framing: MessageFraming) -> LocalResponse {
        // It has been made for a call already.
        guard !self.headers.contains(named: "grpc-status"), !self.isConnectError else { return self }
        switch framing {
        case .grpc, .grpcWeb, .grpcWebText: return self.asStatus(framing)
        case .connectStream, .connectUnary: return self.asConnectError(framing)
        }
    }

    private func asStatus(_ framing: MessageFraming) -> LocalResponse {
        var answer = self
        answer.status = 200
        answer.phrase = StatusPhrase.standard(200)
        answer.mediaType = framing.mediaType
        answer.body = []
        answer.headers = [
            HeaderField("grpc-status", String(self.statusCode.rawValue)),
            HeaderField("grpc-message", ByteText.string(from: GRPCStatusMessage.encode(self.message))),
        ]
        answer.headers += self.headers
        return answer
    }

    /// An error of Connect: JSON, or in a stream its end.
    private func asConnectError(_ framing: MessageFraming) -> LocalResponse {
        let error = JSONText.object([
            ("code", .string(self.statusCode.connectName)), ("message", .string(self.message)),
        ])
        var answer = self
        answer.mediaType = framing.mediaType
        answer.headers.append(HeaderField("connect-protocol-version", "1"))
        if framing == .connectStream {
            answer.status = 200
            answer.phrase = StatusPhrase.standard(200)
            let end = JSONText.object([("error", error)])
            answer.body = GRPCMessage(flags: 2, bytes: Array(end.compact.utf8)).frame
        } else {
            answer.body = Array(error.compact.utf8)
        }
        return answer
    }

    private var isConnectError: Bool { self.headers.contains(named: "connect-protocol-version") }

    /// The status of a call that fails in this way.
    private var statusCode: GRPCStatusCode {
        switch self.status {
        case 401, 407: .unauthenticated
        case 403: .permissionDenied
        case 408: .deadlineExceeded
        case 413, 429: .resourceExhausted
        case 500, 508: .internal
        case 501, 421: .unimplemented
        case 502, 503, 504: .unavailable
        default: .unknown
        }
    }

    /// The text for people.
    private var message: String {
        guard let json = try? JSONValue(parsing: self.body), let message = json["message"]?.stringValue else {
            return String(decoding: self.body.prefix(1_000), as: UTF8.self)
        }
        guard let remedy = json["remedy"]?.stringValue else { return message }
        return "\(message) \(remedy)"
    }
}
