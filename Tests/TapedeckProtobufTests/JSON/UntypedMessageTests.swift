import TapedeckJSON
import TapedeckProtobuf
import Testing

/// Messages without a descriptor, as values.
@Suite struct UntypedMessageTests {
    private static func message(_ text: String) throws -> ProtobufMessage {
        try #require(ProtobufMessage(parsing: try ProtobufText.bytes(of: text)))
    }

    @Test(arguments: [
        ("1: \"ada\"\n2: 42", #"{"1":"ada","2":42}"#),
        ("1: 1\n1: 2\n3: { 1: \"x\" }", #"{"1":[1,2],"3":{"1":"x"}}"#),
        ("3: { 1: 1796021689, 2: 629095000 }", #"{"3":"2026-11-30T06:54:49.629095Z"}"#),
        ("3: { 1: 1796021689 }", #"{"3":"2026-11-30T06:54:49Z"}"#),
        // Not of this century, and not a time.
        ("3: { 1: 42, 2: 7 }", #"{"3":{"1":42,"2":7}}"#),
        ("3: { 1: 1796021689, 2: 1000000000 }", #"{"3":{"1":1796021689,"2":1000000000}}"#),
        ("5: hex \"08ff00\"\n4: fixed32 7", #"{"5":{"hex":"08FF00"},"4":{"fixed32":7}}"#),
        ("6: group { 1: 1 }", #"{"6":{"group":{"1":1}}}"#),
    ])
    func `fields are members by number`(_ text: String, _ json: String) throws {
        #expect(String(decoding: try Self.message(text).json.compactText, as: UTF8.self) == json)
    }

    @Test(arguments: [5_000, 10_000])
    func `a message within thousands of others is compared, and ends nothing`(_ depth: Int) throws {
        var bytes: [UInt8] = []
        for _ in 0..<depth where bytes.count < 1 << 20 {
            bytes = ProtobufMessage(fields: [ProtobufMessage.Field(1, .bytes(bytes))]).bytes
        }
        let message = try #require(ProtobufMessage(parsing: bytes))
        #expect(message.inOneOrder.bytes == bytes)
        // The bytes behind the depth of readers are no text.
        #expect(message.changingTexts { $0 + [0x21] } == message)
        #expect(message.json["1"]?["1"] != nil)
    }

    @Test func `texts change at every depth, and with them the lengths`() throws {
        let message = try Self.message("1: \"ada\"\n2: { 1: \"to ada\", 3: { 1: \"x\" } }\n4: hex \"00ff\"\n5: 7")
        let changed = message.changingTexts { $0 == Array("ada".utf8) ? Array("grace hopper".utf8) : $0 + [0x21] }
        #expect(
            try changed
                == Self.message(
                    "1: \"grace hopper\"\n2: { 1: \"to ada!\", 3: { 1: \"x!\" } }\n4: hex \"00ff\"\n5: 7"
                )
        )
        #expect(ProtobufMessage(parsing: changed.bytes) == changed)
    }
}
