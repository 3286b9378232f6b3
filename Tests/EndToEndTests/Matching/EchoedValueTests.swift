import Testing

/// Values that each run makes anew, and that an answer must or must not have.
@Suite(.ownThreads) struct EchoedValueTests {
    private static let recorded = "0b54a9f2-7c11-4e63-9d0e-5f1a2b3c4d5e"

    /// A tape whose answer has the id of the request, as many APIs send it back.
    private static let traced = """
        tapedeck: 1
        responseSets:
          - name: users
            request: { method: GET, url: http://api.example.com/users }
            variants:
              - name: recorded
                takes:
                  - status: 200
                    recorded: 2026-01-01T00:00:00Z
                    request: { headers: [X-Request-Id: \(Self.recorded)] }
                    headers: [X-Request-Id: \(Self.recorded)]
                    body: { json: '{"request": "\(Self.recorded)"}' }
        """

    @Test func `an answer has the id in the header of its own request`() throws {
        let folder = try TestFolder()
        try folder.write(Self.traced, to: "cassettes/x.yaml")
        let program = """
            for id in adaa1786-1b41-4312-af69-445594122df4 7e9d1c2b-3a4f-4b5c-8d6e-1f2a3b4c5d6e; do
              curl -q -sS -i -H "X-Request-Id: $id" http://api.example.com/users
            done
            curl -q -sS http://api.example.com/users
            """
        let replay = try folder.tapedeck(["replay", "x", "--", "sh", "-c", program])
        #expect(replay.exitCode == 0, "\(replay.errorText)")
        for id in ["adaa1786-1b41-4312-af69-445594122df4", "7e9d1c2b-3a4f-4b5c-8d6e-1f2a3b4c5d6e"] {
            #expect(replay.outputText.ranges(of: id).count == 2, "\(replay.outputText)")
        }
        // A request without the field gets what was recorded.
        #expect(replay.outputText.ranges(of: Self.recorded).count == 1, "\(replay.outputText)")
    }

    @Test func `a recording keeps the header whose id is in the answer, and no other`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let id = "adaa1786-1b41-4312-af69-445594122df4"
        let command = [
            "curl", "-q", "-sS", "-H", "X-Request-Id: \(id)", "-H", "X-Other: 7e9d1c2b-3a4f-4b5c-8d6e-1f2a3b4c5d6e",
            "-d", id,
            origin.url("/echo"),
        ]
        let result = try folder.tapedeck(["record", "x", "--loopback", "--"] + command)
        #expect(result.exitCode == 0, "\(result.errorText)")
        let tape = try folder.read("cassettes/x.yaml")
        #expect(tape.contains("- X-Request-Id: \(id)"), "\(tape)")
        #expect(!tape.contains("X-Other"), "\(tape)")
    }

    /// A tape whose first answer gives a code for the second request.
    private static let code = """
        tapedeck: 1
        secrets:
          code: { shape: 'aaaaaaaaaaaa' }
        responseSets:
          - name: authorize
            request: { method: GET, url: http://id.example.com/authorize }
            variants:
              - name: recorded
                takes:
                  - status: 302
                    recorded: '2026-01-01T00:00:00Z, request 1'
                    headers: [Location: 'http://app.example.com/?code={{secret.code}}']
          - name: token
            request:
              method: POST
              url: http://id.example.com/token
              body: { text: 'grant_type=authorization_code&code={{secret.code}}' }
            variants:
              - name: recorded
                takes: [{ status: 200, recorded: '2026-01-01T00:00:01Z, request 2', body: { text: granted } }]
        """

    @Test(arguments: ["code", "device_code", "authorization_code"])
    func `a code that the deck has given is the only one that is granted`(_ name: String) throws {
        let folder = try TestFolder()
        let tape = Self.code.replacing("secret.code", with: "secret.\(name)").replacing("  code:", with: "  \(name):")
        try folder.write(tape, to: "cassettes/x.yaml")
        let program = """
            code=$(curl -q -sS -i http://id.example.com/authorize | sed -n 's/.*code=\\([a-z]*\\).*/\\1/p')
            curl -q -sS -d "grant_type=authorization_code&code=stolencodeab" http://id.example.com/token >stolen
            curl -q -sS -d "grant_type=authorization_code&code=$code" http://id.example.com/token
            """
        let replay = try folder.tapedeck(["replay", "x", "--allow-unmatched", "--", "sh", "-c", program])
        #expect(replay.outputText == "granted", "\(replay.errorText)")
        #expect(replay.errorText.contains("2 requests played, 1 unmatched"), "\(replay.errorText)")
    }
}
