import Foundation
import Testing

/// `corpus.py`: an origin and a program that exchange some seventy planted secrets.
final class Corpus: Sendable {
    /// The result of one exchange.
    struct Line: Decodable, Sendable {
        var `case`: String
        /// `nil` when there was no answer.
        var status: Int?
        var unmatched: Bool
        var text: String?
    }

    /// The rules of the cassette, for the secrets that no built-in rule knows.
    static let cassette = """
        tapedeck: 1
        redact:
          rules:
            - header: X-Tenant
            - query: tenant
            - json: $.settings.pin
              name: pin
            - form: ticket
            - pattern: 'acct_[a-z0-9]{16}'
              name: account
            - environment: OWN_SECRET
        responseSets: []

        """
    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("corpus.py")
        .path

    let folder: TestFolder
    let url: String
    private let program: Program

    init(in folder: TestFolder) throws {
        self.folder = folder
        self.program = try folder.start(Program.python + [Self.script, "origin"], input: nil)
        let port = try self.program.waitForOutput("the corpus's port") { text in
            text.contains("\n") ? text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
        }
        self.url = "http://127.0.0.1:\(port)"
    }

    deinit {
        self.program.closeInput()
    }

    /// Stops serving.
    func stop() throws {
        self.program.closeInput()
        try self.program.result()
        self.folder.holdPort(of: self.url)
    }

    /// The planted secrets, each of which the seed decides.
    func secrets(seed: UInt64) throws -> [String: String] {
        let list = try self.folder.run(Program.python + [Self.script, "list", "--seed", "\(seed)"])
        return try JSONDecoder().decode([String: String].self, from: list.output)
    }

    /// The command that requests every case.
    func client(seed: UInt64, _ options: [String] = []) -> [String] {
        Program.python + [Self.script, "client", "--seed", "\(seed)", "--origin", self.url] + options
    }

    /// The environment that has the secret which a rule names.
    func environment(seed: UInt64) throws -> [String: String] {
        ["OWN_SECRET": try #require(try self.secrets(seed: seed)["own-environment"])]
    }

    /// Records every case, or plays them.
    func run(
        _ mode: [String],
        seed: UInt64,
        _ options: [String] = [],
        environment: [String: String]? = nil
    ) throws -> (lines: [Line], result: Program.Result) {
        let environment = try environment ?? self.environment(seed: seed)
        let command = [Tapedeck.path] + mode + ["-v", "--"] + self.client(seed: seed, options)
        let result = try self.folder.run(command, environment: environment)
        let lines = try result.output.split(separator: UInt8(ascii: "\n")).map { line in
            try JSONDecoder().decode(Line.self, from: Data(line))
        }
        return (lines, result)
    }

    /// Waits until the journal has been searched for the secret that became known after it was in there: the deck does that
    /// as soon as a thread is free.
    func waitUntilSearchedAgain(_ journal: String, seed: UInt64) throws {
        let late = Data(try #require(try self.secrets(seed: seed)["late-token"]).utf8)
        let end = Date(timeIntervalSinceNow: Program.deadline)
        while try Data(contentsOf: URL(fileURLWithPath: self.folder / journal)).firstRange(of: late) != nil {
            try #require(Date() < end)
            sched_yield()
        }
    }

    /// Expects that no file of the folder contains a secret, in any form.
    func expectNone(in paths: String..., seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let command = Program.python + [Self.script, "check", "--seed", "\(seed)"] + paths.map { self.folder / $0 }
        let result = try self.folder.run(command)
        #expect(result.exitCode == 0, "\(result.outputText)\(result.errorText)", sourceLocation: sourceLocation)
    }
}
