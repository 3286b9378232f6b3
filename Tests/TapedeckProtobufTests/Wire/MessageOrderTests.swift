import Testing

@testable import TapedeckProtobuf

/// Orders of fields that mean the same.
@Suite struct MessageOrderTests {
    private static func message(_ text: String) throws -> ProtobufMessage {
        try #require(ProtobufMessage(parsing: try ProtobufText.bytes(of: text)))
    }

    @Test(arguments: [
        (
            #"1: 5 3: { 1: "a" 2: "x" } 3: { 1: "b" 2: "y" } 3: { 1: "c" }"#,
            #"3: { 1: "c" } 3: { 1: "b" 2: "y" } 1: 5 3: { 1: "a" 2: "x" }"#
        ),
        ("3: { 1: 300 2: { 4: 1 } } 3: { 1: 2 }", "3: { 1: 2 } 3: { 2: { 4: 1 } 1: 300 }"),
        (#"7: { 3: { 1: "a" } 3: { 1: "b" } }"#, #"7: { 3: { 1: "b" } 3: { 1: "a" } }"#),
    ])
    func `the same`(_ one: String, _ other: String) throws {
        #expect(try Self.message(one).inOneOrder == Self.message(other).inOneOrder)
    }

    @Test(arguments: [
        ("3: 1 3: 2", "3: 2 3: 1"), (#"3: "a" 3: "b""#, #"3: "b" 3: "a""#),
        (#"3: { 1: "a" 2: "x" } 3: { 1: "b" 2: "y" }"#, #"3: { 1: "a" 2: "y" } 3: { 1: "b" 2: "x" }"#),
        // No maps: a third field, an equal key, a number with a fraction as the key.
        (#"3: { 1: "a" 5: 1 } 3: { 1: "b" }"#, #"3: { 1: "b" } 3: { 1: "a" 5: 1 }"#),
        (#"3: { 1: "a" 2: 1 } 3: { 1: "a" 2: 2 }"#, #"3: { 1: "a" 2: 2 } 3: { 1: "a" 2: 1 }"#),
        (
            "3: { 1: double 1.0 } 3: { 1: double 2.0 }",
            "3: { 1: double 2.0 } 3: { 1: double 1.0 }"
        ),
    ])
    func `not the same`(_ one: String, _ other: String) throws {
        #expect(try Self.message(one).inOneOrder != Self.message(other).inOneOrder)
    }
}
