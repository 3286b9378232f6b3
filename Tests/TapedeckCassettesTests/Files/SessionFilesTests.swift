import TapedeckCore
import Testing

@testable import TapedeckCassettes

@Suite("Cassettes that come with a session")
struct SessionFilesTests {
    private let library = CassetteLibrary(
        folder: "/nonexistent",
        store: CassetteStore(digest: TestDigest.digest)
    )

    private func files(_ texts: [String: String]) throws -> SessionFiles {
        try self.library.store.files(texts.mapValues { Array($0.utf8) })
    }

    private func firstBody(_ tape: Tape) throws -> StoredBody {
        let set = try #require(tape.entries.first).set
        return try #require(set.variants.first?.behaviour.allTakes.first).body
    }

    @Test("A cassette is found by its name, with and without an ending, in folders too")
    func names() throws {
        let text = WatchedFolder.cassette("set")
        let files = try self.files(["login.yaml": text, "old.yml": text, "team/cart.yaml": text])
        #expect(files.cassette("login")?.name == "login")
        #expect(files.cassette("login.yaml")?.name == "login")
        #expect(files.cassette("old")?.name == "old")
        #expect(files.cassette("team/cart")?.name == "team/cart")
        #expect(files.cassette("cart") == nil)
        #expect(files.cassette("login.yml") == nil)
    }

    @Test("The cassettes are the top-level cassette files, by name, including broken ones")
    func cassettes() throws {
        let files = try self.files([
            "b.yaml": WatchedFolder.cassette("set"), "a.yml": "# mine\ntapedeck: [", "body.yaml": "name: ann\n",
            "notes.txt": "tapedeck: 1\n", "team/cart.yaml": WatchedFolder.cassette("set"),
        ])
        #expect(files.cassettes.map(\.name) == ["a", "b"])
    }

    @Test(
        "A path stays within the files",
        arguments: ["", "/etc/passwd", "../a.yaml", "a/../b.yaml", "a//b.yaml", "./a.yaml", "a/", "a\nb.yaml"]
    )
    func paths(_ path: String) throws {
        let problem = try #require(throws: SessionFiles.Problem.self) { try self.files([path: ""]) }
        #expect(problem.path == path)
    }

    @Test("Sessions with the same files share one tape; a different byte gives another tape")
    func shared() throws {
        let text = WatchedFolder.cassette("set")
        func tape(_ texts: [String: String]) throws -> Tape {
            try self.library.tape(of: [try #require(try self.files(texts).cassette("login"))])
        }
        let first = try tape(["login.yaml": text, "other": "1"])
        let same = try tape(["login.yaml": text, "other": "1"])
        let other = try tape(["login.yaml": text, "other": "2"])
        #expect(same === first)
        #expect(other !== first)
        #expect(first.entries.map(\.set.name) == ["set"])
    }

    @Test("A body file is read from the session's files, relative to its cassette")
    func bodyFiles() throws {
        let photo: [UInt8] = [0x89, 0x50, 0xFF]
        let cassette = """
            tapedeck: 1
            responseSets:
              - name: photo
                request: { method: GET, url: 'http://a.test/' }
                variants:
                  - name: found
                    takes: [{ status: 200, body: { file: ./login/photo.png } }]

            """
        let files = try self.library.store.files([
            "team/login.yaml": Array(cassette.utf8), "team/login/photo.png": photo, "login/photo.png": [1],
        ])
        let tape = try self.library.tape(of: [try #require(files.cassette("team/login"))])
        guard case .inline(let body) = try self.firstBody(tape) else {
            Issue.record("the body is not in memory")
            return
        }
        #expect(body.decoded == photo)
    }

    @Test("A problem has a file, line and column, and nothing is read from disk")
    func problems() throws {
        let folder = try TemporaryFolder()
        try folder.write("there", to: "body.txt")
        let cassette = """
            tapedeck: 1
            responseSets:
              - name: a
                request: { method: GET, url: 'http://a.test/' }
                variants: [{ name: b, takes: [{ status: 200, body: { file: body.txt } }] }]

            """
        let location = try #require(try self.files(["login.yaml": cassette]).cassette("login"))
        let error = try #require(throws: CassetteError.self) { try self.library.tape(of: [location]) }
        let problem = try #require(error.diagnostics.first)
        #expect(problem.path == "login.yaml")
        #expect(problem.line == 5)
        #expect(problem.column != nil)
        #expect(problem.message == "the body file body.txt is missing; send it along with the cassette")
    }

    @Test("A session plays 100 cassettes, more than are kept unplayed")
    func many() throws {
        var texts: [String: String] = [:]
        for number in 0..<100 { texts["n\(number).yaml"] = WatchedFolder.cassette("set \(number)") }
        let files = try self.files(texts)
        #expect(files.cassettes.count == 100)
        #expect(try self.library.tape(of: files.cassettes).entries.count == 100)
    }

    @Test("Cassettes that are no longer played are released")
    func bounded() throws {
        for number in 0..<200 {
            let files = try self.files(["login.yaml": WatchedFolder.cassette("set \(number)")])
            _ = try self.library.tape(of: [try #require(files.cassette("login"))])
        }
        #expect(self.library.watched.count <= 64)
    }

    @Test("A released cassette plays again, and no file on disk is watched for it")
    func letGo() throws {
        let location = try #require(try self.files(["login.yaml": WatchedFolder.cassette("mine")]).cassette("login"))
        _ = try self.library.tape(of: [location])
        for number in 0..<100 {
            let files = try self.files(["login.yaml": WatchedFolder.cassette("set \(number)")])
            _ = try self.library.tape(of: [try #require(files.cassette("login"))])
        }
        #expect(try self.library.tape(of: [location]).entries.map(\.set.name) == ["mine"])
        #expect(self.library.watched.allSatisfy { $0.files.paths.isEmpty && $0.files.folders.isEmpty })
        #expect(self.library.reload([location]).isEmpty)
    }
}
