import TapedeckTestingCore
import Testing

struct CassettePathTests {
    @Test(arguments: [
        ("github", "/tests/github.yaml", "github"), ("github.yaml", "/tests/github.yaml", "github"),
        ("github.yml", "/tests/github.yml", "github"), ("team/github", "/tests/team/github.yaml", "github"),
        ("/other/github", "/other/github.yaml", "github"), ("api.v2", "/tests/api.v2.yaml", "api.v2"),
    ])
    func `a name is a file in the folder, a path one from there`(name: String, file: String, short: String) {
        let path = CassettePath(name, folder: "/tests")
        #expect(path.file == file)
        #expect(path.name == short)
        #expect(path.existing == nil)
    }

    @Test func `the folder is relative to the test's file`() {
        #expect(CassettePath.folder(nil, of: "/package/Tests/A/LoginTests.swift") == "/package/Tests/A")
        #expect(CassettePath.folder("Fixtures", of: "/package/Tests/A/LoginTests.swift") == "/package/Tests/A/Fixtures")
        #expect(CassettePath.folder("/elsewhere", of: "/package/Tests/A/LoginTests.swift") == "/elsewhere")
    }

    @Test(arguments: [
        ("http://127.0.0.1:4747", "127.0.0.1", 4747), ("http://id:token@deck:80/", "deck", 80),
        ("deck:4747", "deck", 4747), ("http://[::1]:4747", "::1", 4747),
    ])
    func `where a deck's proxy is`(text: String, host: String, port: Int) throws {
        let address = try #require(RunningDeck.address(text))
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(arguments: ["", "deck", "http://deck", "http://:80", "deck:0", "deck:70000", "deck:x"])
    func `an invalid address is rejected`(text: String) {
        #expect(RunningDeck.address(text) == nil)
    }
}
