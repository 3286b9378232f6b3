import Testing

@testable import TapedeckProtobuf

@Suite struct ProtobufMessageTests {
    /// Values of every wire type, from protobuf.dev/programming-guides/encoding.
    private static let everyType: [UInt8] = [
        0x08, 0x96, 0x01,  // 1: 150
        0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67,  // 2: "testing"
        0x1A, 0x03, 0x08, 0x96, 0x01,  // 3: { 1: 150 }
        0x25, 1, 0, 0, 0,  // 4: fixed32 1
        0x29, 2, 0, 0, 0, 0, 0, 0, 0,  // 5: fixed64 2
        0x33, 0x08, 0x01, 0x34,  // 6: group { 1: 1 }
    ]

    @Test func fieldsOfEveryWireTypeAreReadInTheirOrderAndWrittenTheSame() throws {
        let message = try #require(ProtobufMessage(parsing: Self.everyType))
        #expect(
            message.fields == [
                .init(1, .varint(150)), .init(2, .bytes(Array("testing".utf8))), .init(3, .bytes([0x08, 0x96, 0x01])),
                .init(4, .fixed32(1)), .init(5, .fixed64(2)),
                .init(6, .group(ProtobufMessage(fields: [.init(1, .varint(1))]))),
            ]
        )
        #expect(message.bytes == Self.everyType)
    }

    @Test func aTruncatedMessageIsRejected() {
        let ends = Set([0, 3, 12, 17, 22, 31, 35])
        for count in 0...Self.everyType.count {
            let isWhole = ProtobufMessage(parsing: Array(Self.everyType[..<count])) != nil
            #expect(isWhole == ends.contains(count), "\(count) bytes")
        }
    }

    @Test(
        arguments: [
            [0x00, 0x01],  // number 0
            [0x0E, 0x01],  // wire type 6
            [0x0F],  // wire type 7
            [0x0C],  // the end of a group that has not begun
            [0x0B, 0x14],  // a group that ends with another number
            [0x0B, 0x08, 0x01],  // a group without an end
            [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],  // a varint of 65 bits
            [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],  // a varint of 11 bytes
            [0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01],  // a tag of six bytes
            [0xF8, 0xFF, 0xFF, 0xFF, 0x1F, 0x01],  // a tag of 33 bits
            [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],  // a length of 2^64 - 1
        ] as [[UInt8]]
    )
    func malformedBytesAreRejected(_ bytes: [UInt8]) {
        #expect(ProtobufMessage(parsing: bytes) == nil)
        #expect(ProtobufText.text(of: bytes) == nil)
    }

    @Test func groupsMayBeNestedAHundredLevelsDeepAndNoDeeper() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: 0x0B, count: depth) + Array(repeating: 0x0C, count: depth)
        }
        #expect(ProtobufMessage(parsing: nested(100))?.bytes == nested(100))
        #expect(ProtobufMessage(parsing: nested(101)) == nil)
        #expect(ProtobufMessage(parsing: nested(1_000_000)) == nil)
    }

    @Test func aLongVarintIsReadButNotWrittenLong() {
        #expect(ProtobufMessage(parsing: [0x08, 0x81, 0x00])?.bytes == [0x08, 0x01])
    }

    // MARK: Paths

    private func message(_ text: String) throws -> ProtobufMessage {
        try #require(ProtobufMessage(parsing: try ProtobufText.bytes(of: text)))
    }

    @Test(arguments: ["", ".", "1.", ".1", "0", "1.0", "a", "1.-2", "+1", "536870912", "1 2"])
    func aPathIsNumbersOfFieldsWithPointsBetween(_ text: String) {
        #expect(ProtobufPath(text) == nil)
    }

    @Test func aPathFindsAllFieldsOfItsNumbers() throws {
        let message = try self.message("1: { 3: 7, 3: 8 } 2: 5 1: { 3: \"x\" } 1: \"no message\" 4: group { 3: 9 }")
        let path = try #require(ProtobufPath("1.3"))
        #expect(message.values(at: path) == [.varint(7), .varint(8), .bytes([0x78])])
        #expect(message.values(at: try #require(ProtobufPath("4.3"))) == [.varint(9)])
        #expect(message.values(at: try #require(ProtobufPath("5"))).isEmpty)
        #expect(path.description == "1.3")
    }

    @Test func removingAFieldLeavesAllOthers() throws {
        var message = try self.message("1: { 3: 7, 4: 8 } 2: 5 1: { 3: \"x\" } 4: group { 3: 9 }")
        message.remove(at: try #require(ProtobufPath("1.3")))
        message.remove(at: try #require(ProtobufPath("4.3")))
        message.remove(at: try #require(ProtobufPath("2")))
        let expected = try self.message("1: { 4: 8 } 1: {} 4: group {}")
        #expect(message == expected)
    }

    @Test func removingAMissingFieldKeepsEveryByte() throws {
        // 1 is a message with a varint that is longer than necessary.
        let bytes: [UInt8] = [0x0A, 0x03, 0x08, 0x81, 0x00]
        var message = try #require(ProtobufMessage(parsing: bytes))
        message.remove(at: try #require(ProtobufPath("1.2")))
        #expect(message.bytes == bytes)
    }

    @Test func textIsReplacedAtAnyDepthAndLengthsFollow() throws {
        var message = try self.message(
            "1: \"key\" 2: { 1: { 9: \"secret\" } 2: 4 } 3: group { 1: \"secret\" } 4: hex \"00ff\""
        )
        var seen: [String] = []
        let hasChanged = message.replaceTexts { path, text in
            seen.append("\(path)=\(text)")
            return text == "secret" ? "a much longer placeholder" : nil
        }
        #expect(hasChanged)
        #expect(seen == ["1=key", "2.1.9=secret", "3.1=secret"])
        let expected = try self.message(
            "1: \"key\" 2: { 1: { 9: \"a much longer placeholder\" } 2: 4 } "
                + "3: group { 1: \"a much longer placeholder\" } 4: hex \"00ff\""
        )
        #expect(message == expected)
    }

    @Test func bytesAreReadAsTheirMostLikelyKind() throws {
        func content(_ bytes: [UInt8]) -> ProtobufMessage.Value.Content? { ProtobufMessage.Value.bytes(bytes).content }
        #expect(content([]) == .text(""))
        #expect(content(Array("Grüße, 世界 🎉\n".utf8)) == .text("Grüße, 世界 🎉\n"))
        #expect(content([0x08, 0x01]) == .message(ProtobufMessage(fields: [.init(1, .varint(1))])))
        #expect(content([0x00, 0xFF]) == .bytes([0x00, 0xFF]))
        // A message whose only field is a UUID is printable, as its tag is a line feed and its length a dollar sign.
        let uuid = Array("5e0a9c1e-8d1f-4d57-9d5e-0a6b1a7b3c11".utf8)
        #expect(content([0x0A, 0x24] + uuid) == .message(ProtobufMessage(fields: [.init(1, .bytes(uuid))])))
        #expect(content(Array("\nindented".utf8)) == .text("\nindented"))
    }
}
