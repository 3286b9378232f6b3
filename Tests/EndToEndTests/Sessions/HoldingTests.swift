import Foundation
import Testing

/// Requests that a running deck holds, released with curl.
@Suite(.ownThreads) struct HoldingTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          - name: orders
            request: { method: POST, url: https://api.example.test/orders }
            variants:
              - name: accepted
                takes: [{ status: 201, headers: { Content-Type: text/plain }, body: { text: accepted } }]

        """
    private static let url = "https://api.example.test/orders"

    private let folder: TestFolder
    private let deck: TapedeckProcess
    private let control: ControlAPI
    private let session: (id: String, token: String)

    init() throws {
        self.folder = try TestFolder()
        try self.folder.write(Self.cassette, to: "cassettes/shop.yaml")
        self.deck = try self.folder.serve("replay", "shop")
        self.control = try self.folder.control(self.deck)
        self.session = try self.control.session()
        try self.control.get(
            "PUT",
            "\(self.path)/added/holder",
            #"{"request": {"url": "\#(Self.url)"}, "hold": true}"#
        )
    }

    private var path: String { "/v1/sessions/\(self.session.id)" }

    /// A client that posts an order and waits.
    private func order(_ body: String) throws -> Program {
        try self.folder.start(
            Curl.through(self.deck) + [
                "--proxy-header", "X-Tapedeck-Session: \(self.session.id):\(self.session.token)", "-w", " %{http_code}",
                "-d", body, Self.url,
            ]
        )
    }

    /// Returns the next held request, and the version to continue from.
    private func held(after version: Int = 0) throws -> (request: [String: Any], version: Int) {
        let list = try self.control.get("GET", "\(self.path)/held?after=\(version)&within=40s")
        let held = try #require((list["held"] as? [[String: Any]])?.first, "\(list)")
        return (held, try #require(held["version"] as? Int))
    }

    @Test func `a request is held until it is released, in any order`() throws {
        let first = try self.order("one")
        let (one, version) = try self.held()
        let second = try self.order("two")
        let (two, _) = try self.held(after: version)
        let request = try #require((two["entry"] as? [String: Any])?["request"] as? [String: Any])
        #expect((request["body"] as? [String: Any])?["text"] as? String == "two")
        #expect(two["set"] as? String == "holder")
        let path = "\(self.path)/held/\(try #require(two["number"] as? Int))"
        let tape = try self.control.get("POST", "\(path)/tape")
        #expect(tape["outcome"] as? String == "played")
        #expect((tape["take"] as? [String: Any])?["status"] as? Int == 201)
        try self.control.get("POST", path, #"{"take": {"status": 409, "body": {"text": "sold out"}}}"#)
        #expect(try second.result().outputText == "sold out 409")
        try self.control.get("POST", "\(self.path)/held/\(try #require(one["number"] as? Int))", #"{"proceed": true}"#)
        #expect(try first.result().outputText == "accepted 201")
        let report = try self.control.get("DELETE", self.path)
        #expect(report["played"] as? Int == 2)
        try self.deck.stop()
    }

    @Test func `an ending session releases what it holds`() throws {
        let client = try self.order("one")
        _ = try self.held()
        try self.control.get("DELETE", self.path)
        #expect(try client.result().outputText.hasSuffix(" 410"))
        try self.deck.stop()
    }

    @Test func `a stopping deck does not wait for held requests`() throws {
        let client = try self.order("one")
        _ = try self.held()
        try self.deck.stop()
        let result = try client.result()
        #expect(result.exitCode != 0)
        #expect(result.outputText == " 000")
    }
}
