import Foundation
import TestShare
import Testing

/// Promise 8: bad input is one clear message and a non-zero exit, and nothing is lost.
@Suite(.ownThreads) struct ErrorTests {
    /// The expected output of a run.
    struct Broken: Sendable, CustomStringConvertible {
        var description: String
        var cassette: String
        /// `line:column` and words of the message.
        var place: String
        var words: [String]
    }

    private static let broken: [Broken] = [
        Broken(
            description: "broken YAML",
            cassette: "tapedeck: 1\nresponseSets:\n  - name: \"one\n",
            place: "",
            words: []
        ),
        Broken(
            description: "a tab as indentation",
            cassette: "tapedeck: 1\nresponseSets:\n\t- name: one\n",
            place: ":3:",
            words: ["tab"]
        ),
        Broken(
            description: "a name used twice",
            cassette: Cassettes.users + Cassettes.users.split(separator: "\n").dropFirst(2).joined(separator: "\n")
                + "\n",
            place: ":15:11",
            words: ["users", "line 3"]
        ),
        Broken(
            description: "an unknown key",
            cassette: Cassettes.users.replacing("status: 200", with: "statuss: 200"),
            place: ":10:",
            words: ["statuss", "status"]
        ),
        Broken(
            description: "a status that is none",
            cassette: Cassettes.users.replacing("status: 200", with: "status: two hundred"),
            place: ":10:",
            words: ["status"]
        ),
        Broken(
            description: "a body file that is not there",
            cassette: Cassettes.users.replacing("text: ada", with: "file: x/nowhere.bin"),
            place: ":14:",
            words: ["nowhere.bin"]
        ),
        Broken(
            description: "a newer format",
            cassette: Cassettes.users.replacing("tapedeck: 1", with: "tapedeck: 2"),
            place: ":1:",
            words: ["2", "newer"]
        ),
        Broken(
            description: "no cassette at all",
            cassette: "hello: world\n",
            place: ":1:",
            words: ["tapedeck"]
        ),
        Broken(description: "an empty file", cassette: "", place: "", words: []),
        Broken(
            description: "a request without a URL",
            cassette: Cassettes.users.replacing("      url: http://api.example.com/users\n", with: ""),
            place: ":5:",
            words: ["url"]
        ),
    ]

    @Test(
        arguments: some(
            of: broken.flatMap { broken in ["replay", "record", "append", "check", "show"].map { (broken, $0) } }
        )
    )
    func `an invalid cassette is reported with file, line and column, and not changed`(
        _ broken: Broken,
        command: String
    ) throws {
        let folder = try TestFolder()
        try folder.write(broken.cassette, to: "cassettes/x.yaml")
        let runs = ["check", "show"].contains(command) ? [] : ["--", "true"]
        let result = try folder.tapedeck([command, "x"] + runs)
        #expect(result.exitCode == 65, "\(result.exitCode) \(result.errorText)")
        let text = command == "check" ? result.outputText : result.errorText
        let firstLine = String(text.split(separator: "\n").first ?? "")
        #expect(firstLine.contains("cassettes/x.yaml\(broken.place)"), "\(text)")
        #expect(firstLine.contains(": error: "), "\(text)")
        for word in broken.words { #expect(firstLine.contains(word), "\(text)") }
        if !broken.cassette.isEmpty {
            #expect(firstLine.contains(#/cassettes/x\.yaml:\d+:\d+: error: ./#), "\(text)")
        }
        #expect(try folder.read("cassettes/x.yaml") == broken.cassette)
        #expect(try folder.names(in: "cassettes") == ["x.yaml"])
    }

    @Test func `a missing cassette is named, with one that is spelt nearly the same`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/github.yaml")
        for command in [
            ["replay", "gihtub", "--", "true"], ["show", "gihtub"], ["check", "gihtub"],
            ["matrix", "gihtub", "--", "true"],
        ] {
            let result = try folder.tapedeck(command)
            #expect(result.exitCode == 65)
            #expect(result.errorText.contains("cassettes/gihtub.yaml: error: there is no such cassette"))
            #expect(result.errorText.contains("did you mean github?"), "\(result.errorText)")
            #expect(result.outputText == "")
        }
        let result = try folder.tapedeck("replay", "payments", "--", "true")
        #expect(result.errorText.contains("record it with: tapedeck record payments -- COMMAND"))
        try folder.write("{}", to: "cassettes/browser.har")
        let other = try folder.tapedeck("replay", "browser.har", "--", "true")
        #expect(other.errorText.contains("cassettes/browser.har is a file of another tool: tapedeck import makes"))
        // A folder has body files of a cassette that is gone.
        try folder.write("", to: "cassettes/payments/a.bin")
        #expect(try folder.tapedeck("show", "payments").errorText.contains("record it with"))
    }

    @Test func `a read-only folder is reported before anything runs`() throws {
        let folder = try TestFolder()
        try folder.write("a file, no folder", to: "file")
        for dir in ["file/cassettes", "/dev/null/cassettes"] {
            let result = try folder.tapedeck("record", "x", "--cassettes", dir, "--", "touch", "ran")
            #expect(result.exitCode == 69)
            #expect(result.errorText.contains("cannot record into \(dir)/x.yaml: "), "\(result.errorText)")
            #expect(result.errorText.split(separator: "\n").count == 1)
            #expect(!folder.exists("ran"))
        }
    }

    @Test func `a folder without write permission is reported, too`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o555]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: folder / "cassettes")
        let unprivileged = getuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []
        for name in ["new", "users"] {
            let result = try folder.run(unprivileged + [Tapedeck.path, "record", name, "--", "touch", "ran"])
            #expect(result.exitCode == 69)
            #expect(result.errorText.contains("cannot record into cassettes/\(name).yaml: "), "\(result.errorText)")
            #expect(!folder.exists("ran"))
        }
    }

    @Test func `a used port is reported, with advice`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let replay = try folder.serve("replay", "users")
        for mode in [["replay", "users"], ["record", "new"], ["passthrough"]] {
            let result = try folder.tapedeck(mode + ["--port", "\(replay.port)"])
            #expect(result.exitCode == 69)
            #expect(result.errorText.contains("port \(replay.port) is in use"))
            #expect(result.errorText.contains("--port"))
            #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
        }
        #expect(try folder.names(in: "cassettes") == ["users.yaml"])
        try replay.stop()
    }

    @Test(
        arguments: some(of: [
            ["record", "x", "--upstrem-ca", "file"],
            ["replay"],
            ["record", "a", "b", "--", "true"],
            ["replay", "x", "--port", "70000"],
            ["replay", "x", "--port", "many"],
            ["record", "x", "--reverse", "api.example.com", "--", "true"],
            ["record", "x", "--read-timeout=-1", "--", "true"],
        ])
    )
    func `a wrong option is refused`(_ arguments: [String]) throws {
        let folder = try TestFolder()
        let result = try folder.tapedeck(arguments)
        #expect(result.exitCode == 64, "\(result.errorText)")
        #expect(result.errorText.hasPrefix("Error: "))
        #expect(result.outputText == "")
        #expect(try folder.names(in: "") == [])
    }

    @Test func `a misspelt option is reported with the right one`() throws {
        let result = try TestFolder().tapedeck("record", "x", "--upstrem-ca", "file")
        #expect(result.errorText.contains("--upstream-ca"), "\(result.errorText)")
    }

    @Test func `a key that others can read is refused`() throws {
        let folder = try TestFolder()
        try folder.tapedeck("ca")
        let key = folder / "ca/ca-key.pem"
        #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        for arguments in [["record", "x", "--", "true"], ["ca", "path"]] {
            let result = try folder.tapedeck(arguments)
            #expect(result.exitCode == 69)
            #expect(result.errorText.contains(key), "\(result.errorText)")
            #expect(result.errorText.contains("chmod 600"), "\(result.errorText)")
        }
    }

    @Test func `an invalid certificate authority is reported`() throws {
        let folder = try TestFolder()
        try folder.tapedeck("ca")
        try folder.write("no certificate", to: "ca/ca.pem")
        let result = try folder.tapedeck("record", "x", "--", "true")
        #expect(result.exitCode == 69)
        #expect(result.errorText.contains("ca.pem"), "\(result.errorText)")
    }
}
