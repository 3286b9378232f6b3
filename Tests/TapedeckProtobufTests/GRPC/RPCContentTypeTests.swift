import TapedeckJSON
import Testing

@testable import TapedeckProtobuf

@Suite struct RPCContentTypeTests {
    @Test(arguments: [
        ("application/grpc", RPCContentType.Framing.grpc, "proto"), ("application/grpc+proto", .grpc, "proto"),
        ("application/grpc+json; charset=utf-8", .grpc, "json"), ("Application/GRPC-Web+proto", .grpcWeb, "proto"),
        ("application/grpc-web", .grpcWeb, "proto"), ("application/grpc-web-text+proto", .grpcWebText, "proto"),
        ("application/connect+json", .connectStream, "json"), ("application/proto", .connectUnary, "proto"),
    ])
    func contentTypesNameProtocolAndCodec(_ value: String, _ framing: RPCContentType.Framing, _ codec: String) throws {
        let type = try #require(RPCContentType(value))
        #expect(type.framing == framing && type.codec == codec)
    }

    @Test(arguments: [
        "", "text/plain", "application/json", "application/grpcx", "application/connect", "application/proto+x",
    ])
    func otherTypesAreRejected(_ value: String) {
        #expect(RPCContentType(value) == nil)
    }

    @Test func base64OfGRPCWebMayBeInPiecesWithPadding() throws {
        let frames = [GRPCMessage(bytes: [1]), GRPCMessage(bytes: [1, 2]), GRPCMessage(bytes: [1, 2, 3])].map(\.frame)
        let body = frames.flatMap { Base64.encode($0) }
        #expect(GRPCWebTextReader.bytes(of: body) == frames.flatMap { $0 })
        #expect(GRPCWebTextReader.bytes(of: Base64.encode(frames.flatMap { $0 })) == frames.flatMap { $0 })
        var reader = GRPCWebTextReader()
        #expect(body.reduce(into: []) { $0 += reader.decode([$1]) ?? [] } == frames.flatMap { $0 })
        #expect(reader.isWhole)
        for text in ["AAA", "A===", "====", "AA=A", "AA\nA", "AAA!"] {
            #expect(GRPCWebTextReader.bytes(of: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
