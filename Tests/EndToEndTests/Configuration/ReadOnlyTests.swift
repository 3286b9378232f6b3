import Foundation
import Testing

/// A deck in a container whose file system cannot be written to.
@Suite(.ownThreads) struct ReadOnlyTests {
    /// No home, no place for temporary files, and none for certificates in the authority's folder.
    private func environment(_ folder: TestFolder) throws -> [String: String] {
        _ = try folder.tapedeck(["ca"])
        try? FileManager.default.removeItem(atPath: folder / "ca/trust")
        try folder.write("in the way", to: "ca/trust")
        return ["HOME": "", "XDG_DATA_HOME": "", "TMPDIR": "/dev/null"]
    }

    @Test func `a deck serves without a place to write to`() throws {
        let folder = try TestFolder()
        let environment = try self.environment(folder)
        let deck = try folder.serve("serve", environment: environment)
        let url = try #require(deck.controlURL)
        #expect(deck.program.errorsSoFar.contains("to trust it:  \(url)/v1/ca.pem"))
        let certificate = try folder.run(["curl", "-sS", "\(url)/v1/ca.pem"])
        #expect(certificate.outputText == (try folder.read("ca/ca.pem")))
        try deck.stop()
    }

    @Test func `a command that needs temporary files is refused with the remedy`() throws {
        let folder = try TestFolder()
        let environment = try self.environment(folder)
        let result = try folder.tapedeck(["passthrough", "--", "true"], environment: environment)
        #expect(result.exitCode == 69)
        #expect(result.errorText.contains("name a folder for them with TMPDIR"), "\(result.errorText)")
    }
}
