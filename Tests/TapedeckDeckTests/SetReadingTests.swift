import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckDeck

/// Response sets as `tapedeck show --bodies` prints them.
@Suite struct SetReadingTests {
    private static func lines(_ sets: String) throws -> [String] {
        let text = "tapedeck: 1\nresponseSets:\n\(sets)"
        let read = CassetteReader.read(Array(text.utf8), name: "a", path: "a.yaml")
        try #require(!read.hasErrors, "\(read.diagnostics)")
        return read.cassette.responseSets.flatMap { SetReading($0).lines }
    }

    @Test func `a request and its answers are laid out`() throws {
        let lines = try Self.lines(
            """
              - name: add
                request: { method: POST, url: "http://a.test/add", body: { json: '{"a":1}' } }
                variants:
                  - name: done
                    takes:
                      - status: 200
                        headers: [{ Content-Type: text/xml }]
                        body: { text: "<a><b/></a>" }
                  - name: down
                    fault: connectionReset
            """
        )
        #expect(
            lines == [
                "response set: add", "  request:", "    method: POST", "    url: http://a.test/add", "  body:", "    {",
                "      \"a\": 1", "    }", "", "variant: done, take 1", "  200 OK", "  Content-Type: text/xml", "",
                "  <a>", "    <b/>", "  </a>", "", "variant: down, take 1", "  connectionReset",
            ],
            "\(lines)"
        )
    }

    @Test func `messages of a call are numbered`() throws {
        let lines = try Self.lines(
            """
              - name: talk
                request: { grpc: demo.Chat/Talk }
                variants:
                  - name: two
                    takes:
                      - messages:
                          - { proto: '1: "ready"', after: 0 }
                          - { proto: '1: "done"' }
            """
        )
        let messages = lines.drop { !$0.hasPrefix("  message 1") }
        #expect(
            Array(messages) == [
                "  message 1 (proto, after 0 messages of the client)", "    1: \"ready\"", "  message 2 (proto)",
                "    1: \"done\"",
            ],
            "\(lines)"
        )
    }
}
