import TapedeckJSON

/// The RPC protocol and the message encoding that a content type names.
package struct RPCContentType: Sendable, Hashable {
    /// The protocol, which decides how the body holds messages.
    package enum Framing: Sendable, Hashable {
        /// gRPC over HTTP/2: see ``GRPCMessage``.
        case grpc
        /// gRPC-Web: as gRPC, with the trailers as the last message.
        case grpcWeb
        /// gRPC-Web in base64: see ``GRPCWebTextReader``.
        case grpcWebText
        /// A streaming call of Connect: as gRPC, with the status as the last message, in JSON.
        case connectStream
        /// A unary call of Connect: the body is the message, or an error in JSON.
        case connectUnary
    }

    package var framing: Framing
    /// The message encoding: `proto`, `json` or a custom name.
    package var codec: String

    /// Parses a `Content-Type`. Returns `nil` for other protocols, and for Connect in JSON, whose type does not name it.
    package init?(_ contentType: String) {
        // Most types are none of these by their first letter, and an exchange is asked several times.
        let letter = contentType.utf8.dropFirst("application/".utf8.count).first
        guard let letter, "gcpGCP".utf8.contains(letter) else { return nil }
        let type = ASCII.lowercased(String(contentType.prefix { $0 != ";" && $0 != " " }))
        let parts = type.split(separator: "+", maxSplits: 1)
        let codec = parts.count == 2 ? String(parts[1]) : "proto"
        switch parts.first {
        case "application/grpc": self.init(.grpc, codec)
        case "application/grpc-web": self.init(.grpcWeb, codec)
        case "application/grpc-web-text": self.init(.grpcWebText, codec)
        case "application/connect" where parts.count == 2: self.init(.connectStream, codec)
        case "application/proto" where parts.count == 1: self.init(.connectUnary, "proto")
        default: return nil
        }
    }

    private init(_ framing: Framing, _ codec: String) {
        self.framing = framing
        self.codec = codec
    }
}
