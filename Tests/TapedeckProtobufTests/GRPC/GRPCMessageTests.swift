import Testing

@testable import TapedeckProtobuf

@Suite struct GRPCMessageTests {
    private static let messages = [
        GRPCMessage(bytes: []), GRPCMessage(flags: 1, bytes: [1, 2, 3]),
        GRPCMessage(bytes: Array(repeating: 7, count: 70_000)), GRPCMessage(flags: 0x80, bytes: [4]),
    ]

    @Test func messagesAreReadFromPiecesOfAnySize() throws {
        let body = Self.messages.flatMap(\.frame)
        for size in [1, 2, 5, 6, 1000, body.count] {
            var reader = GRPCMessageReader(limit: 70_000)
            var messages: [GRPCMessage] = []
            for start in stride(from: 0, to: body.count, by: size) {
                reader.append(body[start..<min(start + size, body.count)])
                while let message = try reader.next() { messages.append(message) }
            }
            #expect(messages == Self.messages)
            #expect(reader.rest.isEmpty)
        }
    }

    @Test func theRestOfACutBodyIsKept() throws {
        let body = Self.messages[1].frame + [0, 0, 0, 0, 9, 1]
        let (messages, rest) = try GRPCMessageReader.split(body)
        #expect(messages == [Self.messages[1]])
        #expect(rest == [0, 0, 0, 0, 9, 1])
    }

    @Test func aMessageOverTheLimitIsRefusedBeforeItsBytesCome() {
        var reader = GRPCMessageReader(limit: 10)
        reader.append([0, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: GRPCMessageTooLarge(count: 0xFFFF_FFFF, limit: 10)) { try reader.next() }
    }

    @Test func flagsMarkCompressionAndTrailers() {
        var message = GRPCMessage(flags: 0x81, bytes: [])
        #expect(message.isCompressed && message.isWebTrailers)
        message.isCompressed = false
        #expect(message.flags == 0x80)
    }

    @Test func codesHaveTheirNames() {
        #expect(GRPCStatusCode("UNAVAILABLE") == .unavailable)
        #expect(GRPCStatusCode("16") == .unauthenticated)
        #expect(GRPCStatusCode("unavailable") == nil)
        #expect(GRPCStatusCode("-1") == nil)
        #expect(GRPCStatusCode(rawValue: 17).description == "17")
        for code in 0...16 {
            #expect(GRPCStatusCode(GRPCStatusCode(rawValue: code).description)?.rawValue == code)
        }
        #expect(GRPCStatusCode.cancelled.connectName == "canceled")
        #expect(GRPCStatusCode(connectName: "permission_denied") == .permissionDenied)
        #expect(GRPCStatusCode(connectName: "ok") == nil)
    }

    @Test(arguments: [
        ("plain text ~", "plain text ~"), ("100%", "100%25"), ("größe\n", "gr%C3%B6%C3%9Fe%0A"), ("", ""),
    ])
    func messagesOfAStatusArePercentEncoded(_ text: String, _ value: String) {
        #expect(GRPCStatusMessage.encode(text) == Array(value.utf8))
        #expect(GRPCStatusMessage.exactText(of: Array(value.utf8)) == text)
    }

    @Test(arguments: [("%zz", "%zz"), ("50%", "50%"), ("%c3%b6", "ö"), ("%FF", "\u{FFFD}"), ("%41", "A")])
    func messagesThatAreEncodedOtherwiseAreReadableButNotExact(_ value: String, _ text: String) {
        #expect(GRPCStatusMessage.decode(Array(value.utf8)) == text)
        #expect(GRPCStatusMessage.exactText(of: Array(value.utf8)) == nil)
    }

    @Test func binaryMetadataIsBase64WithoutPadding() {
        #expect(GRPCBinaryMetadata.encode([1]) == Array("AQ".utf8))
        #expect(GRPCBinaryMetadata.decode(Array("AQ".utf8)) == [1])
        #expect(GRPCBinaryMetadata.decode(Array("AQ==".utf8)) == [1])
        #expect(GRPCBinaryMetadata.decode(Array("A!".utf8)) == nil)
    }
}
