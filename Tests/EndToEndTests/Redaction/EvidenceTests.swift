import Foundation
import Testing

/// Texts with words such as `password` near harmless values come back byte for byte.
@Suite(.ownThreads) struct EvidenceTests {
    private static let files = [
        "array.html": "<p><code>Uint8Array</code></p><script>var code='Uint8Array'</script>\n",
        "array.js": "const bytes = new Uint8Array(8);\n",
        "login.js": "var password=document.getElementById('password').value;\n",
        "errors.json": #"{"errors":{"password":"is too short (minimum is 8 characters)"}}"#,
        "de.json": #"{"password":"Passwort","token":"Zeichen","secret":"Geheimnis"}"#,
        "root.json":
            #"{"signatures":[{"keyid":"4a1b","sig":"MEUCIQDk0x7QpL2vTs8RwKd4NbMEUCIQDk0x7QpL2v"}],"signed":{}}"#,
        "map.json": #"{"version":3,"sourcesContent":["const token = 'a1b2c3d4e5f6';"],"mappings":"AAAA"}"#,
        "org.json": #"{"id":"org_5f3a9c2b7d1e","lang":"en","theme":"dark"}"#,
        "page.css": "input[name=password]::after { content: 'secret'; }\n",
    ]

    /// Serves the files with the standard library's server; returns its URL.
    private static func serve(_ folder: TestFolder) throws -> (program: Program, url: String) {
        for (name, text) in Self.files { try folder.write(text, to: "site/\(name)") }
        let server = try folder.start(
            ["python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder / "site", "0"],
            input: nil
        )
        let port = try server.waitForOutput("the server's port") { text in
            text.firstMatch(of: #/port ([0-9]+)/#).map { String($0.1) }
        }
        return (server, "http://127.0.0.1:\(port)")
    }

    @Test func `Pages, programs, translations and signed metadata are replayed as they were`() throws {
        let folder = try TestFolder()
        let (server, url) = try Self.serve(folder)
        let names = Self.files.keys.sorted()
        let command =
            ["curl", "-sS", "-H", "Cookie: org=org_5f3a9c2b7d1e; lang=en; theme=dark"] + names.map { "\(url)/\($0)" }
        let expected = names.compactMap { Self.files[$0] }.joined()
        let recorded = try folder.tapedeck(["record", "x", "--loopback", "--"] + command)
        #expect(recorded.exitCode == 0, "\(recorded.errorText)")
        #expect(recorded.outputText == expected)
        #expect(try !folder.read("cassettes/x.yaml").contains("{{secret."))
        server.send(SIGTERM)
        try server.result()
        let played = try folder.tapedeck(["replay", "x", "--no-local", "--"] + command)
        #expect(played.exitCode == 0, "\(played.errorText)")
        #expect(played.outputText == expected)
    }

    @Test func `Secrets in path segments end there, and the same request is answered in replay`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/m;token=Zm9x7QpL2vTs8RwKd4Nb/x?y=1;api_key=k7Qp2Lv9sT")
        let command = ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", url]
        let recorded = try folder.tapedeck(["record", "x", "--loopback", "--"] + command)
        #expect(recorded.outputText == "404", "\(recorded.errorText)")
        let cassette = try folder.read("cassettes/x.yaml")
        #expect(cassette.contains("/m;token={{secret.token}}/x?y=1;api_key={{secret.api_key}}"), "\(cassette)")
        try origin.stop()
        let played = try folder.tapedeck(["replay", "x", "--no-local", "--"] + command)
        #expect(played.outputText == "404", "\(played.errorText)")
        #expect(played.exitCode == 0)
    }

    @Test(arguments: [100, 3000])
    func `A bearer token in a binary body of its request is not on tape, and the request is known again`(
        size: Int
    ) throws {
        let token = "Zm9x7QpL2vTs8RwKd4NbHj5Yt3Wc"
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let message = Data([0x0A, UInt8(token.utf8.count)]) + Data(token.utf8) + Data([0xFF, 0x00])
        let file = try folder.write(message + Data(repeating: 0xFE, count: size), to: "message.bin")
        let command = [
            "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Authorization: Bearer \(token)",
            "-H", "Content-Type: application/x-protobuf", "--data-binary", "@\(file)", origin.url("/message"),
        ]
        let recorded = try folder.tapedeck(["record", "x", "--loopback", "--"] + command)
        #expect(recorded.outputText == "404", "\(recorded.errorText)")
        let cassette = try folder.read("cassettes/x.yaml")
        #expect(!cassette.contains(token) && !cassette.contains(message.prefix(30).base64EncodedString()))
        try origin.stop()
        let played = try folder.tapedeck(["replay", "x", "--no-local", "--"] + command)
        #expect(played.outputText == "404", "\(played.errorText)")
        #expect(played.exitCode == 0)
    }
}
