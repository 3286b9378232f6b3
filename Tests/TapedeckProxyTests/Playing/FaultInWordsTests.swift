import NIOCore
import TapedeckCore
import TapedeckSessions
import Testing

/// Faults as text for a client that identifies itself as a URLSession, instead of on the wire.
@Suite struct FaultInWordsTests {
    private static let client = "X-Tapedeck-Client: URLSession\r\n"

    private static func proxy(_ take: Take) async throws -> RunningProxy {
        try await RunningProxy.start(RunningProxy.cassette(["/a": Behaviour(.takes([take]))]))
    }

    @Test(arguments: Fault.allCases.filter { !$0.hasResponse && $0 != .hang })
    func aFaultWithoutAResponseIsNamedAndTheConnectionStaysOpen(_ fault: Fault) async throws {
        let proxy = try await Self.proxy(Take(fault: fault, urlError: .notConnectedToInternet))
        let client = try await proxy.connect()
        for _ in 0..<2 {
            try await client.send(RunningProxy.get("/a", last: false, fields: Self.client))
            let answer = await client.response()
            #expect(answer.status == 502)
            #expect(answer["x-tapedeck-fault"] == fault.rawValue)
            #expect(answer["x-tapedeck-url-error"] == "notConnectedToInternet")
            #expect(answer["x-tapedeck-url-error-code"] == "-1009")
        }
        await client.close()
        let entry = try #require(proxy.session.journal.view().entries.first)
        #expect(!entry.request.fields.contains { $0.isNamed("x-tapedeck-client") })
        #expect(proxy.session.report().faults.map(\.count) == [2])
        try await proxy.stop()
    }

    @Test func otherClientsGetTheFaultItself() async throws {
        let proxy = try await Self.proxy(Take(fault: .connectionReset, urlError: .notConnectedToInternet))
        for field in ["", "X-Tapedeck-Client: curl\r\n"] {
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get("/a", fields: field))
            let (bytes, ending) = await client.readToEnd()
            #expect(bytes.isEmpty)
            #expect(ending == .reset)
        }
        try await proxy.stop()
    }

    @Test func aFaultWithAResponseIsShownAsItIs() async throws {
        let proxy = try await Self.proxy(Take(body: RunningProxy.text("0123"), fault: .resetDuringBody))
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/a", fields: Self.client))
        let (bytes, ending) = await client.readToEnd()
        #expect(String(decoding: bytes, as: UTF8.self) == "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n01")
        #expect(ending == .reset)
        try await proxy.stop()
    }
}
