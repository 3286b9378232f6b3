import TapedeckCore
import TapedeckJSON
import TapedeckProtobuf
import Testing

@testable import TapedeckRedaction

/// Secrets in the messages of calls.
@Suite struct CallRedactionTests {
    private static let token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    private func call(_ texts: [String]) throws -> RecordedExchange {
        let body = try texts.flatMap { GRPCMessage(bytes: try ProtobufText.bytes(of: $0)).frame }
        var call = exchange(headers: [HeaderField("content-type", "application/grpc")])
        call.requestBody = .bytes(body)
        return call
    }

    private func texts(_ exchange: RecordedExchange) throws -> [String] {
        let messages = try #require(MessageFraming.grpc.messages(of: exchange.requestBody.bytes))
        return try messages.map { try #require(ProtobufText.text(of: $0.bytes)) }
    }

    @Test func `a token in a string is replaced, and the lengths around it are right`() throws {
        let redacted = try redactor().redact(
            try self.call([#"1: { 2: "\#(Self.token)" 3: 7 }"#, #"1: "harmless""#]),
            isLive: true
        )
        let texts = try self.texts(redacted)
        #expect(!redacted.requestBody.text.contains(Self.token))
        #expect(texts[0].contains("{{secret."))
        #expect(texts[0].contains("3: 7"))
        #expect(texts[1] == "1: \"harmless\"\n")
    }

    @Test func `a secret that another exchange revealed is found in a message, too`() throws {
        let redactor = try redactor()
        _ = try redactor.redact(
            exchange(headers: [HeaderField("Authorization", "Bearer q8Zr4Tn6Wy2Xp0Lk9Jh7Gf5Ds3Aa1")]),
            isLive: true
        )
        let redacted = redactor.redactLiterals(try self.call([#"4: "q8Zr4Tn6Wy2Xp0Lk9Jh7Gf5Ds3Aa1""#]))
        #expect(try self.texts(redacted)[0].contains("{{secret."))
    }

    @Test func `binary metadata has no secret in its texts`() throws {
        let bytes = try ProtobufText.bytes(of: #"1: 5 2: "bad \#(Self.token)""#)
        let value = String(decoding: GRPCBinaryMetadata.encode(bytes), as: UTF8.self)
        var call = try self.call([])
        call.response.trailers = [HeaderField("grpc-status-details-bin", value)]
        let redacted = try redactor().redact(call, isLive: true)
        let left = try #require(GRPCBinaryMetadata.decode(Array(redacted.response.trailers[0].value.utf8)))
        let text = try #require(ProtobufText.text(of: left))
        #expect(!text.contains(Self.token))
        #expect(text.contains("{{secret.") && text.contains("1: 5"))
    }

    @Test func `a body of gRPC-Web in base64 is searched message by message`() throws {
        var call = try self.call([#"1: "\#(Self.token)""#])
        call.requestHeaders = [HeaderField("content-type", "application/grpc-web-text")]
        call.requestBody = .bytes(Base64.encode(call.requestBody.bytes))
        let redacted = try redactor().redact(call, isLive: true)
        let messages = try #require(MessageFraming.grpcWebText.messages(of: redacted.requestBody.bytes))
        #expect(try #require(ProtobufText.text(of: messages[0].bytes)).contains("{{secret.github_token"))
    }

    @Test func `a call without secrets stays byte for byte`() throws {
        let call = try self.call(["1: 1 2: { 3: fixed32 7 }", "4: hex \"ff00\""])
        #expect(try redactor().redact(call, isLive: true) == call)
    }
}
