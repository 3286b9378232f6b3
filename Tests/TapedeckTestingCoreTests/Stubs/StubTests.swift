import Foundation
import TapedeckTestingCore
import TestShare
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stubs on top of cassettes.
@Suite(.timeLimit(.minutes(20)))
struct StubTests {
    @Test func `a stub of any size plays byte for byte`() async throws {
        try await withTapedeck { deck in
            let bytes = Data((0..<(3 << 16)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            var film = Data()
            for _ in 0..<rounds(128) { film += bytes }
            let large = String(repeating: "large text ", count: 100_000)
            try await deck.stub(.get("/film"), .data(film, contentType: "video/x-test"))
            try await deck.stub(.get("/list"), .json(["text": Tapedeck.JSON(large)]))
            try await deck.stub(.get("/text"), .sequence([.text("small"), .text(large).delayed(.milliseconds(1))]))
            let session = deck.urlSession()
            let film2 = try await session.data(from: try #require(URL(string: "https://api.example/film"))).0
            #expect(film2 == film)
            let client = AppClient(deck)
            #expect(try await client.get("http://api.example/list").text == #"{"text":"\#(large)"}"#)
            #expect(try await client.get("http://api.example/text").text == "small")
            #expect(try await client.get("http://api.example/text").text == large)
            let held = try await deck.hold(.get("/held"))
            async let reply = client.get("http://api.example/held")
            try await held.next(timeout: .seconds(50)).release(.text(large))
            #expect(try await reply.text == large)
        }
    }

    @Test func `a stub answers, and reports its answers`() async throws {
        try await withTapedeck { deck in
            let client = AppClient(deck)
            let stub = try await deck.stub(.post("/login"), .json(["token": "t"], status: 201))
            try await deck.stub(.any("/other"), .empty())
            let reply = try await client.post("https://api.example/login", #"{"user":"ada"}"#)
            #expect(reply == AppClient.Reply(status: 201, text: #"{"token":"t"}"#))
            #expect(try await client.get("https://api.example/other").status == 204)
            let answered = try await stub.requests()
            #expect(answered.map(\.url.absoluteString) == ["https://api.example/login"])
            #expect(answered.first?.request.text == #"{"user":"ada"}"#)
            #expect(answered.first?.played?.cassette == "added")
            #expect(answered.first?.status == 201)
        }
    }

    @Test func `the newest stub answers, and an earlier one after its removal`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            let first = try await deck.stub(.get(Shop.price), .text("first"))
            let second = try await deck.stub(.get(Shop.price), .text("second"))
            #expect(try await client.get(Shop.price).text == "second")
            try await second.remove()
            #expect(try await client.get(Shop.price).text == "first")
            try await first.remove()
            #expect(try await client.get(Shop.price).text == #"{"amount":1,"currency":"NOK"}"#)
        }
    }

    @Test func `stubs stay when the session is reset`() async throws {
        try await withTapedeck(.shop) { deck in
            try await deck.stub(.get(Shop.price), .text("stubbed"))
            try await deck.reset()
            #expect(try await AppClient(deck).get(Shop.price).text == "stubbed")
        }
    }

    @Test func `a response set that a test adds has variants to select`() async throws {
        try await withTapedeck { deck in
            let client = AppClient(deck)
            try await deck.add(
                ResponseSet("door", .get("/door")) {
                    Variant("open", .text("open"))
                    Variant("closed", .text("closed"))
                }
            )
            #expect(try await client.get("http://house.example/door").text == "open")
            try await deck.select("closed", for: "door")
            #expect(try await client.get("http://house.example/door").text == "closed")
        }
    }

    @Test func `a stub that no deck understands is refused at once`() async throws {
        try await withTapedeck { deck in
            let error = await #expect(throws: TapedeckError.self) {
                try await deck.stub(.get(pattern: "("), .text("x"))
            }
            #expect(error?.kind == .refused)
        }
    }

    @Test func `an unimplemented route fails the test at its line, and its client gets a 501`() async throws {
        let line = #line + 3
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.unimplemented(.delete("/account"), "this flow must not delete")
                #expect(try await AppClient(deck).send("DELETE", "https://api.example/account", nil).status == 501)
            }
        }
        #expect(told.count == 1)
        #expect(told.first?.line == line)
        #expect(told.first?.message.contains("DELETE /account is unimplemented: this flow must not delete") == true)
        #expect(told.first?.message.contains("requested by 1 request") == true)
    }
}
