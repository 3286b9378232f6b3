import Foundation
import TapedeckTLS
import TestShare
import Testing

/// `Forms/form_corpus.py`: an origin and a program that exchange secrets in some three hundred forms, or ordinary answers,
/// over HTTP and HTTPS.
final class FormCorpus: Sendable {
    /// The outcome of one exchange.
    struct Line: Decodable, Sendable {
        /// The scheme and the form.
        var form: String
        /// `nil` when there was no answer.
        var status: Int?
        /// The reason why there was no answer.
        var failure: String?
        /// True if it is the answer to this form, and not that to another or none.
        var isRight: Bool?
        /// True if it has a placeholder in it, which no client must see.
        var hasPlaceholder: Bool?
        /// True if its bytes are the origin's.
        var isSame: Bool?
        var text: String?

        /// The text that a test prints of it.
        var summary: String { "\(self.form): \(self.failure ?? "\(self.status ?? 0) \(self.text ?? "")")" }
    }

    private struct Ports: Decodable {
        var http: Int
        var https: Int
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Forms/form_corpus.py").path

    /// All forms, or one in four of them in each run.
    private static let part = some(of: Array(0..<4)).flatMap { ["--quarter", "\($0)"] }

    let folder: TestFolder
    /// Decides every secret.
    let seed: UInt64
    /// The file with the authority that the origin's certificate is from.
    let authorityPath: String
    private let ports: Ports
    private let program: Program

    init(in folder: TestFolder, seed: UInt64) throws {
        self.folder = folder
        self.seed = seed
        let authority = try CertificateAuthority.ephemeral()
        let leaf = try authority.issueLeaf(for: "localhost")
        self.authorityPath = try folder.write(authority.certificatePEM, to: "origin/authority.pem")
        let certificate = try folder.write(leaf.certificatePEM, to: "origin/leaf.pem")
        let key = try folder.write(leaf.privateKeyPEM, to: "origin/key.pem")
        self.program = try folder.start(
            Program.python + [Self.script, "origin", "--cert", certificate, "--key", key],
            input: nil
        )
        let line = try self.program.waitForOutput("the corpus's ports") { $0.contains("\n") ? $0 : nil }
        self.ports = try JSONDecoder().decode(Ports.self, from: Data(line.utf8))
    }

    deinit {
        self.program.closeInput()
    }

    /// Stops serving.
    func stop() throws {
        self.program.closeInput()
        try self.program.result()
        self.folder.hold([self.ports.http, self.ports.https])
    }

    /// The names of the forms that ``client(seed:over:_:)`` requests.
    func forms() throws -> [Substring] {
        try self.folder.run(Program.python + [Self.script, "list"] + Self.part).outputText.split(separator: "\n")
    }

    /// The command that requests all forms, or a part of them.
    ///
    /// - Parameters:
    ///   - seed: the seed of its secrets; by default that of the corpus.
    ///   - schemes: the schemes to use.
    func client(
        seed: UInt64? = nil,
        over schemes: [Origin.Scheme] = Origin.Scheme.allCases,
        _ options: String...
    ) -> [String] {
        let ports = schemes.flatMap { ["--\($0)", "\($0 == .http ? self.ports.http : self.ports.https)"] }
        return Program.python + [Self.script, "client", "--seed", "\(seed ?? self.seed)"] + Self.part + ports + options
    }

    /// The command that prints what programs, such as the test helper, show people of a deck's journal.
    func shown(_ deck: TapedeckProcess) throws -> [String] {
        Program.python + [Self.script, "shown", "--control", try #require(deck.controlURL)]
    }

    static func lines(_ output: Data) throws -> [Line] {
        try output.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Line.self, from: Data($0)) }
    }

    /// Expects that no file of the folder contains a secret, in any spelling.
    func expectNone(in paths: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let command =
            Program.python + [Self.script, "check", "--seed", "\(self.seed)"] + paths.map { self.folder / $0 }
        let result = try self.folder.run(command)
        #expect(result.exitCode == 0, "\(result.errorText)\(result.outputText)", sourceLocation: sourceLocation)
    }
}
