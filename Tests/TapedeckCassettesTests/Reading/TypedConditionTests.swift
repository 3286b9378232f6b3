import TapedeckCassettes
import TapedeckCore
import TapedeckProtobuf
import Testing

/// Conditions on the messages of a call as JSON, by the descriptors of their cassette.
@Suite struct TypedConditionTests {
    /// `service demo.Greeter { rpc SayHello(Hello) returns (Hello) }`, where `Hello` has the text `name`.
    private static let descriptors = """
        1: {
          1: "demo.proto" 2: "demo" 12: "proto3"
          4: { 1: "Hello" 2: { 1: "name" 3: 1 4: 1 5: 9 } }
          6: { 1: "Greeter" 2: { 1: "SayHello" 2: ".demo.Hello" 3: ".demo.Hello" } }
        }
        """

    private func cassette(_ sets: String, typed: Bool) throws -> Cassette {
        let head = typed ? "tapedeck: 1\ndescriptors: demo.binpb\n" : "tapedeck: 1\n"
        let fixture = try CassetteFixture("\(head)responseSets:\n\(sets)")
        try fixture.folder.write(try ProtobufText.bytes(of: Self.descriptors), to: "demo.binpb")
        return try fixture.load()
    }

    private func set(_ name: String, _ request: String) -> String {
        "  - name: \(name)\n    request: \(request)\n    variants: [{ name: ok, takes: [{ status: 200 }] }]\n"
    }

    private func answering(_ tape: Tape, name: String) throws -> String? {
        let message = GRPCMessage(bytes: try ProtobufText.bytes(of: "1: \"\(name)\""))
        let url = try #require(AbsoluteURL("https://a.test/demo.Greeter/SayHello"))
        let request = MatchRequest(
            RequestKey(method: "POST", url: url),
            fields: [HeaderField("content-type", "application/grpc")],
            body: ObservedBody(bytes: message.frame, sha256: "")
        )
        return tape.match(request).map { tape.entries[$0].set.name }
    }

    @Test(arguments: [
        ("{ grpc: demo.Greeter/SayHello, any: [{ messages: [{ json: '{\"name\": \"ada\"}' }] }] }", "ada", "bob"),
        ("{ any: [{ messages: [{ json: '{\"name\": \"ada\"}' }] }], grpc: demo.Greeter/SayHello }", "ada", "bob"),
        ("{ grpc: demo.Greeter/SayHello, not: { messages: [{ json: '{\"name\": \"ada\"}' }] } }", "bob", "ada"),
    ])
    func aConditionInAnotherKnowsTheMethod(_ request: String, _ match: String, _ miss: String) throws {
        let tape = Tape([try self.cassette(self.set("a", request), typed: true)])
        #expect(try self.answering(tape, name: match) == "a")
        #expect(try self.answering(tape, name: miss) == nil)
    }

    @Test func eachCassetteHasDescriptorsOfItsOwn() throws {
        let byNumber = "{ grpc: demo.Greeter/SayHello, messages: [{ proto: '1: \"bob\"' }] }"
        let byName = "{ grpc: demo.Greeter/SayHello, messages: [{ json: '{\"name\": \"ada\"}' }] }"
        let cassettes = [
            try self.cassette(self.set("numbers", byNumber), typed: false),
            try self.cassette(self.set("names", byName), typed: true),
        ]
        for tape in [Tape(cassettes), Tape(cassettes.reversed())] {
            #expect(try self.answering(tape, name: "bob") == "numbers")
            #expect(try self.answering(tape, name: "ada") == "names")
        }
    }
}
