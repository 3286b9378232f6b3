import TapedeckJSON
import Testing

@testable import TapedeckProtobuf

@Suite struct DescriptorSetTests {
    private let set = TestDescriptors.set

    @Test func servicesAndTheirMethodsAreFoundByPath() throws {
        #expect(self.set.services == ["tapedeck.test.Orders"])
        #expect(self.set.methods(of: "tapedeck.test.Orders").map(\.name) == ["Place", "Watch", "Upload", "Talk"])
        let watch = try #require(self.set.method("/tapedeck.test.Orders/Watch"))
        #expect(watch.service == "tapedeck.test.Orders")
        #expect(watch.input.name == "tapedeck.test.Order.Item" && watch.output.name == "tapedeck.test.Order")
        #expect(!watch.isClientStreaming && watch.isServerStreaming)
        let upload = try #require(self.set.method("tapedeck.test.Orders/Upload"))
        #expect(upload.isClientStreaming && !upload.isServerStreaming)
        for path in [
            "", "/", "tapedeck.test.Orders", "tapedeck.test.Orders/", "Orders/Watch", "/tapedeck.test.Orders/Watch/x",
        ] {
            #expect(self.set.method(path) == nil, "\(path)")
        }
    }

    @Test func aSetIsWrittenAsItWasRead() {
        #expect(self.set.bytes == TestDescriptors.bytes)
        #expect(self.set.fileNames == ["orders.proto", "legacy.proto", "edition.proto"])
    }

    @Test func theErrorTypesOfGoogleAreBuiltIn() {
        for name in ["google.rpc.Status", "google.rpc.BadRequest.FieldViolation", "google.protobuf.Any"] {
            #expect(DescriptorSet.builtIn.message(name) != nil && self.set.message(name) != nil)
        }
        #expect(self.set.message("tapedeck.test.Missing") == nil)
    }

    // MARK: Sets made by hand

    /// A set of one file, whose fields are written as ``ProtobufText``.
    private func file(_ text: String) throws -> DescriptorSet {
        try DescriptorSet(files: [ProtobufText.bytes(of: text)])
    }

    @Test func theFirstOfTwoFilesWithTheSameNameIsUsed() throws {
        let first = try self.file("1: \"a.proto\" 4: { 1: \"A\" 2: { 1: \"x\" 3: 1 4: 1 5: 9 } }")
        let second = try self.file("1: \"a.proto\" 4: { 1: \"A\" }")
        let third = try self.file("1: \"b.proto\" 4: { 1: \"B\" }")
        let merged = try first.merging(second).merging(third)
        #expect(merged.fileNames == ["a.proto", "b.proto"])
        let a = try #require(merged.message("A"))
        #expect(try a.bytes(of: .object([.init(name: "x", value: .string("y"))])) == [0x0A, 0x01, 0x79])
        #expect(merged.message("B") != nil)
    }

    @Test func aTypeThatIsMissingIsNamedWithTheRemedy() throws {
        let error = try #require(throws: DescriptorError.self) {
            try self.file("1: \"a.proto\" 2: \"p\" 4: { 1: \"A\" 2: { 1: \"x\" 3: 1 4: 1 5: 11 6: \".p.B\" } }")
        }
        #expect(
            error.description == "a.proto: p.B, the type of field p.A.x, is not in the descriptor set; "
                + "create the set with protoc --include_imports or with buf build"
        )
        #expect(throws: DescriptorError.self) {
            try self.file("1: \"a.proto\" 6: { 1: \"S\" 2: { 1: \"M\" 2: \".p.B\" 3: \".p.B\" } }")
        }
    }

    @Test func anExtensionOfAMessageThatIsMissingIsLeftOut() throws {
        let options = "7: { 1: \"http\" 2: \".google.protobuf.MethodOptions\" 3: 72295728 4: 1 5: 9 }"
        #expect(try self.file("1: \"a.proto\" 4: { 1: \"A\" } \(options)").message("A") != nil)
    }

    @Test func aNameWithoutALeadingPointIsLookedUpFromTheInnermostScope() throws {
        let set = try self.file(
            """
            1: "a.proto" 2: "p.q" 12: "proto3"
            4: { 1: "A" 2: { 1: "x" 3: 1 4: 1 6: "B" } 3: { 1: "B" 2: { 1: "inner" 3: 1 4: 1 5: 9 } } }
            4: { 1: "B" 2: { 1: "outer" 3: 1 4: 1 5: 9 } }
            4: { 1: "C" 2: { 1: "x" 3: 1 4: 1 6: "q.B" } }
            """
        )
        let bytes: [UInt8] = [0x0A, 0x03, 0x0A, 0x01, 0x79]
        for (message, json) in [("A", #"{"x":{"inner":"y"}}"#), ("C", #"{"x":{"outer":"y"}}"#)] {
            let type = try #require(set.message("p.q.\(message)"))
            #expect(type.exactJSON(of: bytes).map { String(decoding: $0.compactText, as: UTF8.self) } == json)
        }
    }

    @Test(arguments: [
        ("hex \"ff\"", "a file in the descriptor set is malformed at byte 0"),
        ("{ 1: \"a.proto\" 4: { 1: \"A\" 2: { 1: \"x\" 4: 1 5: 9 } } }", "a.proto: field A.x has the invalid number 0"),
        (
            "{ 1: \"a.proto\" 4: { 1: \"A\" 2: { 1: \"x\" 3: 1 5: 9 9: 3 } } }",
            "a.proto: field A.x refers to a missing oneof"
        ),
        (
            "{ 1: \"a.proto\" 4: { 1: \"A\" 7: { 7: 1 } } }",
            "A is marked as a map entry but has no key or value"
        ),
    ])
    func anInconsistentSetIsRejected(_ file: String, _ message: String) throws {
        let bytes = try ProtobufText.bytes(of: "1: \(file)")
        let error = try #require(throws: DescriptorError.self) { try DescriptorSet(parsing: bytes) }
        #expect(error.description == message)
    }

    @Test func bytesThatAreNotADescriptorSetAreRejected() throws {
        let text = try #require(throws: DescriptorError.self) { try DescriptorSet(parsing: Array("syntax".utf8)) }
        #expect(
            text.description == "not a descriptor set: malformed at byte 2; "
                + "create one with protoc --include_imports --descriptor_set_out=FILE"
        )
        let empty = try #require(throws: DescriptorError.self) { try DescriptorSet(parsing: []) }
        #expect(empty.description == "the descriptor set is empty; pass the .proto files to protoc")
    }

    /// Files that redefine what is built in, in ways that no compiler accepts.
    @Test(arguments: [
        "4: { 1: \"StringValue\" 2: { 1: \"value\" 3: 1 4: 1 5: 11 6: \".google.protobuf.StringValue\" } }",
        "4: { 1: \"StringValue\" }", "4: { 1: \"Timestamp\" 2: { 1: \"seconds\" 3: 1 4: 1 5: 9 } }",
        "4: { 1: \"Any\" 2: { 1: \"type_url\" 3: 1 4: 3 5: 5 } }", "5: { 1: \"Struct\" 2: { 1: \"A\" } }",
        "4: { 1: \"Value\" 2: { 1: \"x\" 3: 1 4: 1 5: 11 6: \".google.protobuf.Value\" } }",
        "4: { 1: \"FieldMask\" 2: { 1: \"paths\" 3: 1 4: 1 5: 1 } }", "4: { 1: \"NullValue\" }",
    ])
    func unusualDefinitionsOfWellKnownTypesDoNotCrash(_ definition: String) throws {
        let set = try self.file("1: \"a.proto\" 2: \"google.protobuf\" 12: \"proto3\" \(definition)")
        for name in ["StringValue", "Timestamp", "Any", "Struct", "Value", "FieldMask", "ListValue"] {
            guard let type = set.message("google.protobuf.\(name)") else { continue }
            for text in ["", "1: 5", "1: \"\"", "1: { 1: \"x\" 2: {} }", "1: double 1.5", "1: { 1: { 1: {} } }"] {
                _ = type.exactJSON(of: try ProtobufText.bytes(of: text))
            }
            for json in ["{}", "\"x\"", "[]", "5", "null", "{\"@type\": \"x\", \"value\": {}}", "{\"seconds\": \"5\"}"]
            {
                _ = try? type.bytes(of: .init(parsing: Array(json.utf8)))
            }
        }
    }
}
