import Foundation
import TapedeckTestingCore
import Testing

/// The arguments that a test may read before there is a deck.
@Suite("The names in a cassette's file")
struct OutlineTests {
    private static let github = """
        tapedeck: 1
        responseSets:
          - name: login
            request: { method: POST, url: "https://api.test/login" }
            variants:
              - name: success
                takes: [{ status: 200 }]
              - name: 'rate limited'
                takes: [{ status: 429 }]
          - request: { url: "https://api.test/user" }
            name: user
            variants: [{ takes: [{ status: 200 }], name: found }]
        """

    /// Writes a cassette to a folder of its own, which goes when the block is done.
    private func withCassette<Value>(
        _ text: String,
        called file: String = "github.yaml",
        _ body: (_ folder: String) throws -> Value
    ) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("outline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appendingPathComponent(file))
        return try body(folder.path)
    }

    private func message(_ text: String, _ set: String = "login") throws -> String {
        try self.withCassette(text) { folder in
            let error = #expect(throws: TapedeckError.self) {
                try Tapedeck.variants(of: set, in: "github", folder: folder)
            }
            #expect(error?.kind == .refused)
            return (error?.description ?? "").replacingOccurrences(of: folder, with: "FOLDER")
        }
    }

    @Test("come in the order of the file", arguments: ["github.yaml", "github.yml"])
    func names(file: String) throws {
        try self.withCassette(Self.github, called: file) { (folder) throws in
            #expect(try Tapedeck.variants(of: "login", in: "github", folder: folder) == ["success", "rate limited"])
            #expect(try Tapedeck.variants(of: "user", in: "\(folder)/\(file)") == ["found"])
            #expect(try Tapedeck.responseSets(in: "github", folder: folder) == ["login", "user"])
        }
    }

    @Test("are the same as in the printed form of a cassette built in Swift")
    func ofBuiltCassette() throws {
        let cassette = Cassette {
            ResponseSet("odd: names", .get("https://api.test/")) {
                Variant("yes", .status(200))
                Variant("# 1", .status(500))
                Variant("é \"x\"\n", .status(500))
            }
        }
        try self.withCassette(cassette.yaml) { (folder) throws in
            #expect(try Tapedeck.responseSets(in: "github", folder: folder) == ["odd: names"])
            #expect(
                try Tapedeck.variants(of: "odd: names", in: "github", folder: folder) == ["yes", "# 1", "é \"x\"\n"]
            )
        }
    }

    @Test("of a missing file are an error with the expected path")
    func missing() {
        let folder = "\(#filePath)".dropLast("/OutlineTests.swift".count)
        let error = #expect(throws: TapedeckError.self) { try Tapedeck.variants(of: "login", in: "Fixtures/nowhere") }
        #expect(error?.kind == .missingCassette)
        #expect(
            error?.description
                == "there is no cassette \(folder)/Fixtures/nowhere.yaml; check its name and its folder, or record it first"
        )
    }

    @Test("of an unknown set are an error that lists the known ones")
    func unknownSet() throws {
        let message = try self.message(Self.github, "logn")
        #expect(message == #"there is no response set "logn" in FOLDER/github.yaml. There is: "login", "user""#)
        #expect(
            try self.message("tapedeck: 1") == #"there is no response set "login" in FOLDER/github.yaml. It has none"#
        )
    }

    @Test(
        "of an invalid file are an error with its place",
        arguments: [
            (
                "tapedeck: 1\nresponseSets:\n  - name: login\n    variants: [\n",
                "FOLDER/github.yaml:4:15: "
            ),
            ("tapedeck: 1\nresponseSets: login\n", "FOLDER/github.yaml:2:15: `responseSets` is a list"),
            ("tapedeck: 1\nresponseSets:\n  - request: {}\n", "FOLDER/github.yaml:3:5: a response set needs a `name`"),
            (
                "tapedeck: 1\nresponseSets:\n  - name: login\n",
                "FOLDER/github.yaml:3:5: the response set \"login\" has no variants"
            ),
            (
                "tapedeck: 1\nresponseSets:\n  - name: login\n    variants: [{ takes: [] }]\n",
                "FOLDER/github.yaml:4:16: a variant needs a `name`"
            ),
            ("a: b\n", "FOLDER/github.yaml is no cassette: one begins with `tapedeck: 1`"),
            ("", "FOLDER/github.yaml is no cassette: one begins with `tapedeck: 1`"),
        ]
    )
    func broken(text: String, start: String) throws {
        let message = try self.message(text)
        #expect(message.hasPrefix(start), "\(message)")
    }
}
