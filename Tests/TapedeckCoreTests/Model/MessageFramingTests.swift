import TapedeckProtobuf
import Testing

@testable import TapedeckCore

/// Bodies of calls, by their content types.
@Suite struct MessageFramingTests {
    @Test(arguments: [
        ("application/grpc", MessageFraming.grpc), ("application/grpc+proto; x=y", .grpc),
        ("Application/GRPC-Web", .grpcWeb), ("application/grpc-web-text+proto", .grpcWebText),
        ("application/connect+json", .connectStream), ("application/proto", .connectUnary),
    ])
    func theContentTypeDecidesTheFraming(_ type: String, _ framing: MessageFraming) {
        #expect(MessageFraming(contentType: type) == framing)
    }

    @Test(arguments: ["application/json", "text/plain", "application/grpcx", ""])
    func otherTypesHaveNoFraming(_ type: String) {
        #expect(MessageFraming(contentType: type) == nil)
    }

    @Test(arguments: [MessageFraming.grpc, .grpcWeb, .grpcWebText, .connectStream])
    func messagesAreJoinedAsTheyCame(_ framing: MessageFraming) {
        let messages = [GRPCMessage(bytes: [1, 2]), GRPCMessage(bytes: []), GRPCMessage(flags: 1, bytes: [3])]
        #expect(framing.messages(of: framing.joined(messages)) == messages)
    }

    @Test(arguments: [[0, 0, 0, 0, 2, 1], [0, 0, 0], [7, 0, 0, 0, 0]] as [[UInt8]])
    func aBodyThatIsCutOffOrStrangeHasNoMessages(_ body: [UInt8]) {
        #expect(MessageFraming.grpc.messages(of: body) == nil)
    }

    /// Wherever a body is cut, the counter finds the same ends.
    @Test func messagesAreCountedAsTheyCome() {
        let body = [GRPCMessage(bytes: [1, 2, 3]), GRPCMessage(bytes: []), GRPCMessage(bytes: [4])].flatMap(\.frame)
        for size in 1...body.count {
            var counter = MessageCounter()
            var ends: [Int] = []
            for start in stride(from: 0, to: body.count, by: size) {
                let piece = Array(body[start..<min(start + size, body.count)])
                ends += piece.withUnsafeBytes { counter.take($0) }
            }
            #expect(ends == [8, 13, 19])
            #expect(counter.count == 3)
            #expect(counter.begun == 3)
        }
    }
}
