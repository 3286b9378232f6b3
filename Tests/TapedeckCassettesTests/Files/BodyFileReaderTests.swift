import TapedeckCassettes
import TapedeckCore
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Body files are regular files in the cassette's folder; anything else is refused at once.
@Suite struct BodyFileReaderTests {
    private let folder: TemporaryFolder
    private let file: BodyFile

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.write("tapedeck: 1\n", to: "tapes/api.yaml")
        try self.folder.write("content", to: "tapes/api/body.txt")
        self.file = BodyFile(name: "api/body.txt", path: self.folder.path("tapes/api/body.txt"), size: 7)
    }

    private func replace(by make: (String) -> Int32) throws {
        try FileContents.remove(self.file.path)
        try #require(make(self.file.path) == 0)
    }

    private func diagnostics() -> [String] {
        let text = """
            tapedeck: 1
            responseSets:
              - name: a
                request: { url: http://a.test/ }
                variants: [{ name: b, takes: [{ status: 200, body: { file: api/body.txt } }] }]

            """
        let path = self.folder.path("tapes/api.yaml")
        return CassetteReader.read(Array(text.utf8), name: "api", path: path).diagnostics.map(\.message)
    }

    @Test func `a file of another size is played only where that does not matter`() throws {
        #expect(try self.file.contents() == Array("content".utf8))
        var larger = self.file
        larger.size = 8
        #expect(throws: BodyFileReader.Problem.size(7, of: larger)) { try BodyFileReader(larger) }
        #expect(try larger.contents() == Array("content".utf8))
        #expect(self.diagnostics() == [])
    }

    @Test func `a named pipe and a device are refused without waiting`() throws {
        try self.replace { mkfifo($0, 0o644) }
        #expect(throws: BodyFileReader.Problem.self) { try self.file.contents() }
        #expect(self.diagnostics() == ["\(self.file.path) is no regular file; put a file with the body in its place"])
        try self.replace { symlink("/dev/zero", $0) }
        #expect(throws: BodyFileReader.Problem.self) { try self.file.contents() }
        #expect(self.diagnostics().count == 1)
    }

    @Test func `a link out of the cassette's folder is refused, one within it is not`() throws {
        try self.folder.write("outside", to: "outside.txt")
        try self.folder.write("inside!", to: "tapes/inside.txt")
        try self.replace { symlink("../../outside.txt", $0) }
        #expect(throws: BodyFileReader.Problem.self) { try self.file.contents() }
        #expect(self.diagnostics().first?.contains("is a link that leads out of the cassette's folder") == true)
        try self.replace { symlink("../inside.txt", $0) }
        #expect(try self.file.contents() == Array("inside!".utf8))
        #expect(self.diagnostics() == [])
    }

    @Test func `a folder of body files that is a link out of the cassette's folder is refused`() throws {
        try self.folder.write("content", to: "elsewhere/body.txt")
        FileContents.removeFolder(self.folder.path("tapes/api"))
        try #require(symlink("../elsewhere", self.folder.path("tapes/api")) == 0)
        #expect(throws: BodyFileReader.Problem.self) { try self.file.contents() }
    }

    @Test func `a folder of cassettes may itself be a link`() throws {
        try #require(symlink("tapes", self.folder.path("linked")) == 0)
        let file = BodyFile(name: "api/body.txt", path: self.folder.path("linked/api/body.txt"), size: 7)
        #expect(try file.contents() == Array("content".utf8))
    }
}
