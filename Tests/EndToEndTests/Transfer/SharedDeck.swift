import Foundation
import Testing

/// A deck that serves a folder of cassettes, and a user with another folder.
struct SharedDeck {
    /// The deck's.
    let there: TestFolder
    /// The user's folder.
    let here: TestFolder
    let process: TapedeckProcess

    static let url = "http://api.example.com/users"

    static func cassette(_ text: String) -> String { Cassettes.answering(self.url, text) }

    /// A cassette whose body is in a file of its own.
    static func withBody(_ name: String) -> String {
        self.cassette("x").replacing("text: x", with: "file: \(name)/photo.bin")
    }

    init(_ files: [String: String] = ["users": SharedDeck.cassette("ada")], _ arguments: String...) throws {
        self.there = try TestFolder()
        self.here = try TestFolder()
        try FileManager.default.createDirectory(atPath: self.there / "cassettes", withIntermediateDirectories: true)
        for (name, text) in files { try self.there.write(text, to: "cassettes/\(name).yaml") }
        self.process = try TapedeckProcess(self.there, arguments.isEmpty ? ["serve"] : arguments)
    }

    /// Runs a command of `tapedeck` here.
    func run(_ arguments: String...) throws -> Program.Result {
        try self.run(in: self.here, arguments)
    }

    func run(in folder: TestFolder, _ arguments: [String]) throws -> Program.Result {
        try folder.tapedeck(arguments, environment: ["TAPEDECK_URL": self.process.controlURL ?? ""])
    }

    /// Runs a command that must succeed.
    func ran(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let result = try self.run(in: self.here, arguments)
        #expect(result.exitCode == 0, "\(result.errorText)", sourceLocation: sourceLocation)
        return result.outputText
    }

    /// Sets the time at which a file was written.
    func date(_ folder: TestFolder, _ name: String, _ time: TimeInterval) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: time)],
            ofItemAtPath: folder / name
        )
    }

    /// Returns the files of a private folder.
    func hidden(_ folder: TestFolder) throws -> [String] {
        try folder.names(in: "cassettes").filter { $0.hasPrefix(".") && $0 != ".tapedeck" || $0.hasSuffix(".journal") }
    }
}
