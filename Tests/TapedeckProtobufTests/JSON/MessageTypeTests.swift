import TapedeckJSON
import TestShare
import Testing

@testable import TapedeckProtobuf

@Suite struct MessageTypeTests {
    private func type(_ name: String) throws -> MessageType {
        try #require(TestDescriptors.set.message(name))
    }

    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    private func text(_ json: JSONValue?) -> String? {
        json.map { String(decoding: $0.compactText, as: UTF8.self) }
    }

    // MARK: The mapping

    @Test(arguments: MessageSample.all)
    func messagesAreAsAnotherImplementationWritesThem(_ sample: MessageSample) throws {
        let type = try self.type(sample.type)
        let json = try self.json(sample.json)
        #expect(try type.bytes(of: json) == sample.bytes)
        let exact = try #require(type.exactJSON(of: sample.bytes))
        #expect(exact == json)
    }

    @Test(arguments: [
        "{}", #"{"item": {"name": "x", "parts": [{"count": 1}]}}"#, #"{"createdAt": "2026-11-24T08:30:00.500Z"}"#,
        #"{"barter": {"name": "x"}}"#, #"{"took": "1.500s"}"#, #"{"byNumber": {"1": {"name": "x"}}}"#,
        #"{"any": {"@type": "x/tapedeck.test.Order.Item", "name": "x"}}"#,
    ])
    func `a field that no descriptor knows is seen in every message`(_ text: String) throws {
        let type = try self.type("tapedeck.test.Order")
        let json = try self.json(text)
        let bytes = try type.bytes(of: json)
        #expect(type.wholeJSON(of: bytes) == json)
        let message = try #require(ProtobufMessage(parsing: bytes))
        for changed in Self.withUnknownField(message) {
            #expect(type.wholeJSON(of: changed.bytes) == nil, "\(changed)")
            #expect(type.json(of: changed.bytes) != nil)
        }
    }

    /// The message with another field in it, and in each of the messages within it.
    private static func withUnknownField(_ message: ProtobufMessage) -> [ProtobufMessage] {
        var changed = [ProtobufMessage(fields: message.fields + [ProtobufMessage.Field(2_000, .varint(1))])]
        for (index, field) in message.fields.enumerated() {
            guard case .message(let inner)? = field.value.content else { continue }
            for inner in self.withUnknownField(inner) {
                var outer = message
                outer.fields[index].value = .bytes(inner.bytes)
                changed.append(outer)
            }
        }
        return changed
    }

    /// Forms that are read but not written.
    @Test(arguments: [
        (#"{"signed_number": 7}"#, #"{"signedNumber": 7}"#),
        (
            #"{"bigNumber": 7, "count": "7", "numbers": ["-1", 1e2, 3.0]}"#,
            #"{"bigNumber": "7", "count": 7, "numbers": [-1, 100, 3]}"#
        ),
        (#"{"bigCount": 1.8446744073709551615e19}"#, #"{"bigCount": "18446744073709551615"}"#),
        (#"{"price": "1.5", "weight": "-2"}"#, #"{"price": 1.5, "weight": -2}"#),
        (#"{"receipt": "-_8"}"#, #"{"receipt": "+/8="}"#),
        (#"{"state": 1, "states": [2, "LOST"]}"#, #"{"state": "OPEN", "states": ["SHIPPED", "LOST"]}"#),
        (#"{"createdAt": "2026-11-24T09:30:00.5+01:00"}"#, #"{"createdAt": "2026-11-24T08:30:00.500Z"}"#),
        (#"{"took": "1.5s"}"#, #"{"took": "1.500s"}"#),
        (#"{"price": null, "item": null, "tags": null, "labels": null, "stringValue": null}"#, "{}"),
        (#"{"nothing": "NULL_VALUE"}"#, #"{"nothing": null}"#),
        (
            #"{"any": {"value": {}, "@type": "x/google.protobuf.Empty"}}"#,
            #"{"any": {"@type": "x/google.protobuf.Empty"}}"#
        ),
        (
            #"{"paid": false, "customerName": "", "count": 0, "state": "STATE_UNSPECIFIED", "tags": [], "labels": {}}"#,
            "{}"
        ),
    ])
    func otherFormsAreReadToo(_ read: String, _ written: String) throws {
        let type = try self.type("tapedeck.test.Order")
        let bytes = try type.bytes(of: self.json(read))
        let written = try self.json(written)
        #expect(type.json(of: bytes) == written)
        #expect(try type.bytes(of: written) == bytes)
    }

    @Test func anAnyOfAnUnknownTypeHasItsBytesInBase64() throws {
        let type = try self.type("tapedeck.test.Order")
        let json = try self.json(#"{"any": {"@type": "type.googleapis.com/some.Other", "value": "CAE="}}"#)
        let bytes = try type.bytes(of: json)
        #expect(type.exactJSON(of: bytes) == json)
        #expect(ProtobufText.text(of: bytes)?.contains("2: { 1: 1 }") == true)
    }

    // MARK: What a receiver makes of unusual bytes

    @Test(arguments: [
        ("14: \"a\" 14: \"b\"", #"{"customerName":"b"}"#),
        ("17: { 1: \"a\" 2: 1 } 17: { 2: 2 3: {} }", #"{"item":{"name":"a","count":2,"parts":[{}]}}"#),
        ("30: \"a\" 32: { 1: \"b\" }", #"{"barter":{"name":"b"}}"#),
        ("32: { 1: \"b\" } 30: \"a\" 32: { 2: 1 }", #"{"barter":{"count":1}}"#),
        ("40: 1 40: hex \"0203\" 40: 4", #"{"numbers":[1,2,3,4]}"#),
        ("50: { 1: \"a\" 2: \"b\" } 50: { 1: \"c\" } 50: { 2: \"d\" 1: \"a\" }", #"{"labels":{"a":"d","c":""}}"#),
        ("1: 5 14: 7 15: fixed32 1 200: \"unknown\" 13: 1", #"{"paid":true}"#),
        ("3: 4294967296 13: 2 20: 4294967295", #"{"paid":true,"discount":-1}"#),
        ("40: hex \"\" 13: 0", "{}"),
    ])
    func bytesAreReadAsAReceiverReadsThem(_ text: String, _ json: String) throws {
        let type = try self.type("tapedeck.test.Order")
        let bytes = try ProtobufText.bytes(of: text)
        #expect(self.text(type.json(of: bytes)) == json)
        #expect(type.exactJSON(of: bytes) == nil)
    }

    @Test func aClosedEnumDropsValuesWithoutAName() throws {
        let type = try self.type("tapedeck.legacy.Record")
        let bytes = try ProtobufText.bytes(of: "1: 5 3: 1 3: 9 8: 1 8: 9 9: { 1: \"a\" 2: 9 } 9: { 1: \"b\" 2: 1 }")
        let json = #"{"id":5,"kind":"FIRST","kinds":["FIRST"],"byName":{"b":"FIRST"}}"#
        #expect(self.text(type.json(of: bytes)) == json)
        #expect(type.exactJSON(of: bytes) == nil)
    }

    @Test(arguments: [
        // Invalid UTF-8.
        "14: hex \"ff\"", "14: hex \"ff\" 14: \"replaced\"", "62: { 1: hex \"ff\" }", "66: { 1: hex \"ff\" }",
        "60: { 1: 253402300800 }",  // the year 10000
        "60: { 2: -1 }", "61: { 1: 1 2: -1 }", "61: { 1: 315576000001 }",
        "62: { 1: \"fooBar\" }", "62: { 1: \"foo__bar\" }",
        "64: { 2: fixed64 9218868437227405312 }",  // infinity
        "66: { 2: \"no type\" }", "66: { 1: \"x/tapedeck.test.Order\" 2: hex \"0b\" }",
        "40: hex \"80\"", "42: hex \"0102\"",  // packed values that are cut off
    ])
    func valuesThatJSONCannotExpressHaveNoJSON(_ text: String) throws {
        #expect(try self.type("tapedeck.test.Order").json(of: ProtobufText.bytes(of: text)) == nil)
    }

    // MARK: The very bytes

    @Test func fieldsInAnyOrderComeBackInThatOrder() throws {
        let type = try self.type("tapedeck.test.Order")
        let bytes = try ProtobufText.bytes(
            of: "50: { 1: \"z\" 2: \"1\" } 50: { 1: \"a\" 2: \"2\" } 14: \"x\" 13: 1 3: 7"
        )
        let json = try #require(type.exactJSON(of: bytes))
        #expect(self.text(json) == #"{"labels":{"z":"1","a":"2"},"customerName":"x","paid":true,"signedNumber":7}"#)
        #expect(try type.bytes(of: json) == bytes)
    }

    @Test(arguments: [
        "40: 1 40: 2",  // not packed, though proto3 packs
        "41: hex \"02\"",  // packed, though the file says not to
        "40: hex \"01\" 40: hex \"02\"",  // in two pieces
        "43: \"a\" 13: 1 43: \"b\"",  // elements apart
        "13: 0", "14: \"\"",  // zeros that need not be sent
        "99: 1",  // an unknown field
        "50: { 2: \"v\" 1: \"k\" }", "50: { 1: \"k\" }",  // a map's entry in another form
        "60: { 1: 5 2: 0 }", "61: { 2: 1 1: 5 }",
        "1: fixed64 9221120237041090561",  // NaN with other bits
        "64: {}",
    ])
    func bytesThatJSONCannotRestoreHaveNoExactJSON(_ text: String) throws {
        let type = try self.type("tapedeck.test.Order")
        let bytes = try ProtobufText.bytes(of: text)
        #expect(type.json(of: bytes) != nil)
        #expect(type.exactJSON(of: bytes) == nil)
    }

    @Test func anOverlongVarintHasNoExactJSON() throws {
        let type = try self.type("tapedeck.test.Order")
        #expect(self.text(type.json(of: [0x68, 0x81, 0x00])) == #"{"paid":true}"#)
        #expect(type.exactJSON(of: [0x68, 0x81, 0x00]) == nil)
    }

    // MARK: Mistakes

    @Test(arguments: [
        (
            #"{"custmerName": "x"}"#, "$.custmerName",
            "tapedeck.test.Order has no such field; did you mean customerName?"
        ),
        (
            #"{"item": {"parts": [{}, {"size": 1}]}}"#, "$.item.parts[1].size",
            "tapedeck.test.Order.Item has no such field; its fields are name, count, parts"
        ),
        (
            #"{"signedNumber": 2147483648}"#, "$.signedNumber",
            "expected an integer from -2147483648 to 2147483647, not 2147483648"
        ),
        (#"{"count": -1}"#, "$.count", "expected an integer from 0 to 4294967295, not -1"),
        (#"{"count": 1.5}"#, "$.count", "expected an integer from 0 to 4294967295, not 1.5"),
        (
            #"{"bigNumber": "1 "}"#, "$.bigNumber",
            "expected an integer from -9223372036854775808 to 9223372036854775807, not \"1 \""
        ),
        (#"{"weight": 1e39}"#, "$.weight", "expected a float, not 1e39"),
        (#"{"price": "inf"}"#, "$.price", "expected a double, not \"inf\""),
        (#"{"paid": "a\nb"}"#, "$.paid", "expected true or false, not \"a\\nb\""),
        (#"{"paid": "true"}"#, "$.paid", "expected true or false, not \"true\""),
        (#"{"customerName": 5}"#, "$.customerName", "expected a string, not 5"),
        (#"{"receipt": "%"}"#, "$.receipt", "expected bytes as a base64 string, not \"%\""),
        (#"{"state": "OPNE"}"#, "$.state", "tapedeck.test.Order.State has no value \"OPNE\"; did you mean OPEN?"),
        (#"{"state": true}"#, "$.state", "expected a name or number of tapedeck.test.Order.State, not true"),
        (#"{"tags": "a"}"#, "$.tags", "expected a list, as the field is repeated, not \"a\""),
        (#"{"tags": ["a", null]}"#, "$.tags[1]", "expected a string, not null"),
        (#"{"labels": []}"#, "$.labels", "expected an object, as the field is a map, not a list"),
        (
            #"{"byNumber": {"x": {}}}"#, "$.byNumber.x",
            "expected an integer from -2147483648 to 2147483647, not \"x\""
        ),
        (#"{"byFlag": {"yes": 1}}"#, "$.byFlag.yes", "the keys of this map are \"true\" and \"false\""),
        (#"{"byNumber": {"1": null}}"#, "$.byNumber.1", "expected an object for tapedeck.test.Order.Item, not null"),
        (#"{"labels": {"a b": 1}}"#, "$.labels[\"a b\"]", "expected a string, not 1"),
        (#"{"item": []}"#, "$.item", "expected an object for tapedeck.test.Order.Item, not a list"),
        (
            #"{"card": "x", "cents": 1}"#, "$.cents",
            "only one of card and cents can be set, as both are in the oneof payment"
        ),
        (#"{"count": 1, "count": 2}"#, "$.count", "duplicate field; remove one"),
        (#"{"bigNumber": 1, "big_number": 2}"#, "$.big_number", "duplicate field; remove one"),
        (
            #"{"createdAt": "2026-02-30T00:00:00Z"}"#, "$.createdAt",
            "expected a timestamp such as \"2026-11-24T08:30:00.250Z\", not \"2026-02-30T00:00:00Z\""
        ),
        (#"{"took": "5"}"#, "$.took", "expected a duration in seconds such as \"1.5s\", not \"5\""),
        (
            #"{"mask": "a_b"}"#, "$.mask",
            "expected field names in lowerCamelCase such as \"user.firstName,id\", not \"a_b\""
        ),
        (
            #"{"any": {"name": "x"}}"#, "$.any",
            "an Any needs its type in @type, such as \"type.googleapis.com/package.Message\""
        ),
        (
            #"{"any": {"@type": "x/some.Other", "a": 1}}"#, "$.any",
            "the type \"x/some.Other\" is not in the descriptor set; add its file, or give the bytes as base64 in value"
        ),
        (
            #"{"any": {"@type": "x/google.protobuf.Duration", "value": 1}}"#, "$.any.value",
            "expected a duration in seconds such as \"1.5s\", not 1"
        ),
        ("[]", "$", "expected an object for tapedeck.test.Order, not a list"),
    ])
    func anErrorHasAPathAndARemedy(_ json: String, _ path: String, _ message: String) throws {
        let type = try self.type("tapedeck.test.Order")
        let value = try self.json(json)
        let error = try #require(throws: ProtobufJSONError.self) { try type.bytes(of: value) }
        #expect(error.path == path)
        #expect(error.message == message)
    }

    @Test func aRequiredFieldIsRequired() throws {
        for (name, json, field) in [
            ("tapedeck.legacy.Record", "{}", "id"), ("tapedeck.edition.Settings", "{}", "needed"),
        ] {
            let type = try self.type(name)
            let value = try self.json(json)
            let error = try #require(throws: ProtobufJSONError.self) { try type.bytes(of: value) }
            #expect(error.message == "\(name) requires the field \(field)")
        }
    }

    // MARK: Hostile input

    @Test func messagesAreNestedAHundredLevelsDeepAndNoDeeper() throws {
        let type = try self.type("tapedeck.test.Order.Item")
        func nested(_ depth: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            for _ in 0..<depth { bytes = ProtobufMessage(fields: [.init(3, .bytes(bytes))]).bytes }
            return bytes
        }
        #expect(type.exactJSON(of: nested(100)) != nil)
        #expect(type.json(of: nested(101)) == nil)
        #expect(type.json(of: nested(3000)) == nil)
        let json = try self.json(String(repeating: #"{"parts":["#, count: 200) + String(repeating: "]}", count: 200))
        #expect(throws: ProtobufJSONError.self) { try type.bytes(of: json) }
        let list = try self.json(
            #"{"anything": "# + String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + "}"
        )
        let order = try self.type("tapedeck.test.Order")
        #expect(throws: ProtobufJSONError.self) { try order.bytes(of: list) }
    }

    @Test(.timeLimit(.minutes(1))) func manyValuesOfOneFieldAreReadInLinearTime() throws {
        let type = try self.type("tapedeck.test.Order")
        // Lists, maps, merged messages and a oneof that changes its mind, each of which could be copied for every
        // value.
        let fields: [ProtobufMessage.Field] = [
            .init(43, .bytes([0x61])), .init(40, .varint(1)), .init(17, .bytes([0x0A, 0x01, 0x61])),
            .init(30, .bytes([0x61])), .init(31, .varint(1)), .init(46, .bytes([])),
        ]
        var message = ProtobufMessage(fields: (0..<rounds(100_000)).flatMap { _ in fields })
        message.fields += (0..<UInt64(rounds(100_000))).map {
            .init(51, .bytes(ProtobufMessage(fields: [.init(1, .varint($0))]).bytes))
        }
        #expect(type.json(of: message.bytes) != nil)
    }
}
