import TapedeckCassettes
import TapedeckCore
import TapedeckProtobuf
import Testing

/// Calls of gRPC in a cassette, without descriptors.
@Suite
struct CassetteCallTests {
    private func cassette(_ text: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws -> Cassette {
        let result = CassetteReader.read(Array(text.utf8), name: "test", path: "test.yaml")
        try #require(result.diagnostics.isEmpty, "\(result.diagnostics)", sourceLocation: sourceLocation)
        return result.cassette
    }

    private func request(_ lines: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws -> RequestMatcher
    {
        try #require(try self.cassette(CassetteText.request(lines), sourceLocation).responseSets.first).request
    }

    private func take(_ lines: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws -> Take {
        let set = try #require(try self.cassette(CassetteText.take(lines), sourceLocation).responseSets.first)
        return try #require(set.variants.first?.takes.first)
    }

    private func body(_ take: Take) throws -> [UInt8] {
        guard case .inline(let body) = take.body else { return [] }
        return body.decoded
    }

    // MARK: Requests

    @Test func aMethodMeansPOSTAndAPath() throws {
        let request = try self.request("grpc: demo.Greeter/SayHello")
        #expect(request.methods == ["POST"])
        #expect(request.url == .exactPath("/demo.Greeter/SayHello"))
        #expect(request.isGRPC)
        let url = try self.request("grpc: https://a.test:8443/demo.Greeter/SayHello").url
        #expect(url == .exact(try #require(AbsoluteURL("https://a.test:8443/demo.Greeter/SayHello"))))
    }

    @Test(arguments: ["SayHello", "/demo.Greeter/SayHello", "https://a.test/SayHello", "demo.Greeter/Say Hello"])
    func anInvalidMethodIsRejected(_ text: String) throws {
        try ExpectedDiagnostic.expect(
            CassetteText.request("grpc: §\(text)"),
            "`grpc` is a method, such as helloworld.Greeter/SayHello, or its URL, such as "
                + "https://api.example.com/helloworld.Greeter/SayHello"
        )
    }

    /// A call of gRPC with these messages, to the set of a request.
    private func answers(_ lines: String, _ texts: [String], type: String = "application/grpc") throws -> Bool {
        let tape = Tape([try self.cassette(CassetteText.request("grpc: demo.Greeter/SayHello\n\(lines)"))])
        let messages = try texts.map { GRPCMessage(bytes: try ProtobufText.bytes(of: $0)) }
        let url = try #require(AbsoluteURL("https://a.test/demo.Greeter/SayHello"))
        let request = MatchRequest(
            RequestKey(method: "POST", url: url),
            fields: [HeaderField("content-type", type)],
            body: ObservedBody(bytes: messages.flatMap(\.frame), sha256: "")
        )
        return tape.match(request) != nil
    }

    @Test func onlyGRPCCallsMatch() throws {
        #expect(try self.answers("", ["1: 2"]))
        #expect(try self.answers("", ["1: 2"], type: "application/grpc+proto"))
        #expect(try !self.answers("", ["1: 2"], type: "application/json"))
    }

    @Test func messagesAreComparedByTheNumbersOfTheirFields() throws {
        let lines = "messages:\n  - proto: '1: \"ada\" 2: 7'\n    ignore: [2, 3.1]"
        #expect(try self.answers(lines, [#"1: "ada" 2: 8"#]))
        #expect(try self.answers(lines, [#"1: "ada""#]))
        #expect(try !self.answers(lines, [#"1: "bob" 2: 7"#]))
        #expect(try !self.answers(lines, [#"1: "ada""#, #"1: "ada""#]))
        #expect(try !self.answers(lines, []))
    }

    @Test func eachMessageHasItsPlace() throws {
        let lines = "messages:\n  - proto: '1: 1'\n  - {}\n  - base64: CAM="
        #expect(try self.answers(lines, ["1: 1", "1: 9", "1: 3"]))
        #expect(try !self.answers(lines, ["1: 9", "1: 1", "1: 3"]))
    }

    @Test func moreMessagesMayFollow() throws {
        let lines = "messages:\n  - proto: '1: 1'\n  - more: true"
        #expect(try self.answers(lines, ["1: 1"]))
        #expect(try self.answers(lines, ["1: 1", "1: 9", "1: 3"]))
        #expect(try !self.answers(lines, ["1: 2", "1: 1"]))
        #expect(try !self.answers(lines, []))
        #expect(try self.answers("messages:\n  - more: true", []))
        #expect(try self.answers("messages:\n  - more: true", ["1: 1"]))
        for (lines, problem) in [
            ("  - §more: true\n  - {}", "`more: true` comes last in `messages`"),
            ("  - more: §1", "`more` is `true`; leave the entry out where no more messages may follow"),
            (
                "  - §proto: '1: 1'\n    more: true",
                "`more: true` is an entry of its own: any further messages, or none"
            ),
        ] {
            try ExpectedDiagnostic.expect(CassetteText.request("grpc: a.B/C\nmessages:\n\(lines)"), problem)
        }
    }

    @Test func invalidConditionsAreReported() throws {
        try ExpectedDiagnostic.expect(
            CassetteText.request("grpc: a.B/C\nmessages:\n  - proto: §'1: \"x'"),
            beginning: "`proto`: "
        )
        try ExpectedDiagnostic.expect(
            CassetteText.request("grpc: a.B/C\nmessages:\n  - proto: '1: 1'\n    ignore: [§$.a]"),
            "`ignore` beside `proto` has numbers of fields, such as 2, or 1.3 for field 3 in field 1"
        )
        try ExpectedDiagnostic.expect(
            CassetteText.request("grpc: a.B/C\n§body: { text: x }\nmessages: []"),
            "request has `body` or `messages`, not both"
        )
    }

    // MARK: Answers

    @Test func messagesAreFramed() throws {
        let take = try self.take("messages:\n  - proto: '1: \"hi\"'\n  - base64: CAE=")
        #expect(try self.body(take) == [0, 0, 0, 0, 4, 0x0A, 2, 0x68, 0x69, 0, 0, 0, 0, 2, 8, 1])
        #expect(take.headers == [HeaderField("content-type", "application/grpc")])
        // An answer that a person writes is a good one unless they say otherwise.
        #expect(take.trailers == [HeaderField("grpc-status", "0")])
        #expect(take.status == 200)
        let leaving = try self.take("messages:\n  - proto: '1: 1'\nfault: goAway")
        #expect(leaving.trailers == [HeaderField("grpc-status", "0")])
        let cut = try self.take("messages:\n  - proto: '1: 1'\nfault: truncatedBody")
        #expect(cut.trailers.isEmpty)
    }

    @Test func aStatusIsInTheTrailersOrWithoutMessagesInTheHeaders() throws {
        let failed = try self.take("messages: []\ngrpcStatus: NOT_FOUND\ngrpcMessage: nö\ntrailers: { x-a: b }")
        #expect(
            failed.trailers == [
                HeaderField("grpc-status", "5"), HeaderField("grpc-message", "n%C3%B6"), HeaderField("x-a", "b"),
            ]
        )
        let alone = try self.take("grpcStatus: 14")
        #expect(alone.headers == [HeaderField("content-type", "application/grpc"), HeaderField("grpc-status", "14")])
        #expect(alone.trailers.isEmpty)
    }

    @Test func aVariantMayBeAStatus() throws {
        let text = CassetteText.variant("name: down\ngrpcStatus: UNAVAILABLE\ngrpcMessage: try later")
        let take = try #require(try self.cassette(text).responseSets.first?.variants.first?.takes.first)
        #expect(take.headers.map(\.value) == ["application/grpc", "14", "try later"])
        try ExpectedDiagnostic.expect(
            CassetteText.variant("name: down\ngrpcStatus: §UNAVAILABEL"),
            "`grpcStatus` is a status of gRPC, such as OK or UNAVAILABLE, or its number; did you mean UNAVAILABLE?"
        )
    }

    @Test func aCompressedMessageIsCompressedAgain() throws {
        let take = try self.take("headers: { grpc-encoding: gzip }\nmessages:\n  - proto: '1: 1'\n    encoding: gzip")
        let body = try self.body(take)
        #expect(body[0] == 1)
        #expect(Array(body[5...6]) == [0x1F, 0x8B])
        #expect(take.headers.map(\.name) == ["content-type", "grpc-encoding"])
    }

    @Test func theOrderOfACallIsRead() throws {
        let take = try self.take("messages:\n  - proto: '1: 1'\n    after: 1\n  - proto: '1: 2'\nendsAfter: 3")
        #expect(take.messageOrder == MessageOrder(messages: [1, nil], end: 3))
        #expect(try self.take("messages:\n  - proto: '1: 1'").messageOrder == nil)
    }

    @Test func detailsAreAMessageInAField() throws {
        let details = #"[{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "QUOTA", "domain": "a.test"}]"#
        let take = try self.take("grpcStatus: RESOURCE_EXHAUSTED\ngrpcMessage: no more\ngrpcDetails: '\(details)'")
        let value = try #require(take.headers.first(named: "grpc-status-details-bin"))
        let bytes = try #require(GRPCBinaryMetadata.decode(Array(value.utf8)))
        let status = try #require(DescriptorSet.builtIn.message("google.rpc.Status")?.json(of: bytes))
        #expect(status["code"]?.compactText == Array("8".utf8))
        #expect(status["message"]?.stringValue == "no more")
        try ExpectedDiagnostic.expect(
            CassetteText.take("grpcStatus: ABORTED\ngrpcDetails: §'[1]'"),
            beginning: "`grpcDetails` is a list of messages such as those of google.rpc, each with `@type`: "
        )
    }

    /// A value is read back as it was written.
    @Test(arguments: [
        "messages:\n  - proto: '1: \"hi\"'\n    after: 0\n  - base64: CAE=\n    compressed: true\ngrpcStatus: OK\nendsAfter: 2",
        "messages: []\ngrpcStatus: ABORTED\ngrpcMessage: 'a: b'\ntrailers:\n  - x-a: b",
        "grpcStatus: ABORTED\ngrpcDetails: '[{\"@type\": \"type.googleapis.com/google.rpc.ErrorInfo\", \"reason\": \"A\"}]'",
        "grpcStatus: UNAVAILABLE\nheaders:\n  - content-type: application/grpc\n  - x-a: b",
        "headers:\n  - content-type: application/grpc\nmessages:\n  - proto: '1: 1'\n    encoding: gzip\ngrpcStatus: OK",
        "headers:\n  - content-type: application/grpc\nstatus: 200\ntrailers:\n  - x-a: b\n  - grpc-status: '00'",
        "messages:\n  - proto: '1: 1'\npieces: messages\nrecorded: 2026-11-21T10:00:00Z, in pieces after 0, 200 ms\ngrpcStatus: OK",
    ])
    func aWrittenCassetteReadsBack(_ lines: String) throws {
        var cassette = try self.cassette(CassetteText.take(lines))
        cassette.path = nil
        let text = CassetteWriter.text(of: cassette)
        var again = try self.cassette(String(decoding: text, as: UTF8.self))
        again.path = nil
        #expect(again == cassette, "\(String(decoding: text, as: UTF8.self))")
    }

    @Test func aWrittenConditionReadsBack() throws {
        let lines = "grpc: a.B/C\nmessages:\n  - proto: '1: 1'\n    ignore: [2, 3.1]\n  - {}\n  - jsonPath: { $.a: 1 }"
        var cassette = try self.cassette(CassetteText.request(lines))
        cassette.path = nil
        var again = try self.cassette(String(decoding: CassetteWriter.text(of: cassette), as: UTF8.self))
        again.path = nil
        #expect(again == cassette)
    }
}
