import TapedeckCassettes
import Testing

@Suite
struct CassetteLocationTests {
    @Test(arguments: [
        ("github", "github", "tapes/github.yaml", "tapes"), ("v1.2", "v1.2", "tapes/v1.2.yaml", "tapes"),
        ("github.yaml", "github", "github.yaml", "."), ("github.yml", "github", "github.yml", "."),
        ("./github", "github", "./github.yaml", "."), ("a/b", "b", "a/b.yaml", "a"),
        ("a/b.yml", "b", "a/b.yml", "a"), ("/abs/c.yaml", "c", "/abs/c.yaml", "/abs"), ("/c", "c", "/c.yaml", "/"),
        ("a/b.json", "b.json", "a/b.json.yaml", "a"), ("two words", "two words", "tapes/two words.yaml", "tapes"),
    ])
    func aBareNameIsLookedUpAndAnythingElseIsAPath(_ reference: String, name: String, path: String, folder: String) {
        let location = CassetteLocation(reference, folder: "tapes")
        #expect(location.name == name)
        #expect(location.path == path)
        #expect(location.folder == folder)
    }

    @Test(arguments: [
        ("github", "github", "tapes/github.journal"), ("a/b.yml", "b", "a/b.journal"),
        ("./b.c", "b.c", "./b.c.journal"),
    ])
    func bodyFolderAndJournalAreNextToTheCassette(_ reference: String, bodies: String, journal: String) {
        let location = CassetteLocation(reference, folder: "tapes")
        #expect(location.bodyFolderName == bodies)
        #expect(location.journalFolder == journal)
    }

    @Test(arguments: [("tapes/", "tapes/a.yaml"), ("", "a.yaml"), ("/", "/a.yaml")])
    func theFolderMayEndInASlashOrBeEmpty(_ folder: String, _ path: String) {
        #expect(CassetteLocation("a", folder: folder).path == path)
    }
}
