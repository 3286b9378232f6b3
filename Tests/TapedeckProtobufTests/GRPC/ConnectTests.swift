import TapedeckJSON
import Testing

@testable import TapedeckProtobuf

@Suite struct ConnectTests {
    @Test(arguments: [
        ("application/grpc", RPCContentType.Framing.grpc, "proto"), ("application/grpc+proto", .grpc, "proto"),
        ("application/grpc+json; charset=utf-8", .grpc, "json"), ("Application/GRPC-Web+proto", .grpcWeb, "proto"),
        ("application/grpc-web", .grpcWeb, "proto"), ("application/grpc-web-text+proto", .grpcWebText, "proto"),
        ("application/connect+json", .connectStream, "json"), ("application/proto", .connectUnary, "proto"),
    ])
    func contentTypesNameProtocolAndCodec(_ value: String, _ framing: RPCContentType.Framing, _ codec: String) throws {
        let type = try #require(RPCContentType(value))
        #expect(type.framing == framing && type.codec == codec)
        #expect(type.isFramed == (framing != .connectUnary))
    }

    @Test func jsonIsConnectOnlyIfTheRequestSaysSo() {
        #expect(RPCContentType("application/json") == nil)
        #expect(RPCContentType("application/json", isConnect: true)?.codec == "json")
        for value in ["", "text/plain", "application/grpcx", "application/connect", "application/proto+x"] {
            #expect(RPCContentType(value, isConnect: true) == nil, "\(value)")
        }
    }

    // MARK: gRPC-Web

    @Test(arguments: ["grpc-status: 0\r\ngrpc-message: a: b\r\n", "grpc-status:5\r\nx:\r\n", ""])
    func trailersOfGRPCWebComeBack(_ text: String) throws {
        let trailers = try #require(GRPCWebTrailers(parsing: Array(text.utf8)))
        #expect(trailers.bytes == Array(text.utf8))
    }

    @Test func trailersOfGRPCWebAreFields() throws {
        let trailers = try #require(GRPCWebTrailers(parsing: Array("grpc-status: 0\ngrpc-message: a: b\n".utf8)))
        #expect(
            trailers.fields == [
                .init(name: "grpc-status", value: [0x30]), .init(name: "grpc-message", value: Array("a: b".utf8)),
            ]
        )
        #expect(GRPCWebTrailers(parsing: Array("no colon\r\n".utf8)) == nil)
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

    // MARK: Connect

    @Test func anErrorOfConnectIsRead() throws {
        let text = #"{"code":"not_found","message":"no","details":[{"type":"p.M","value":"CAE","debug":{"a":1}}]}"#
        let json = try JSONValue(parsing: Array(text.utf8))
        let error = try #require(ConnectError(json))
        #expect(error.code == .notFound && error.message == "no" && error.httpStatus == 404)
        #expect(error.details.map(\.type) == ["p.M"] && error.details.map(\.bytes) == [[8, 1]])
        #expect(String(decoding: error.json.compactText, as: UTF8.self) == text)
        #expect(ConnectError(.object([.init(name: "code", value: .string("new"))]))?.code == .unknown)
        #expect(ConnectError(.object([])) == nil)
    }

    @Test(arguments: [
        "{}", #"{"metadata":{"a":["1","2"],"b-bin":["AQ"]}}"#,
        #"{"error":{"code":"canceled"},"metadata":{"a":["1"]}}"#,
    ])
    func theEndOfAStreamComesBack(_ text: String) throws {
        let end = try #require(ConnectEnd(parsing: Array(text.utf8)))
        #expect(end.bytes == Array(text.utf8))
    }

    @Test(arguments: ["", "[]", "{\"error\":{}}", "{\"metadata\":{\"a\":\"1\"}}"])
    func whatIsNoEndOfAStreamIsNone(_ text: String) {
        #expect(ConnectEnd(parsing: Array(text.utf8)) == nil)
    }

    @Test func aCallWithGETHasItsMessageInTheQuery() throws {
        func query(_ parameters: [(String, String)]) -> ConnectQuery? {
            ConnectQuery(parameters: parameters.map { ($0, Array($1.utf8)) })
        }
        let json = try #require(query([("connect", "v1"), ("encoding", "json"), ("message", "{\"a\":1}")]))
        #expect(json.message == Array("{\"a\":1}".utf8) && json.codec == "json" && json.compression == nil)
        let proto = try #require(
            query([("message", "CAE"), ("base64", "1"), ("encoding", "proto"), ("compression", "gzip")])
        )
        #expect(proto.message == [8, 1] && proto.compression == "gzip")
        #expect(query([("message", "{}")]) == nil)
        #expect(query([("message", "!"), ("base64", "1"), ("encoding", "proto")]) == nil)
    }

    @Test func detailsOfAStatusAreReadable() throws {
        let text =
            #"{"code":5,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R"}]}"#
        let json = try JSONValue(parsing: Array(text.utf8))
        let bytes = try GRPCStatusDetails.bytes(of: json)
        #expect(GRPCStatusDetails.exactJSON(of: bytes) == json)
        #expect(GRPCStatusDetails.exactJSON(of: bytes, TestDescriptors.set) == json)
        #expect(GRPCStatusDetails.exactJSON(of: [0xFF]) == nil)
    }
}
