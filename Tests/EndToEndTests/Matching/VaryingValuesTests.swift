import TestShare
import Testing

/// Programs that send other ids, names and folders in each run.
@Suite(.ownThreads) struct VaryingValuesTests {
    /// Prints what it sent and what came back; the origin echoes what it gets.
    private static func script(_ url: String, amount: Int = 3, then command: String = "") -> [String] {
        let program = """
            id=$(cat /proc/sys/kernel/random/uuid); name=test-$(head -c 8 /dev/urandom | od -An -tx1 | tr -d ' \\n')
            echo "sent $id $name"
            curl -q -sS -X PUT -H 'Content-Type: application/json' \\
              -d "{\\"ref\\": \\"$id\\", \\"folder\\": \\"$(pwd)\\", \\"amount\\": \(amount)}" '\(url)?bucket='$name; echo
            curl -q -sS '\(url)?bucket='$name; echo
            \(command)
            """
        return ["sh", "-c", program]
    }

    private static func recorded() throws -> (folder: TestFolder, url: String) {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/echo")
        let result = try folder.tapedeck(["record", "x", "--"] + Self.script(url))
        #expect(result.exitCode == 0, "\(result.errorText)")
        return (folder, url)
    }

    @Test func `new ids and names are answered, and come back in the answers`() throws {
        let (folder, url) = try Self.recorded()
        let tape = try folder.read("cassettes/x.yaml")
        #expect(tape.contains(#""folder": "{{secret.folder}}""#), "\(tape)")
        for _ in 0..<2 {
            let replay = try folder.tapedeck(["replay", "x", "--no-local", "--"] + Self.script(url))
            #expect(replay.exitCode == 0, "\(replay.errorText)")
            let sent = try #require(replay.outputText.split(separator: "\n").first).split(separator: " ")
            #expect(replay.outputText.contains("PUT /echo?bucket=\(sent[2])"), "\(replay.outputText)")
            #expect(replay.outputText.contains("GET /echo?bucket=\(sent[2])"), "\(replay.outputText)")
            #expect(replay.outputText.contains("\"ref\": \"\(sent[1])\""), "\(replay.outputText)")
        }
    }

    @Test func `a place that is ignored may differ beside values that vary, and the journal names it`() throws {
        let (folder, url) = try Self.recorded()
        let ignored = try folder.tapedeck(["ignore", "x", "json:$.amount"])
        #expect(ignored.exitCode == 0, "\(ignored.errorText)")
        let script = Self.script(url, amount: 4, then: "'\(Tapedeck.path)' journal")
        let other = try folder.tapedeck(["replay", "x", "--no-local", "--"] + script)
        #expect(other.exitCode == 0, "\(other.errorText)")
        #expect(other.outputText.contains("note: body $.amount is 4, the tape has 3"), "\(other.outputText)")
    }

    @Test func `explain names the set of a request whose values vary, and the places`() throws {
        let (folder, url) = try Self.recorded()
        let body = #"{"ref": "adaa1786-1b41-4312-af69-445594122df4", "folder": "\#(folder.path)", "amount": 3}"#
        let explained = try folder.tapedeck([
            "explain", "x", "PUT", "\(url)?bucket=test-00112233445566aa", "--header", "Content-Type: application/json",
            "--body", body,
        ])
        #expect(explained.exitCode == 0, "\(explained.outputText)")
        #expect(explained.outputText.contains("is answered by \"PUT "), "\(explained.outputText)")
        #expect(explained.outputText.contains("; query bucket, $.ref vary"), "\(explained.outputText)")
        let program = try folder.tapedeck([
            "explain", "x", "PUT", "\(url)?bucket=test-00112233445566aa", "--header", "Content-Type: application/json",
            "--body", body, "--json",
        ])
        #expect(program.outputText.contains(#""answered": true"#), "\(program.outputText)")
    }

    @Test func `another amount is another request, and so is every new value with --exact`() throws {
        let (folder, url) = try Self.recorded()
        let other = try folder.tapedeck(["replay", "x", "--no-local", "--"] + Self.script(url, amount: 4))
        #expect(other.exitCode == 70)
        // The places that vary are not named beside it.
        #expect(other.errorText.contains("\": body $.amount is 4, the tape has 3\n"), "\(other.errorText)")
        #expect(other.errorText.contains("if it may differ: tapedeck ignore x 'json:$.amount'\n"), "\(other.errorText)")
        let exact = try folder.tapedeck(["replay", "x", "--no-local", "--exact", "--"] + Self.script(url))
        #expect(exact.exitCode == 70)
        // A name that no request has made.
        let curl = ["curl", "-q", "-sS", "\(url)?bucket=test-00112233445566aa"]
        #expect(try folder.tapedeck(["replay", "x", "--no-local", "--"] + curl).exitCode == 70)
    }
}
