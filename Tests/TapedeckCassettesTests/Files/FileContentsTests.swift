import TapedeckCassettes
import TapedeckPlatform
import Testing

@Suite
struct FileContentsTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test(arguments: [0, 1, 4_095, 4_096, 4_097, 100_000])
    func aWrittenFileReadsBack(_ size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try self.folder.write(bytes, to: "file")
        #expect(try self.folder.bytes("file") == bytes)
        #expect(FileContents.size(self.folder.path("file")) == size)
    }

    @Test func replacingAFileLeavesNoOtherFiles() throws {
        try self.folder.write("one", to: "file")
        try self.folder.write("two", to: "file")
        #expect(try self.folder.text("file") == "two")
        #expect(FileContents.names(in: self.folder.path) == ["file"])
    }

    @Test func aPipeIsWrittenToAndStaysAPipe() throws {
        let path = self.folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        // Open at both ends, so that neither end waits for the other.
        let pipe = open(path, O_RDWR)
        defer { close(pipe) }
        try FileContents.replace(path, with: Array("text".utf8))
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(read(pipe, &bytes, 10) == 4)
        #expect(String(decoding: bytes.prefix(4), as: UTF8.self) == "text")
        #expect(FileContents.names(in: self.folder.path) == ["pipe"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func anErrorNamesActionPathAndReason() {
        let path = self.folder.path("none/file")
        #expect(throws: FileError("read", path, code: 2)) { try FileContents.read(path) }
        #expect(throws: FileError("write", path, code: 2)) { try FileContents.replace(path, with: []) }
        #expect(FileError("read", "a", code: 2).description == "cannot read a: No such file or directory")
        #expect(FileError("read", "a", code: 2).isMissing)
        #expect(!FileError("read", "a", code: 13).isMissing)
    }

    @Test func foldersAreMadeWithTheirParents() throws {
        try FileContents.makeFolder(self.folder.path("a/b/c"))
        try FileContents.makeFolder(self.folder.path("a/b/c"))
        #expect(FileContents.exists(self.folder.path("a/b/c")))
        #expect(FileContents.size(self.folder.path("a")) == nil)
        try self.folder.write("x", to: "file")
        #expect(throws: FileError.self) { try FileContents.makeFolder(self.folder.path("file/b")) }
    }

    @Test func removingAMissingFileSucceeds() throws {
        try FileContents.remove(self.folder.path("none"))
        try self.folder.write("x", to: "file")
        try FileContents.remove(self.folder.path("file"))
        #expect(!FileContents.exists(self.folder.path("file")))
    }

    @Test func removingAFolderSparesTheFoldersInIt() throws {
        try self.folder.write("x", to: "a/file")
        try self.folder.write("x", to: "a/b/file")
        FileContents.removeFolder(self.folder.path("a"))
        #expect(FileContents.names(in: self.folder.path("a")) == ["b"])
        FileContents.removeFolder(self.folder.path("a/b"))
        FileContents.removeFolder(self.folder.path("a"))
        #expect(!FileContents.exists(self.folder.path("a")))
    }

    @Test func aBodyFileIsWrittenAndReadFromFrontToBack() throws {
        let path = self.folder.path("body")
        let writer = BodyFileWriter(path: path)
        #expect(!FileContents.exists(path))
        for piece in ["one", "", "two"] { try Array(piece.utf8).withUnsafeBytes { try writer.write($0) } }
        #expect(writer.size == 6)
        let reader = try BodyFileReader(path: path)
        #expect(try reader.read(upTo: 4) == Array("onet".utf8))
        #expect(try reader.read(upTo: 4) == Array("wo".utf8))
        #expect(try reader.read(upTo: 4).isEmpty)
        writer.discard()
        #expect(!FileContents.exists(path))
    }

    @Test(arguments: [
        ("a", "b", "a/b"), ("a/", "b", "a/b"), ("", "b", "b"), ("a", "/b", "/b"), ("/", "b", "/b"),
    ])
    func joinsPaths(_ folder: String, _ name: String, _ path: String) {
        #expect(FilePath.join(folder, name) == path)
    }

    @Test(arguments: [("a/b", "a", "b"), ("b", ".", "b"), ("/b", "/", "b"), ("a/b/c", "a/b", "c"), ("a/", "a", "")])
    func takesPathsApart(_ path: String, _ folder: String, _ name: String) {
        #expect(FilePath.folder(of: path) == folder)
        #expect(FilePath.name(of: path) == name)
    }

    @Test(arguments: [
        ("a.yaml", "a"), ("a.yml", "a"), ("a.YAML", "a.YAML"), ("a.yaml.yml", "a.yaml"), (".yaml", ".yaml"),
        ("yaml", "yaml"),
    ])
    func takesTheYAMLEndingOff(_ path: String, _ base: String) {
        #expect(FilePath.withoutYAMLEnding(path) == base)
    }
}
