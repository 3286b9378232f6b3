package import TapedeckProtobuf

extension Take {
    /// An answer to a call that is a status alone, in the head (gRPC over HTTP2, "Trailers-Only").
    package init(_ code: GRPCStatusCode, _ message: String) {
        let message = ByteText.string(from: GRPCStatusMessage.encode(message))
        self.init(
            headers: [
                HeaderField("content-type", "application/grpc"), HeaderField("grpc-status", String(code.rawValue)),
                HeaderField("grpc-message", message),
            ]
        )
    }
}
