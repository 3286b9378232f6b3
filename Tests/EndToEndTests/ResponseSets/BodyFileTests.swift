import Foundation
import Testing

/// Body files that are not what they were when the cassette was loaded.
@Suite(.ownThreads) struct BodyFileTests {
    private static func cassette(size: Int) throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: file
                request: { method: GET, url: http://body.test/ }
                variants: [{ name: found, takes: [{ status: 200, body: { file: x/body.bin } }] }]

            """,
            to: "cassettes/x.yaml"
        )
        try folder.write(Data(count: size), to: "cassettes/x/body.bin")
        return folder
    }

    /// A small file, which is kept in memory, and a large one, which is sent from the file.
    @Test(arguments: [1_000, 3 << 20])
    func `a missing body file or a pipe is an error, not a broken response`(_ size: Int) throws {
        let folder = try Self.cassette(size: size)
        let path = folder / "cassettes/x/body.bin"
        let deck = try folder.serve("replay", "x")
        func ask() throws -> String {
            let result = try folder.curl(deck, "-w", "%{http_code}", "http://body.test/")
            #expect(result.exitCode == 0, "\(result.errorText)")
            return result.outputText
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(try ask().contains("No such file or directory"))
        #expect(try ask().hasSuffix("500"))
        try #require(mkfifo(path, 0o644) == 0)
        #expect(try ask().contains("is no regular file"))
        try FileManager.default.removeItem(atPath: path)
        // In one step: a deck that reads the cassette again meanwhile would note the size of half a file.
        try folder.write(Data(count: size), to: "body.bin")
        try FileManager.default.moveItem(atPath: folder / "body.bin", toPath: path)
        let whole = try folder.curl(deck, "http://body.test/")
        #expect(whole.output.count == size, "\(whole.outputText.prefix(300))")
        try deck.stop()
    }

    @Test func `a body file that is a link out of the cassette's folder is refused`() throws {
        let folder = try Self.cassette(size: 10)
        try FileManager.default.removeItem(atPath: folder / "cassettes/x/body.bin")
        try folder.write("secret", to: "secret.txt")
        try FileManager.default.createSymbolicLink(
            atPath: folder / "cassettes/x/body.bin",
            withDestinationPath: "../../secret.txt"
        )
        let start = try folder.tapedeck("replay", "x", "--", "curl", "-sS", "http://body.test/")
        #expect(start.exitCode == 65)
        #expect(start.errorText.contains("is a link that leads out of the cassette's folder"), "\(start.errorText)")
    }
}
