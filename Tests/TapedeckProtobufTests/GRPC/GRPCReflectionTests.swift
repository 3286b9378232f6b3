import Testing

@testable import TapedeckProtobuf

@Suite struct GRPCReflectionTests {
    private func message(_ text: String) throws -> [UInt8] {
        try ProtobufText.bytes(of: text)
    }

    private static let services =
        "2: {} 6: { 1: { 1: \"p.A\" } 1: { 1: \"p.B\" } 1: { 1: \"grpc.reflection.v1.ServerReflection\" } }"
    private static let a =
        "1: \"a.proto\" 2: \"p\" 3: \"c.proto\" 6: { 1: \"A\" 2: { 1: \"M\" 2: \".p.C\" 3: \".p.C\" } }"
    private static let b = "1: \"b.proto\" 2: \"p\" 3: \"a.proto\" 3: \"c.proto\" 6: { 1: \"B\" }"
    private static let c = "1: \"c.proto\" 2: \"p\" 4: { 1: \"C\" }"

    @Test func requestsAreTheMessagesOfTheProtocol() throws {
        #expect(ProtobufText.text(of: GRPCReflection.Request.listServices.bytes) == "7: \"\"\n")
        #expect(ProtobufText.text(of: GRPCReflection.Request.fileContaining(symbol: "p.A").bytes) == "4: \"p.A\"\n")
        #expect(ProtobufText.text(of: GRPCReflection.Request.file(name: "a.proto").bytes) == "3: \"a.proto\"\n")
    }

    @Test func aServerIsAskedForTheFilesOfItsServicesAndWhatTheyImport() throws {
        let answers: [GRPCReflection.Request: String] = [
            .listServices: Self.services,
            .fileContaining(symbol: "p.A"): "4: { 1: { \(Self.a) } }",
            .fileContaining(symbol: "p.B"): "4: { 1: { \(Self.b) } }",
            .file(name: "c.proto"): "4: { 1: { \(Self.c) } }",
        ]
        var dialogue = GRPCReflectionDialogue()
        var asked: [GRPCReflection.Request] = []
        while let request = dialogue.request {
            asked.append(request)
            dialogue.receive(try self.message(try #require(answers[request])))
        }
        #expect(
            asked == [
                .listServices, .fileContaining(symbol: "p.A"), .file(name: "c.proto"), .fileContaining(symbol: "p.B"),
            ]
        )
        #expect(dialogue.problems.isEmpty)
        let set = try dialogue.descriptors()
        #expect(set.fileNames == ["a.proto", "c.proto", "b.proto"])
        #expect(set.method("/p.A/M")?.input.name == "p.C")
    }

    @Test func filesSentWithOthersAreNotRequested() throws {
        var dialogue = GRPCReflectionDialogue()
        dialogue.receive(try self.message("6: { 1: { 1: \"p.A\" } }"))
        dialogue.receive(try self.message("4: { 1: { \(Self.c) } 1: { \(Self.a) } }"))
        #expect(dialogue.request == nil)
        #expect(try dialogue.descriptors().services == ["p.A"])
    }

    @Test func symbolsThatTheServerCannotDescribeAreReported() throws {
        var dialogue = GRPCReflectionDialogue()
        dialogue.receive(try self.message("6: { 1: { 1: \"p.A\" } 1: { 1: \"p.B\" } }"))
        dialogue.receive(try self.message("7: { 1: 5 2: \"no such symbol\" }"))
        dialogue.receive([0xFF])
        #expect(dialogue.request == nil)
        #expect(
            dialogue.problems == [
                "p.A: NOT_FOUND no such symbol", "p.B: the response cannot be read",
            ]
        )
    }

    @Test func aServerCannotKeepTheDialogueGoingForever() throws {
        var dialogue = GRPCReflectionDialogue()
        dialogue.receive(try self.message("6: { 1: { 1: \"p.A\" } }"))
        var count = 0
        while dialogue.request != nil, count < 20_000 {
            count += 1
            dialogue.receive(try self.message("4: { 1: { 1: \"\(count).proto\" 3: \"\(count + 1).proto\" } }"))
        }
        #expect(count < 20_000)
    }
}
