import Foundation
import TestShare
import Testing

/// `tapedeck matrix`, with programs that fail under some answers.
@Suite(.ownThreads) struct MatrixTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          - name: item
            request: { url: http://api.example.com/item }
            variants:
              - name: found
                takes: [{ status: 200, body: { text: '3' } }]
              - name: broken
                takes: [{ status: 500, body: { text: 'no number' } }]
              - name: gone
                takes: [{ status: 404, body: { text: '0' } }]
          - name: me
            request: { url: http://api.example.com/me }
            variants:
              - name: known
                takes: [{ status: 200, body: { text: ada } }]
              - name: unknown
                takes: [{ status: 401, body: { text: nobody } }]
          - name: never requested
            request: { url: http://api.example.com/never }
            variants:
              - name: one
                takes: [{ status: 200 }]
              - name: two
                takes: [{ status: 200 }]
        profiles:
          trouble: { item: broken }
          calm: { item: found }

        """

    /// A program with a bug: it treats the body of a 500 as a number.
    private static let program = """
        import urllib.request, urllib.error
        def get(path):
            try:
                return urllib.request.urlopen("http://api.example.com" + path).read()
            except urllib.error.HTTPError as error:
                return error.read()
        get("/me")
        print(int(get("/item")))

        """

    private struct Report: Decodable {
        struct Run: Decodable, Equatable {
            var set: String?
            var name: String
            var result: String
            var exitCode: Int?
        }
        var runs: [Run]
    }

    private static func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(Self.cassette, to: "cassettes/shop.yaml")
        try folder.write(Self.program, to: "app.py")
        return folder
    }

    private static func runs(_ result: Program.Result) throws -> [Report.Run] {
        try JSONDecoder().decode(Report.self, from: result.output).runs
    }

    @Test(.long) func `a program with a bug fails under one variant, and its error is reported`() throws {
        let folder = try Self.folder()
        let command = ["--", "python3", "app.py"]
        let table = try folder.tapedeck(["matrix", "shop", "--junit", "matrix.xml"] + command)
        #expect(table.exitCode == 1, "\(table.errorText)")
        #expect(table.outputText.contains("item = broken: failed, exit code 1\n    Traceback"), "\(table.outputText)")
        #expect(table.errorText.contains("the command failed under 1 of 3 cases"), "\(table.errorText)")
        let xml = try folder.read("matrix.xml")
        #expect(xml.contains(#"tests="3" failures="1" skipped="0""#))

        let json = try Self.runs(try folder.tapedeck(["matrix", "shop", "--json"] + command))
        #expect(
            json == [
                Report.Run(set: "item", name: "broken", result: "failed", exitCode: 1),
                Report.Run(set: "item", name: "gone", result: "passed", exitCode: 0),
                Report.Run(set: "me", name: "unknown", result: "passed", exitCode: 0),
            ]
        )
        let profiles = try folder.tapedeck(
            ["matrix", "shop", "--json", "--profiles", "calm", "--profiles", "trouble"] + command
        )
        #expect(try Self.runs(profiles).map(\.result) == ["passed", "failed"])
        let one = try folder.tapedeck(["matrix", "shop", "--markdown", "--variants", "me"] + command)
        #expect(one.exitCode == 0)
        #expect(one.outputText.hasSuffix("|---|---|---|---|\n| me | unknown | passed | 3 |\n"), "\(one.outputText)")
    }

    @Test(.long) func `a hanging program is stopped, and one that no longer requests the set is reported`() throws {
        let folder = try Self.folder()
        // Hangs where the item is not served.
        let script = """
            curl -s http://api.example.com/me
            curl -sf http://api.example.com/item || exec sleep 300
            """
        try folder.write(script, to: "app.sh")
        let command = ["--", "sh", "app.sh"]
        let result = try folder.tapedeck(["matrix", "shop", "--json", "--time-limit", "10", "--jobs", "2"] + command)
        #expect(result.exitCode == 1, "\(result.errorText)")
        #expect(try Self.runs(result).map(\.result) == ["timedOut", "timedOut", "passed"])
        // Requests nothing from the second run on.
        let once = ["sh", "-c", "test -e seen || curl -s http://api.example.com/me; touch seen"]
        let builtIn = try folder.tapedeck(["matrix", "shop", "--json", "--built-in", "--"] + once)
        #expect(builtIn.exitCode == 0, "\(builtIn.errorText)")
        let runs = try Self.runs(builtIn)
        #expect(runs.contains(Report.Run(set: "me", name: "server-error", result: "notRequested", exitCode: 0)))
        #expect(runs.allSatisfy { $0.result == "notRequested" })
    }

    @Test(.long) func `a command that fails without variants, or has nothing to try, is an error`() throws {
        let folder = try Self.folder()
        let failing = try folder.tapedeck("matrix", "shop", "--", "false")
        #expect(failing.exitCode == 69)
        #expect(failing.errorText.contains("the command fails as it is"), "\(failing.errorText)")
        let idle = try folder.tapedeck("matrix", "shop", "--", "true")
        #expect(idle.exitCode == 64)
        #expect(idle.errorText.contains("there is nothing to try"), "\(idle.errorText)")
        let none = try folder.tapedeck("matrix", "shop", "--profiles", "x", "--", "python3", "app.py")
        #expect(none.exitCode == 64)
        #expect(none.errorText.contains(#"there are: "trouble", "calm""#), "\(none.errorText)")
    }
}
