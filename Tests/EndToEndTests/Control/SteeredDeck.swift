import Foundation
import Testing

/// A deck that serves, and `tapedeck` as a user steers it with.
struct SteeredDeck {
    let folder: TestFolder
    let process: TapedeckProcess

    static let cassette = """
        tapedeck: 1
        responseSets:
          - name: users
            request:
              method: GET
              url: http://api.example.com/users
            variants:
              - name: found
                takes:
                  - status: 200
                    body: { text: ada }
              - name: none
                takes:
                  - status: 404
                    body: { text: nobody }
          - name: a=b
            request: { url: http://api.example.com/ab }
            variants:
              - name: one
                takes: [{ status: 200, body: { text: one } }]
              - name: two
                takes: [{ status: 200, body: { text: two } }]
        profiles:
          deserted: { users: none }

        """
    static let users = "http://api.example.com/users"
    static let ab = "http://api.example.com/ab"

    /// - Parameter token: what the file `token` holds.
    init(_ arguments: String..., token: String? = nil) throws {
        self.folder = try TestFolder()
        if let token { try self.folder.write(token, to: "token") }
        try self.folder.write(Self.cassette, to: "cassettes/users.yaml")
        let command = arguments.isEmpty ? ["replay", "users"] : arguments
        self.process = try TapedeckProcess(self.folder, command)
    }

    /// The variables by which commands find the deck.
    var environment: [String: String] { ["TAPEDECK_URL": self.process.controlURL ?? ""] }

    /// Runs a command of `tapedeck` that steers the deck.
    @discardableResult
    func steer(_ arguments: String..., environment: [String: String] = [:]) throws -> Program.Result {
        try self.folder.tapedeck(arguments, environment: self.environment.merging(environment) { $1 })
    }

    /// Runs a command that must succeed; returns its output without the last line end.
    @discardableResult
    func steered(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let result = try self.folder.tapedeck(arguments, environment: self.environment)
        #expect(result.exitCode == 0, "\(result.errorText)", sourceLocation: sourceLocation)
        return result.outputText.trimmingCharacters(in: .newlines)
    }

    /// Returns the body of an answer through the deck.
    func get(_ url: String, session key: String? = nil) throws -> String {
        let headers = key.map { ["--header", "X-Tapedeck-Session: \($0)"] } ?? []
        return try self.folder.run(Curl.through(self.process) + headers + [url]).outputText
    }
}
