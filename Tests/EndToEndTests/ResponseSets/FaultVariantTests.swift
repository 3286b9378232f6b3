import Foundation
import TestShare
import Testing

/// Faults written into a cassette, as curl sees them, over HTTP and inside a tunnel.
@Suite(.ownThreads) struct FaultVariantTests {
    /// A fault, and its effect on curl.
    struct Meeting: Sendable, CustomStringConvertible {
        var fault: String
        /// The exit codes; for bytes that are not HTTP later versions of curl have another one.
        var codes: Set<Int32>
        /// The received part of `0123456789`.
        var received = ""
        var description: String { self.fault }
    }

    private static func cassette(_ fault: String, _ scheme: Origin.Scheme) -> String {
        """
        tapedeck: 1
        responseSets:
          - name: x
            request: { url: \(scheme.rawValue)://a.example/x }
            variants:
              - name: broken
                takes:
                  - fault: \(fault)
                    status: 200
                    headers: { Content-Length: '10' }
                    body: { text: '0123456789' }

        """
    }

    @Test(
        arguments: [
            Meeting(fault: "resetBeforeBody", codes: [56]),
            Meeting(fault: "resetDuringBody", codes: [56], received: "01234"),
            // All of it is there before curl could see the reset.
            Meeting(fault: "resetAfterBody", codes: [0], received: "0123456789"),
            Meeting(fault: "malformedChunk", codes: [56], received: "01234"),
        ],
        some(of: Origin.Scheme.allCases)
    )
    func `a broken response has its head, and then the fault`(
        _ meeting: Meeting,
        scheme: Origin.Scheme
    ) throws {
        let played = try PlayedCassette(Self.cassette(meeting.fault, scheme))
        let result = try played.folder.run(Curl.through(played.deck) + ["-i", "\(scheme.rawValue)://a.example/x"])
        #expect(meeting.codes.contains(result.exitCode), "\(result.exitCode) \(result.errorText)")
        let body = result.outputText.components(separatedBy: "\r\n\r\n").dropFirst().joined()
        #expect(body == meeting.received, "\(result.outputText)")
        try played.stop()
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `a truncated body is as long as the cassette says`(_ scheme: Origin.Scheme) throws {
        let text = Self.cassette("truncatedBody", scheme).replacing("'10'", with: "'100'")
        let played = try PlayedCassette(text)
        let result = try played.folder.run(Curl.through(played.deck) + ["\(scheme.rawValue)://a.example/x"])
        #expect(result.exitCode == 18, "\(result.exitCode) \(result.errorText)")
        #expect(result.outputText == "0123456789")
        try played.stop()
    }

    @Test(
        arguments: [
            Meeting(fault: "connectionReset", codes: [56]), Meeting(fault: "emptyResponse", codes: [52]),
            Meeting(fault: "garbage", codes: [1, 8]),
        ],
        some(of: Origin.Scheme.allCases)
    )
    func `a fault without a response ends the connection`(_ meeting: Meeting, scheme: Origin.Scheme) throws {
        let url = "\(scheme.rawValue)://a.example/x"
        let played = try PlayedCassette(
            PlayedCassette.variants("- { name: broken, fault: \(meeting.fault) }")
                .replacing(PlayedCassette.url, with: url)
        )
        let result = try played.folder.run(Curl.through(played.deck) + [url])
        #expect(meeting.codes.contains(result.exitCode), "\(result.exitCode) \(result.errorText)")
        #expect(result.output.isEmpty)
        #expect(try played.stop().contains("1 request played, 0 unmatched"))
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `a hanging answer is the client's timeout, and does not keep the deck from stopping`(
        _ scheme: Origin.Scheme
    ) throws {
        let url = "\(scheme.rawValue)://a.example/x"
        let played = try PlayedCassette(
            PlayedCassette.variants("- { name: silent, fault: hang }").replacing(PlayedCassette.url, with: url)
        )
        let impatient = try played.folder.run(Curl.through(played.deck) + ["--max-time", "1", url])
        #expect(impatient.exitCode == 28, "\(impatient.errorText)")
        let patient = try played.folder.start(Curl.through(played.deck) + ["-v", url])
        try patient.waitForErrors("the request to be sent") { $0.contains("> GET ") ? () : nil }
        try played.stop()
        #expect(try patient.result().exitCode != 0)
    }

    @Test(arguments: [
        ("connectionRefused", "502"), ("nameNotResolved", "502"), ("tlsHandshake", "502"), ("timeout", "504"),
        ("malformedResponse", "502"),
    ])
    func `an origin that cannot be reached is an answer of the proxy that names the fault`(
        _ fault: String,
        status: String
    ) throws {
        let played = try PlayedCassette(PlayedCassette.variants("- { name: broken, fault: \(fault) }"))
        let answer = try played.response(PlayedCassette.url)
        #expect(answer.head.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.values("x-tapedeck-fault") == [fault])
        try played.stop()
    }

    /// A client of Python's, and one that reads on after the response, and so tells a reset from an end.
    private static let clients = """
        import http.client, socket, sys
        address = ("127.0.0.1", int(sys.argv[1]))
        def ask():
            connection = http.client.HTTPConnection(*address, timeout=30)
            try:
                connection.request("GET", "http://a.example/x")
                return connection.getresponse().read().decode()
            except Exception as error:
                return type(error).__name__
        def read_on():
            connection = socket.create_connection(address, timeout=30)
            connection.sendall(b"GET http://a.example/x HTTP/1.1\\r\\nHost: a.example\\r\\n\\r\\n")
            received = b""
            try:
                while piece := connection.recv(65536):
                    received += piece
                return received.partition(b"\\r\\n\\r\\n")[2].decode() + " closed"
            except ConnectionResetError:
                return received.partition(b"\\r\\n\\r\\n")[2].decode() + " reset"
        print([ask() for _ in range(3)], [read_on() for _ in range(5)])
        """

    @Test func `a reset is a reset, and an end is an end`() throws {
        func take(_ fault: String, length: Int = 10) -> String {
            let head = "status: 200, headers: { Content-Length: '\(length)' }"
            return "{ takes: [{ fault: \(fault), \(head), body: { text: '0123456789' } }] }"
        }
        let steps = [
            "{ fault: connectionReset }", "{ fault: emptyResponse }", take("truncatedBody", length: 11),
            "{ fault: connectionReset }", "{ fault: emptyResponse }", take("truncatedBody", length: 11),
            take("resetDuringBody"), take("resetAfterBody"),
        ]
        let played = try PlayedCassette(
            PlayedCassette.variants("- name: broken\n  sequence: [\(steps.joined(separator: ", "))]")
        )
        let result = try played.folder.run(["python3", "-c", Self.clients, "\(played.deck.port)"])
        let asked = "['ConnectionResetError', 'RemoteDisconnected', 'IncompleteRead']"
        let readOn = "[' reset', ' closed', '0123456789 closed', '01234 reset', '0123456789 reset']"
        #expect(result.outputText == "\(asked) \(readOn)\n", "\(result.errorText)")
        try played.stop()
    }
}
