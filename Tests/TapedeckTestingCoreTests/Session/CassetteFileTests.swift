import Foundation
import TapedeckTestingCore
import Testing

/// The sources of a session's cassettes.
@Suite(.timeLimit(.minutes(20)))
struct CassetteFileTests {
    private static let photo = "http://files.example/photo"
    private static let news = "http://files.example/news"

    private let files: TestFiles

    init() throws {
        self.files = try TestFiles([
            "photo.yaml": TestFiles.cassette("photo", Self.photo, "file: photo/large.txt"),
            "photo/large.txt": "a photo",
            "team/news.yml": TestFiles.cassette("news", Self.news, "text: team"),
            "both.yaml": TestFiles.cassette("both", Self.news, "text: both"),
        ])
    }

    @Test func `a name is a file of the folder, with its body files`() async throws {
        try await withTapedeck("photo", folder: self.files.path) { deck in
            let reply = try await AppClient(deck).get(Self.photo)
            #expect(reply.text == "a photo")
        }
    }

    @Test(arguments: ["team/news", "team/news.yml"])
    func `a path is one from the folder, with its ending or without`(path: String) async throws {
        try await withTapedeck(.named(path), folder: self.files.path) { deck in
            let reply = try await AppClient(deck).get(Self.news)
            #expect(reply.text == "team")
        }
    }

    @Test func `an absolute path needs no folder`() async throws {
        try await withTapedeck(.named("\(self.files.path)/both")) { deck in
            let reply = try await AppClient(deck).get(Self.news)
            #expect(reply.text == "both")
        }
    }

    @Test func `of several cassettes the first has precedence, of any kind`() async throws {
        try await withTapedeck("both", "team/news", "photo", .shop, folder: self.files.path) { deck async throws in
            let client = AppClient(deck)
            #expect(try await client.get(Self.news).text == "both")
            #expect(try await client.get(Self.photo).text == "a photo")
            #expect(try await client.get(Shop.price).status == 200)
        }
        try await withTapedeck(
            .files(["mine.yaml": TestFiles.cassette("mine", Self.news, "text: mine")]),
            "both",
            folder: self.files.path
        ) { deck in
            let reply = try await AppClient(deck).get(Self.news)
            #expect(reply.text == "mine")
        }
    }

    @Test func `a block's cassettes lie over those of the block around it`() async throws {
        try await withTapedeck("both", "photo", folder: self.files.path) { _ in
            try await withTapedeck("team/news") { deck async throws in
                let client = AppClient(deck)
                #expect(try await client.get(Self.news).text == "team")
                #expect(try await client.get(Self.photo).text == "a photo")
            }
        }
    }

    @Test func `files in memory may have body files`() async throws {
        let reference = CassetteReference.files([
            "album.yaml": TestFiles.cassette("photo", Self.photo, "file: album/one.txt"),
            "album/one.txt": "from memory",
            "letter.yaml": TestFiles.cassette("news", Self.news, "text: letter"),
        ])
        try await withTapedeck(reference) { deck async throws in
            let client = AppClient(deck)
            #expect(try await client.get(Self.photo).text == "from memory")
            #expect(try await client.get(Self.news).text == "letter")
        }
    }

    @Test func `two cassettes in memory need different names`() async throws {
        let error = await #expect(throws: TapedeckError.self) { try await withTapedeck(.shop, .shop) { _ in } }
        #expect(error?.kind == .badOptions)
        #expect(error?.message == "two cassettes are called shop.yaml; give them names of their own")
    }

    @Test func `an invalid cassette is refused with its place`() async throws {
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck(.files(["broken.yaml": "tapedeck: 1\nresponseSets:\n  - nam: x\n"])) { _ in }
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("broken.yaml:3") == true)
    }

    @Test func `a missing cassette fails, and the error names the place`() async throws {
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck("nowhere", folder: self.files.path) { _ in }
        }
        #expect(error?.kind == .missingCassette)
        #expect(
            error?.description.hasPrefix("there is no cassette \(self.files.path)/nowhere.yaml; record it") == true
        )
    }

    @Test func `a missing folder is said so`() async throws {
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck("nowhere", folder: "\(self.files.path)/Fixturs") { _ in }
        }
        let path = "\(self.files.path)/Fixturs/nowhere.yaml"
        #expect(error?.message.hasPrefix("there is no cassette \(path), nor is there its folder; record it") == true)
    }

    @Test func `a miss proposes to ignore what differs, in the cassette's file`() async throws {
        let told = try await issues {
            try await withTapedeck("both", folder: self.files.path) { deck in
                _ = try await AppClient(deck).get("\(Self.news)?page=2")
            }
        }
        let remedy = "\n    if it may differ: tapedeck ignore \(self.files.path)/both.yaml 'query:page'\n"
        #expect(told.first?.message.contains(remedy) == true, "\(told)")
    }

    @Test func `a file of another tool is to be imported`() async throws {
        let files = try TestFiles(["browser.har": "{}", "gone/a.bin": ""])
        let gone = await #expect(throws: TapedeckError.self) {
            try await withTapedeck("gone", folder: files.path) { _ in }
        }
        #expect(gone?.description.contains("another tool") == false, "\(gone?.description ?? "")")
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck("browser.har", folder: files.path) { _ in }
        }
        #expect(error?.description.contains("browser.har is a file of another tool: tapedeck import makes") == true)
    }

    @Test func `of several cassettes the missing one is named`() async throws {
        let error = await #expect(throws: TapedeckError.self) {
            try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
                try await withTapedeck("both", "nowhere", folder: self.files.path) { _ in }
            }
        }
        #expect(error?.kind == .missingCassette)
        #expect(error?.description.contains("/nowhere.yaml; check its name, or record it on its own") == true)
    }
}
