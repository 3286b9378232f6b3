import Foundation
import Testing

/// Files of other tools become cassettes that play, and cassettes such files: by the commands, and over the control API.
@Suite(.ownThreads) struct ImportingTests {
    private static let key = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dcJx82"

    /// A HAR file with an answer, one whose body it does not hold, and a key in the header of the first.
    private static let har = """
        {"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [
        {"startedDateTime": "2026-01-01T10:00:00Z", "time": 5,
         "request": {"method": "GET", "url": "http://api.example.com/users",
                     "headers": [{"name": "Authorization", "value": "Bearer \(key)"}]},
         "response": {"status": 200, "statusText": "OK", "headers": [{"name": "Content-Type", "value": "text/plain"}],
                      "content": {"size": 3, "mimeType": "text/plain", "text": "ada"}}},
        {"startedDateTime": "2026-01-01T10:00:01Z", "time": 5,
         "request": {"method": "GET", "url": "http://api.example.com/photo", "headers": []},
         "response": {"status": 200, "statusText": "OK", "headers": [],
                      "content": {"size": 900, "mimeType": "image/png"}}}
        ]}}
        """
    private static let whole = har.replacing(#""size": 900, "mimeType": "image/png""#, with: #""size": 0, "text": """#)

    private static func object(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    // MARK: Commands

    @Test func `every entry is played or listed with its line, and the exit code follows`() throws {
        let folder = try TestFolder()
        try folder.write(Self.har, to: "traffic.har")
        let result = try folder.tapedeck("import", "traffic.har")
        #expect(result.exitCode == 1)
        #expect(result.outputText.contains("cassettes/traffic.yaml: 1 of 2 entries from har"))
        #expect(result.outputText.contains("left out: traffic.har:10: the file does not hold its body of 900 bytes"))
        try folder.write(Self.whole, to: "whole.har")
        #expect(try folder.tapedeck("import", "whole.har").exitCode == 0)
        let played = try folder.tapedeck("replay", "whole", "--", "curl", "-sS", "http://api.example.com/users")
        #expect(played.outputText == "ada")
    }

    @Test func `secrets become placeholders, which the report names and an export keeps`() throws {
        let folder = try TestFolder()
        try folder.write(Self.whole.replacing("text\": \"ada\"", with: "text\": \"\(Self.key)\""), to: "traffic.har")
        let imported = try folder.tapedeck("import", "traffic.har")
        #expect(imported.exitCode == 0, "\(imported.errorText)")
        #expect(imported.outputText.contains("replaced by placeholders: "))
        #expect(!imported.outputText.contains(Self.key))
        #expect(try !folder.read("cassettes/traffic.yaml").contains(Self.key))
        for format in ["har", "wiremock", "vcr", "curl"] {
            let exported = try folder.tapedeck("export", "traffic", "--format", format)
            // A script of curl has no bodies of answers.
            if format != "curl" { #expect(exported.outputText.contains("{{secret."), "\(format)") }
            #expect(!exported.outputText.contains(Self.key), "\(format)")
        }
    }

    @Test func `the report is JSON if requested`() throws {
        let folder = try TestFolder()
        try folder.write(Self.har, to: "traffic.har")
        let result = try folder.tapedeck("import", "traffic.har", "--json")
        let report = try Self.object(result.output)
        #expect(report["entries"] as? Int == 2)
        #expect(report["played"] as? Int == 1)
        let leftOut = try #require(report["leftOut"] as? [[String: Any]])
        #expect(leftOut.map { $0["number"] as? Int } == [10])
        let exported = try folder.tapedeck("export", "traffic", "-o", "out.har", "--json")
        #expect(try Self.object(exported.output)["exchanges"] as? Int == 1)
        #expect(try Self.object(Data(contentsOf: URL(fileURLWithPath: folder / "out.har")))["log"] != nil)
    }

    @Test func `a cassette that exists is an error, unless the import adds to it`() throws {
        let folder = try TestFolder()
        try folder.write(Self.whole, to: "traffic.har")
        #expect(try folder.tapedeck("import", "traffic.har").exitCode == 0)
        let again = try folder.tapedeck("import", "traffic.har")
        #expect(again.exitCode == 64)
        #expect(again.errorText.contains("cassettes/traffic.yaml exists"))
        try folder.write(Self.whole.replacing("/users", with: "/people"), to: "traffic.har")
        #expect(try folder.tapedeck("import", "traffic.har", "--append").exitCode == 0)
        let text = try folder.read("cassettes/traffic.yaml")
        #expect(text.contains("/users") && text.contains("/people"))
    }

    @Test func `a missing file, an unknown file and an unknown format are reported`() throws {
        let folder = try TestFolder()
        try folder.write("shopping: [milk]\n", to: "list.yaml")
        #expect(
            try folder.tapedeck("import", "missing.har").errorText.contains("there is no file or folder missing.har")
        )
        let unread = try folder.tapedeck("import", "list.yaml")
        #expect(unread.exitCode == 1)
        #expect(
            unread.outputText.contains("not read: list.yaml: it begins with 'shopping: [milk]', and is none of these: ")
        )
        #expect(!folder.exists("cassettes/list.yaml"))
        let format = try folder.tapedeck("import", "list.yaml", "--format", "vrc")
        #expect(format.exitCode == 64)
        #expect(format.errorText.contains("did you mean vcr?"))
    }

    @Test func `content that another format cannot express is listed, and the exit code is 1`() throws {
        let folder = try TestFolder()
        try folder.write(
            Cassettes.users.replacing("      - name: found\n", with: "      - name: found\n        delay: 2s\n"),
            to: "cassettes/users.yaml"
        )
        let result = try folder.tapedeck("export", "users", "--format", "har", "-o", "users.har")
        #expect(result.exitCode == 1)
        #expect(result.errorText.contains("not in the file: users: "))
        #expect(folder.exists("users.har"))
    }

    @Test func `generated values are written if requested`() throws {
        let folder = try TestFolder()
        try folder.write(Self.whole.replacing("text\": \"ada\"", with: "text\": \"\(Self.key)\""), to: "traffic.har")
        #expect(try folder.tapedeck("import", "traffic.har").exitCode == 0)
        let exported = try folder.tapedeck("export", "traffic", "--with-made-up-values").outputText
        #expect(!exported.contains("{{secret."))
        #expect(!exported.contains(Self.key))
        #expect(exported.contains("sk_live_"))
    }

    @Test func `a file of another tool is compared with a cassette as an import would read it`() throws {
        let folder = try TestFolder()
        try folder.write(Self.whole, to: "traffic.har")
        #expect(try folder.tapedeck("import", "traffic.har").exitCode == 0)
        let same = try folder.tapedeck("diff", "traffic.har", "traffic")
        #expect(same.exitCode == 0, "\(same.outputText)")
        try folder.write(Self.whole.replacing("text\": \"ada\"", with: "text\": \"eve\""), to: "traffic.har")
        let other = try folder.tapedeck("diff", "traffic", "traffic.har")
        #expect(other.exitCode == 1)
        #expect(other.outputText.contains("cassettes/traffic.yaml and traffic.har: 1 response set the same, 1 changed"))
    }

    // MARK: The control API

    private static let upload = ["Content-Type: application/octet-stream"]

    private func send(_ api: ControlAPI, _ folder: TestFolder, _ query: String) throws -> ControlAPI.Answer {
        let address = "\(api.url)/v1/cassettes/import?\(query)"
        let result = try folder.run(
            [
                "curl", "-q", "-sS", "-i", "--noproxy", "*", "-H", Self.upload[0], "--data-binary", "@traffic.har",
                address,
            ]
        )
        let end = try #require(result.output.firstRange(of: Data("\r\n\r\n".utf8)))
        let head = String(decoding: result.output[..<end.lowerBound], as: UTF8.self)
        let status = try #require(head.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return ControlAPI.Answer(status: status, body: Data(result.output[end.upperBound...]), head: head)
    }

    @Test func `a running deck takes a file, plays it in a session, and gives it back in another format`() throws {
        let folder = try TestFolder()
        try folder.write(Self.har.replacing("text\": \"ada\"", with: "text\": \"\(Self.key)\""), to: "traffic.har")
        let deck = try folder.serve("serve")
        let api = try folder.control(deck)
        let answer = try self.send(api, folder, "name=traffic%20(1).har")
        #expect(answer.status == 200, "\(answer.text)")
        let report = try answer.object()
        #expect(report["entries"] as? Int == 2)
        #expect(report["played"] as? Int == 1)
        let written = try #require((report["cassettes"] as? [[String: Any]])?.first)
        #expect(written["path"] as? String == "traffic (1)")
        #expect(try !folder.read("cassettes/traffic (1).yaml").contains(Self.key))

        let session = try api.session(#"{"cassettes": ["traffic (1)"]}"#)
        let played = try folder.run([
            "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-x", deck.url, "-H",
            "X-Tapedeck-Session: \(session.id):\(session.token)", "http://api.example.com/users",
        ])
        #expect(played.outputText == "200")

        let path = "/v1/cassettes/traffic%20(1)/export"
        let har = try api.ask("GET", path)
        #expect(har.status == 200)
        #expect(har.head.lowercased().contains("content-disposition: attachment; filename=\"traffic (1).har\""))
        #expect(try har.object()["log"] != nil)
        #expect(!har.text.contains(Self.key))
        #expect(try api.ask("GET", path + "?format=vcr").text.hasPrefix("---\nhttp_interactions:"))
        #expect(try api.get("GET", path + "?format=curl&report=true")["exchanges"] as? Int == 1)
    }

    @Test func `a deck reports what it refuses, and the reason`() throws {
        let folder = try TestFolder()
        try folder.write(Self.whole, to: "traffic.har")
        let deck = try folder.serve("serve")
        let api = try folder.control(deck)
        #expect(try self.send(api, folder, "name=traffic.har").status == 200)
        let again = try self.send(api, folder, "name=traffic.har")
        #expect(again.status == 409)
        #expect(again.text.contains("append=true"))
        #expect(try self.send(api, folder, "name=traffic.har&append=true").status == 200)
        #expect(try self.send(api, folder, "name=traffic.har&cassette=..%2Fout").status != 200)
        let format = try self.send(api, folder, "name=traffic.har&cassette=other&format=hra")
        #expect(format.status == 400)
        #expect(format.text.contains("did you mean har?"))
        #expect(try self.send(api, folder, "").status == 400)
        #expect(try api.ask("GET", "/v1/cassettes/nowhere/export").status == 404)
        let unknown = try api.ask("GET", "/v1/cassettes/traffic/export?format=pdf")
        #expect(unknown.status == 400)
        #expect(unknown.text.contains("formats: har, wiremock, vcr, vcrpy, curl"))
    }
}
