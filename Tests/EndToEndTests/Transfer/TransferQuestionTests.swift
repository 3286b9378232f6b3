import Foundation
import Testing

/// Questions of `tapedeck pull` and `tapedeck push`, to a user at a terminal.
@Suite(.ownThreads) struct TransferQuestionTests {
    /// Runs a command at a terminal of its own; answers its questions one after the other with its first argument's
    /// characters, a `.` with the end of the input.
    private static let terminal = """
        import os, pty, sys
        child, terminal = pty.fork()
        if child == 0:
            os.execv(sys.argv[2], sys.argv[2:])
        said, answers = b"", list(sys.argv[1])
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
            while answers and said.count(b"[y/N/a(ll)]") > len(sys.argv[1]) - len(answers):
                answer = answers.pop(0)
                os.write(terminal, b"\\x04" if answer == "." else answer.encode() + b"\\n")
        print(said.decode().replace("\\r", ""))
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    /// A deck and a folder that have each their own of three cassettes, of the same time.
    private static func deck() throws -> SharedDeck {
        let names = ["one", "three", "two"]
        let deck = try SharedDeck(Dictionary(uniqueKeysWithValues: names.map { ($0, SharedDeck.cassette("theirs")) }))
        for name in names {
            try deck.here.write(SharedDeck.cassette("ours"), to: "cassettes/\(name).yaml")
            for folder in [deck.here, deck.there] { try deck.date(folder, "cassettes/\(name).yaml", 1_700_000_000) }
        }
        return deck
    }

    private static func run(_ deck: SharedDeck, _ answers: String, _ command: String) throws -> Program.Result {
        try deck.here.run(
            ["python3", "-c", self.terminal, answers, Tapedeck.path, command],
            environment: ["TAPEDECK_URL": deck.process.controlURL ?? ""]
        )
    }

    /// Returns the cassettes in a folder that equal those of the other side.
    private static func copied(in folder: TestFolder, from other: String) throws -> [String] {
        try ["one", "three", "two"].filter { try folder.read("cassettes/\($0).yaml").contains(other) }
    }

    @Test func `each cassette is used, and an answer counts for that one only`() throws {
        let deck = try Self.deck()
        let result = try Self.run(deck, "yny", "pull")
        #expect(result.exitCode == 1, "\(result.outputText)")
        #expect(try Self.copied(in: deck.here, from: "theirs") == ["one", "two"])
        #expect(result.outputText.contains("not pulled: three: as you said"), "\(result.outputText)")
    }

    @Test func `all is an answer to those that follow, and not to those before`() throws {
        let deck = try Self.deck()
        let result = try Self.run(deck, "na", "push")
        #expect(result.exitCode == 1, "\(result.outputText)")
        #expect(try Self.copied(in: deck.there, from: "ours") == ["three", "two"])
        #expect(result.outputText.components(separatedBy: "[y/N/a(ll)]").count == 3)
    }

    @Test func `no answer is a no`() throws {
        let deck = try Self.deck()
        let result = try Self.run(deck, "...", "push")
        #expect(result.exitCode == 1, "\(result.outputText)")
        #expect(try Self.copied(in: deck.there, from: "ours") == [])
    }
}
