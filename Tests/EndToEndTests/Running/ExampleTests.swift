import Foundation
import Testing

/// The content of the README and the pages on cassettes: the bundled cassettes, the examples, and the demo.
@Suite(.ownThreads) struct ExampleTests {
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let cassettes = Self.repository.appendingPathComponent("cassettes").path

    // MARK: The tour

    @Test func `every bundled cassette is without problems`() throws {
        let folder = try TestFolder()
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.cassettes)
            .filter { $0.hasSuffix(".yaml") }
            .map { String($0.dropLast(5)) }
            .sorted()
        #expect(names == ["github", "payments"])
        let result = try folder.tapedeck(["check"] + names + ["--cassettes", Self.cassettes])
        #expect(result.exitCode == 0)
        #expect(result.outputText.split(separator: "\n").allSatisfy { $0.hasSuffix("no problems") })
    }

    @Test func `the tour of the README plays from the bundled cassettes`() throws {
        let folder = try TestFolder()
        let found = try self.replay(["github"], "https://api.github.com/users/octocat", folder)
        #expect(found.exitCode == 0)
        #expect(found.outputText == #"{"login":"octocat","id":583231,"name":"The Octocat"}"#)
        #expect(found.errorText.contains("replay: 1 request played, 0 unmatched, 0 connections opened upstream"))

        let missing = try self.replay(["github"], "https://api.github.com/users/nobody", folder)
        #expect(missing.exitCode == 70)
        #expect(missing.errorText.contains("unmatched: GET https://api.github.com/users/nobody"))
        #expect(missing.errorText.contains(#"nearest is "user octocat": path is /users/nobody"#))
    }

    @Test func `a variant, a profile or both are chosen for one run of the tour`() throws {
        let folder = try TestFolder()
        let octocat = "https://api.github.com/users/octocat"
        let gone = try self.replay(["github", "--select", "user octocat=gone"], octocat, folder)
        #expect(gone.outputText == #"{"message": "Not Found"}"#)
        #expect(gone.exitCode == 0)
        let search = "https://api.github.com/search/repositories?q=swift&sort=stars"
        let limited = try self.replay(["github", "--profile", "bad day"], search, folder)
        #expect(limited.outputText == "API rate limit exceeded")
        let repository = "https://api.github.com/repos/apple/swift-nio"
        let failed = try self.replay(["github", "--profile", "bad day"], repository, folder)
        #expect(failed.outputText.contains("internal server error"))
        let both = ["github", "--profile", "offline", "--select", "user octocat=found"]
        #expect(try self.replay(both, octocat, folder).outputText.contains("The Octocat"))
        // curl meets the reset while it sends or while it receives.
        #expect([55, 56].contains(try self.replay(both, repository, folder).exitCode))

        let unknown = try self.replay(["github", "--select", "user octocat=gnoe"], octocat, folder)
        #expect(unknown.exitCode == 64)
        #expect(unknown.errorText.contains(#"has no variant "gnoe"; did you mean "gone"?"#))
    }

    @Test func `a template of the tour is filled in from the request`() throws {
        let folder = try TestFolder()
        let url = "https://api.github.com/repos/apple/swift-nio"
        let found = try self.replay(["github"], url, folder)
        #expect(found.outputText == #"{"full_name":"apple/swift-nio","private":false}"#)
        #expect(found.errorText.contains(#"never requested: "user octocat", "search repositories""#))
    }

    @Test func `the tour explains a miss`() throws {
        let folder = try TestFolder()
        func explain(_ url: String) throws -> Program.Result {
            try folder.tapedeck(["explain", "github", "GET", url, "--cassettes", Self.cassettes])
        }
        let found = try explain("https://api.github.com/repos/apple/swift-nio")
        #expect(found.exitCode == 0)
        #expect(found.outputText.contains(#"is answered by "any repository" of github"#))
        let missing = try explain("https://api.github.com/search/repositories?q=rust")
        #expect(missing.exitCode == 70)
        // The README shows the first of those that are near.
        let parts = missing.outputText.components(separatedBy: "\n\nnear is ").prefix(2)
        #expect(parts.last?.hasPrefix("\"search repositories\"") == true)
        #expect(Self.text(of: "README.md").contains(parts.joined(separator: "\n\nnear is ")))
    }

    @Test func `the tour has a mistake pointed out`() throws {
        let folder = try TestFolder()
        let text = Self.text(of: "cassettes/github.yaml")
        let place = try #require(text.firstRange(of: "method:"))
        try folder.write(text.replacingCharacters(in: place, with: "methd:"), to: "cassettes/github.yaml")
        let result = try folder.tapedeck("check", "github")
        #expect(result.exitCode == 65)
        #expect(Self.text(of: "README.md").contains("$ tapedeck check github\n\(result.outputText)"))
    }

    @Test func `a cassette of the tour is edited while it plays`() throws {
        let folder = try TestFolder()
        let text = Self.text(of: "cassettes/github.yaml")
        try folder.write(text, to: "cassettes/github.yaml")
        let deck = try folder.serve("replay", "github")
        let url = "https://api.github.com/users/octocat"
        #expect(try folder.curl(deck, url).outputText.contains("The Octocat"))
        try folder.write(text.replacing("The Octocat", with: "Mona"), to: "cassettes/github.yaml")
        _ = try deck.program.waitForErrors("the reload") { $0.contains("reloaded cassettes/github.yaml") ? true : nil }
        #expect(try folder.curl(deck, url).outputText.contains("Mona"))
        try deck.stop()
    }

    // MARK: The cassettes

    @Test func `several cassettes play at once, query order does not matter, takes go in order`() throws {
        let folder = try TestFolder()
        let cassettes = ["github", "payments"]
        let search = "https://api.github.com/search/repositories?sort=stars&q=swift"
        #expect(try self.replay(cassettes, search, folder).outputText.contains("swiftlang/swift"))
        let payment = "https://pay.example.com/payments/42"
        let status = try folder.tapedeck(
            ["replay"] + cassettes + ["--cassettes", Self.cassettes, "--", "curl", "-s", payment, payment, payment]
        )
        let done = #"{"id": 42, "status": "done"}"#
        #expect(status.outputText == #"{"id": 42, "status": "pending"}"# + done + done)
    }

    @Test func `a login with another body gets another answer`() throws {
        let folder = try TestFolder()
        for (body, answer) in [
            (#"{"password":"wrong","user":"ada"}"#, #"{"error": "invalid credentials"}"#),
            (#"{"password":"right","user":"ada"}"#, #"{"user": "ada"}"#),
        ] {
            let login = try folder.tapedeck([
                "replay", "payments", "--cassettes", Self.cassettes, "--",
                "curl", "-s", "-d", body, "https://pay.example.com/login",
            ])
            #expect(login.outputText == answer)
        }
    }

    @Test func `show tells the two logins apart`() throws {
        let shown = try TestFolder().tapedeck("show", "payments", "--cassettes", Self.cassettes)
        let logins = shown.outputText.split(separator: "\n").filter {
            $0.contains("POST https://pay.example.com/login")
        }
        #expect(logins.count == 2)
        #expect(logins.first?.contains("POST https://pay.example.com/login + body  ") == true, "\(logins)")
        #expect(logins.last?.contains("+") == false, "\(logins)")
    }

    // MARK: The pages

    @Test(arguments: ["docs/cassette-format.md", "docs/cassette-reference.md", "docs/response-sets.md"])
    func `every cassette in the docs is without problems`(_ page: String) throws {
        let folder = try TestFolder()
        let cassettes = Self.blocks(of: page).filter(\.isCassette)
        #expect(cassettes.count >= 4)
        var names: [String] = []
        for block in cassettes {
            names.append("line \(block.line)")
            try folder.write(block.text, to: "cassettes/line \(block.line).yaml")
        }
        let result = try folder.tapedeck(["check"] + names)
        #expect(result.exitCode == 0)
        let lines = result.outputText.split(separator: "\n")
        #expect(lines.count == cassettes.count)
        #expect(lines.filter { !$0.hasSuffix("no problems") } == [])
    }

    @Test func `every replay in the guide is answered by the cassette above it`() throws {
        let folder = try TestFolder()
        var commands = 0
        for block in Self.blocks(of: "docs/response-sets.md") {
            if block.isCassette { try folder.write(block.text, to: "cassettes/api.yaml") }
            for line in block.text.split(separator: "\n") where line.hasPrefix("tapedeck replay api ") {
                let command = line.dropFirst("tapedeck".count).replacing("./run-tests", with: "true")
                let result = try folder.run(["sh", "-c", "\"$0\"\(command)", Tapedeck.path])
                #expect(result.errorText.contains(", 0 unmatched, 0 connections opened upstream"), "\(line)")
                let asks = line.contains("curl")
                #expect(result.errorText.contains("replay: 0 requests played") != asks, "\(line)")
                commands += 1
            }
        }
        #expect(commands >= 12)
    }

    @Test func `the output of explain in the guide is right`() throws {
        let folder = try TestFolder()
        var commands = 0
        for block in Self.blocks(of: "docs/response-sets.md") {
            if block.isCassette { try folder.write(block.text, to: "cassettes/api.yaml") }
            guard block.text.hasPrefix("$ tapedeck explain "), let end = block.text.firstIndex(of: "\n") else {
                continue
            }
            let command = block.text[..<end].dropFirst("$ tapedeck".count)
            let result = try folder.run(["sh", "-c", "\"$0\"\(command)", Tapedeck.path])
            #expect(result.outputText == block.text[end...].dropFirst())
            commands += 1
        }
        #expect(commands == 2)
    }

    @Test func `the project file in the docs is read, and has every key of the table below it`() throws {
        let page = "docs/recording.md"
        let block = try #require(Self.blocks(of: page).first { $0.text.hasPrefix("redact:\n") })
        let folder = try TestFolder()
        try folder.write(block.text, to: "tapedeck.yaml")
        try folder.write("tapedeck: 1\n", to: "cassettes/x.yaml")
        // It names a host to pass through, which a replay asks, with this authority.
        try folder.write("", to: "certs/corp.pem")
        let result = try folder.tapedeck("replay", "x", "--", "true")
        #expect(result.exitCode == 0, "\(result.errorText)")

        try folder.write(block.text.replacing("loopback:", with: "lopback:"), to: "tapedeck.yaml")
        let wrong = try folder.tapedeck("replay", "x", "--", "true")
        #expect(wrong.exitCode == 65)
        #expect(
            wrong.errorText.contains("`record` has no key `lopback`; did you mean `loopback`?"),
            "\(wrong.errorText)"
        )

        let rows = Self.text(of: page).matches(of: #/(?m)^\| `((?:record|upstream)\.)?([a-zA-Z]+)`/#)
        let keys = rows.filter { $0.output.1 != nil }.map { String($0.output.2) }
        #expect(keys.count >= 10)
        for key in keys { #expect(block.text.contains("  \(key):"), "\(key)") }
    }

    @Test func `every file named on the page on the code exists`() throws {
        let sources = Self.repository.appendingPathComponent("Sources").path
        let files = try #require(FileManager.default.subpaths(atPath: sources)).filter { $0.hasSuffix(".swift") }
        let named = Self.text(of: "docs/life-of-a-request.md").matches(of: #/`([\w\/+.]+\.swift)`/#)
            .map { String($0.output.1) }
            .filter { $0 != "Package.swift" }
        #expect(named.count > 150)
        for name in Set(named) {
            // `+Part.swift` is about the type named before it, a path may begin at any folder.
            let end = name.hasPrefix("+") ? name : "/" + name
            #expect(files.contains { "/\($0)".hasSuffix(end) }, "\(name)")
        }
    }

    /// A block of code in a page.
    private struct Block {
        var line: Int
        var isCassette: Bool
        var text: String
    }

    private static func text(of file: String) -> String {
        (try? String(contentsOf: Self.repository.appendingPathComponent(file), encoding: .utf8)) ?? ""
    }

    private static func blocks(of page: String) -> [Block] {
        var blocks: [Block] = []
        var open: Block?
        for (number, line) in Self.text(of: page).split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        {
            if var block = open {
                if line == "```" {
                    block.isCassette = block.isCassette && block.text.hasPrefix("tapedeck: 1\n")
                    blocks.append(block)
                    open = nil
                } else {
                    block.text += line + "\n"
                    open = block
                }
            } else if line.hasPrefix("```") {
                open = Block(line: number + 2, isCassette: line == "```yaml", text: "")
            }
        }
        return blocks
    }

    // MARK: The program

    @Test func `the demo records, switches its origin off, and replays the same`() throws {
        let folder = try TestFolder()
        let result = try folder.tapedeck("demo")
        #expect(result.exitCode == 0)
        #expect(result.outputText.contains("recorded 3 exchanges"))
        #expect(result.outputText.contains("replayed 3 requests: the same answers, 0 connections opened upstream"))
        #expect(result.outputText.contains("tapedeck: 1\nresponseSets:\n"))
        #expect(!folder.exists("ca"))
    }

    @Test func `the variables of ca env make curl trust a deck that serves`() throws {
        let folder = try TestFolder()
        let deck = try folder.serve("replay", "github", "--cassettes", Self.cassettes)
        let script = """
            eval "$("\(Tapedeck.path)" ca env)"; curl -s -x \(deck.url) https://api.github.com/users/octocat
            """
        let result = try folder.run(["sh", "-c", script])
        #expect(result.exitCode == 0)
        #expect(result.outputText.contains("The Octocat"))
        let printed = try folder.tapedeck("ca", "print")
        #expect(printed.outputText == (try String(contentsOfFile: deck.authorityPath, encoding: .utf8)))
        try deck.stop()
    }

    private func replay(_ arguments: [String], _ url: String, _ folder: TestFolder) throws -> Program.Result {
        try folder.tapedeck(["replay"] + arguments + ["--cassettes", Self.cassettes, "--", "curl", "-s", url])
    }
}
