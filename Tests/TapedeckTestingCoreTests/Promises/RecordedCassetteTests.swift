import Foundation
import TapedeckTestingCore
import Testing

/// Cassettes that a test records into and reads back.
@Suite(.timeLimit(.minutes(20)))
struct RecordedCassetteTests {
    private let origin: WireServer
    private var url: String { "http://127.0.0.1:\(self.origin.port)/one" }

    init() throws {
        self.origin = try WireServer { _, connection in
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlive"
            )
        }
    }

    private func outsideOfCI<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await TestEnvironment.$substitute.withValue(TestEnvironment(), operation: body)
    }

    @Test func `cassettes in memory can be recorded into, read back, and played`() async throws {
        try await self.outsideOfCI {
            let tapes = MemoryCassettes()
            try await withTapedeck(.cassette(.stored("login", in: tapes)).mode(.all)) { deck async throws in
                #expect(try await AppClient(deck).get(self.url).text == "live")
            }
            #expect(tapes["login"]?.yaml.contains("text: live") == true)
            try await withTapedeck(.stored("login", in: tapes)) { deck async throws in
                #expect(try await AppClient(deck).get(self.url).text == "live")
                #expect(try await deck.lastRequest?.outcome == .played)
            }
            #expect(self.origin.requests.count == 1)
        }
    }

    @Test func `a store that has no such cassette is an error that says so`() async throws {
        let tapes = MemoryCassettes(["other": Cassette(yaml: "tapedeck: 1\nresponseSets: []\n")])
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck(.stored("login", in: tapes)) { _ in }
        }
        #expect(error?.kind == .missingCassette)
        #expect(error?.description.contains("login in MemoryCassettes") == true)
    }

    @Test func `a finished recording says what it wrote, and plays`() async throws {
        try await self.outsideOfCI {
            let before = Cassette {
                ResponseSet("kept", .get("https://shop.example/kept")) { Variant("found", .text("k")) }
            }
            try await withTapedeck(.cassette(.inMemory(before)).mode(.all)) { deck in
                let client = AppClient(deck)
                #expect(try await client.get(self.url).text == "live")
                let recording = try await deck.finishRecording()
                #expect(recording.exchanges == 1)
                #expect(recording.isChanged)
                #expect(recording.changes.isEmpty)
                #expect(recording.leftOut.isEmpty)
                #expect("\(recording)" == "1 exchange, the cassette changed")
                #expect(recording.cassette.yaml.contains("name: kept"))
                #expect(recording.cassette.yaml.contains("text: live"))
                #expect(Array(recording.files.keys) == ["cassette.yaml"])
                let error = await #expect(throws: TapedeckError.self) { try await deck.finishRecording() }
                #expect(error?.description.contains("does not record") == true)
            }
        }
    }

    @Test func `when a take was recorded is on the exchange`() async throws {
        let files = try TestFiles()
        let start = Date()
        try await self.outsideOfCI {
            try await withTapedeck(.cassette("tape", folder: files.path).mode(.all)) { deck in
                _ = try await AppClient(deck).get(self.url)
                #expect(try await deck.lastRequest?.played == nil)
            }
            try await withTapedeck("tape", folder: files.path) { deck in
                _ = try await AppClient(deck).get(self.url)
                let recorded = try #require(try await deck.lastRequest?.played?.recorded)
                // A cassette has whole seconds.
                #expect(recorded > start.addingTimeInterval(-1))
                #expect(recorded < Date())
            }
        }
        try await withTapedeck(.shop) { deck in
            _ = try await AppClient(deck).get(Shop.price)
            let exchange = try #require(try await deck.lastRequest)
            #expect(exchange.played != nil)
            #expect(exchange.played?.recorded == nil)
            #expect(exchange.time > start.addingTimeInterval(-1))
        }
    }

    @Test func `a cassette is named after its test`() async throws {
        let files = try TestFiles()
        try await self.outsideOfCI {
            for mode in [TapedeckMode.all, .replay] {
                try await withTapedeck(
                    .cassette(.namedAfterTest, folder: files.path).mode(mode),
                    name: "LoginTests/saysHello(_:) [ada]"
                ) { deck async throws in
                    #expect(try await AppClient(deck).get(self.url).text == "live")
                }
            }
            #expect(files.text("login-tests/says-hello.ada.yaml")?.contains("text: live") == true)
            #expect(self.origin.requests.count == 1)
        }
    }

    @Test func `a cassette may be given by its URL, as one of a bundle is`() async throws {
        let files = try TestFiles([
            "bundle/tape.yaml": TestFiles.cassette("greeting", "https://shop.example/hi", "file: tape/hi.txt"),
            "bundle/tape/hi.txt": "hello",
        ])
        let url = URL(fileURLWithPath: "\(files.path)/bundle/tape.yaml")
        try await withTapedeck(.url(url)) { deck async throws in
            #expect(try await AppClient(deck).get("https://shop.example/hi").text == "hello")
        }
    }
}
