import Foundation
import FoundationNetworking
import TapedeckTestingCore
import Testing

/// Options that change what a session plays.
@Suite(.timeLimit(.minutes(5)))
struct PlayingOptionsTests {
    private static let page = "https://api.example.com/pages"

    private let files: TestFiles

    init() throws {
        self.files = try TestFiles([
            "tape.yaml": TestFiles.cassette("page", "\(Self.page)?number=1", "text: one"),
            "own/tape.yaml": TestFiles.cassette("page", "\(Self.page)?number=1", "text: own"),
        ])
    }

    @Test func `options have stubs, of which the innermost answers`() async throws {
        let suite = TapedeckOptions.tapedeck("tape", folder: self.files.path).stub(.get("/pages"), .text("suite"))
        try await withTapedeck(suite) { deck async throws in
            #expect(try await AppClient(deck).get("\(Self.page)?number=1").text == "suite")
            try await withTapedeck(.tapedeck().stub(.get("/pages"), .text("test"))) { inner async throws in
                #expect(try await AppClient(inner).get("\(Self.page)?number=1").text == "test")
            }
        }
    }

    @Test func `a stub of the options that the deck refuses is an error with its line`() async throws {
        let line = #line + 1
        let options = TapedeckOptions.tapedeck().stub(.any(pattern: "/a(b"), .text("x"))
        let error = await #expect(throws: TapedeckError.self) { try await withTapedeck(options) { _ in } }
        #expect(error?.description.contains("PlayingOptionsTests.swift:\(line)") == true)
    }

    @Test func `a session compares other parts than its cassette does, and only this session`() async throws {
        let options = TapedeckOptions.tapedeck("tape", folder: self.files.path).allowsUnmatched()
        try await withTapedeck(options) { usual async throws in
            try await withTapedeck(options.matching(.method, .path)) { deck async throws in
                let urls = ["\(Self.page)?number=1", "\(Self.page)?number=2", "https://other.example/pages"]
                for url in urls { #expect(try await AppClient(deck).get(url).text == "one") }
                #expect(try await AppClient(deck).get("\(Self.page)/2").status == 501)
                #expect(try await AppClient(deck).send("POST", Self.page, nil).status == 501)
            }
            #expect(try await AppClient(usual).get("\(Self.page)?number=2").status == 501)
            #expect(try await AppClient(usual).get("\(Self.page)?number=1").text == "one")
        }
    }

    @Test func `a changed cassette is compared as the session says, too`() async throws {
        try await withTapedeck(.cassette("tape", folder: self.files.path).matching(.path)) { deck async throws in
            #expect(try await AppClient(deck).get("\(Self.page)?number=2").text == "one")
            let changed = TestFiles.cassette("page", "\(Self.page)?number=1", "text: two")
            try Data(changed.utf8).write(to: URL(fileURLWithPath: "\(self.files.path)/tape.yaml"))
            // Another session reads it again, which the first one gets, too.
            try await withTapedeck(.cassette("tape", folder: self.files.path).exclusive()) { _ in }
            #expect(try await AppClient(deck).get("\(Self.page)?number=3").text == "two")
        }
    }

    @Test(
        arguments: [
            (.method, "`match` needs at least `path`, `origin` or `url`"), (.query, "`match` needs at least"),
        ] as [(Cassette.Part, String)]
    )
    func `parts that would let every request be answered are refused`(part: Cassette.Part, text: String) async throws {
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck(.cassette("tape", folder: self.files.path).matching(part)) { _ in }
        }
        #expect(error?.message.contains(text) == true)
    }

    @Test func `a recording compares as its cassette says`() async throws {
        let options = TapedeckOptions.cassette("tape", folder: self.files.path).mode(.all).matching(.path)
        let error = await #expect(throws: TapedeckError.self) {
            try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
                try await withTapedeck(options) { _ in }
            }
        }
        #expect(
            error?.message.contains("a recording compares as its cassette says: write `match` into that instead")
                == true
        )
    }

    @Test(arguments: [nil, "own", "elsewhere/own"], [false, true])
    func `a bundle's copy of the folder is played, and the sources are recorded into`(
        folder: String?,
        isNew: Bool
    ) async throws {
        let bundle = try #require(Bundle(path: self.files.path))
        let sources = try TestFiles()
        let place = CodePlace(fileID: "T/T.swift", filePath: "\(sources.path)/T.swift", line: 1, column: 1)
        let options = TapedeckOptions(["tape"], folder: folder, at: place).bundle(bundle)
        try await withTapedeck(options) { deck async throws in
            let text = folder == nil ? "one" : "own"
            #expect(try await AppClient(deck).get("\(Self.page)?number=1").text == text)
        }
        let source = "\(sources.path)\(folder.map { "/\($0)" } ?? "")"
        #expect(options.cassetteFolder(.once, at: place) == source)
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck(options.with(.cassette("missing"))) { _ in }
        }
        #expect(
            error?.message.contains("missing.yaml in the bundle; record it with TAPEDECK_MODE=once, which is into the")
                == true
        )
    }

    @Test func `options that stand alone leave out what outer ones select`() async throws {
        let suite = TapedeckOptions.tapedeck("tape", folder: self.files.path).select("found", for: "page").profiles(
            "none"
        )
        try await withTapedeck(suite.with(.cassette(.shop).exclusive())) { deck async throws in
            #expect(try await AppClient(deck).get(Shop.price).status == 200)
        }
    }

    @Test func `an error of the options has their line`() async throws {
        let line = #line + 1
        let options = TapedeckOptions.cassette("tpe", folder: self.files.path)
        let error = await #expect(throws: TapedeckError.self) { try await withTapedeck(options) { _ in } }
        #expect(error?.description.contains("PlayingOptionsTests.swift:\(line)") == true)
        #expect(error?.message.contains("did you mean \"tape\"? If not, record it ") == true)
    }

    @Test func `a stub that is removed twice is no error`() async throws {
        try await withTapedeck { deck async throws in
            let stub = try await deck.stub(.get("/a"), .text("a"))
            try await stub.remove()
            try await stub.remove()
        }
    }

    @Test func `a session with a delegate tells it of its requests`() async throws {
        try await withTapedeck(.cassette("tape", folder: self.files.path)) { deck async throws in
            let delegate = StreamingDelegate()
            let session = deck.urlSession(delegate: delegate)
            session.dataTask(with: try #require(URL(string: "\(Self.page)?number=1"))).resume()
            var status = 0
            for await event in delegate.events {
                if case .response(let number) = event { status = number }
                if case .end = event { break }
            }
            #expect(status == 200)
            session.invalidateAndCancel()
        }
    }
}
