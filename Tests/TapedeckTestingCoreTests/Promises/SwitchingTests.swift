import Foundation
import TapedeckTestingCore
import Testing

/// Sessions that are switched off and on, and selections that stay.
@Suite(.timeLimit(.minutes(20)))
struct SwitchingTests {
    @Test func `a paused session asks the live server, and goes on as it was`() async throws {
        let origin = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlive")
        }
        let url = "http://127.0.0.1:\(origin.port)/price"
        try await withTapedeck { deck in
            let client = AppClient(deck)
            try await deck.stub(.get("/price"), .sequence([.text("one"), .text("two")]))
            #expect(try await client.get(url).text == "one")
            try await deck.pause()
            #expect(try await client.get(url).text == "live")
            #expect(try await deck.lastRequest?.outcome == .passedThrough)
            try await deck.resume()
            #expect(try await client.get(url).text == "two")
        }
        #expect(origin.requests.count == 1)
    }

    @Test func `a kept selection plays in the next session, and is in the file`() async throws {
        let text = """
            tapedeck: 1
            responseSets:
              - name: greeting
                request: { method: GET, url: "https://shop.example/greeting" }
                variants:
                  - name: hello
                    takes: [{ status: 200, body: { text: hello } }]
                  - name: goodbye
                    takes: [{ status: 200, body: { text: goodbye } }]

            """
        let files = try TestFiles(["tape.yaml": text])
        let url = "https://shop.example/greeting"
        try await withTapedeck("tape", folder: files.path) { deck in
            try await deck.select("goodbye", for: "greeting", keeps: true)
            #expect(try await AppClient(deck).get(url).text == "goodbye")
            let error = await #expect(throws: TapedeckError.self) {
                try await deck.select("nothing", for: "greeting", keeps: true)
            }
            #expect(error?.kind == .refused)
        }
        #expect(files.text("tape.yaml")?.contains("selected: goodbye") == true)
        try await withTapedeck("tape", folder: files.path) { deck async throws in
            #expect(try await AppClient(deck).get(url).text == "goodbye")
        }
        try await withTapedeck(.inMemory(Cassette(yaml: text))) { deck in
            let error = await #expect(throws: TapedeckError.self) {
                try await deck.select("goodbye", for: "greeting", keeps: true)
            }
            #expect(error?.description.contains("is on no disk") == true)
        }
    }

    @Test func `an exclusive block leaves out the cassettes around it`() async throws {
        try await withTapedeck(.shop) { outer in
            #expect(try await AppClient(outer).get(Shop.price).status == 200)
            let own = Cassette { ResponseSet("own", .get("/own")) { Variant("found", .text("own")) } }
            try await withTapedeck(.cassette(.inMemory(own)).allowsUnmatched().exclusive()) { deck async throws in
                #expect(try await AppClient(deck).get("http://api.example/own").text == "own")
                #expect(try await AppClient(deck).get(Shop.price).status == 501)
            }
        }
    }

    @Test func `cassettes in memory need no names`() async throws {
        let (one, two) = ("http://api.example/one", "http://api.example/two")
        let first = Cassette { ResponseSet("one", .get(one)) { Variant("found", .text("1")) } }
        let second = Cassette { ResponseSet("two", .get(two)) { Variant("found", .text("2")) } }
        try await withTapedeck(.inMemory(first), .inMemory(second)) { deck async throws in
            #expect(try await AppClient(deck).get(one).text == "1")
            #expect(try await AppClient(deck).get(two).text == "2")
            #expect(try await deck.requests().map(\.played?.cassette) == ["cassette", "cassette-2"])
        }
    }
}
