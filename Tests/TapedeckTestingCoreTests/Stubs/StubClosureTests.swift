import Foundation
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckTestingCore
import TestShare
import Testing

/// Swift closures that answer requests.
@Suite(.timeLimit(.minutes(20)))
struct StubClosureTests {
    private struct Broken: Error, CustomStringConvertible {
        var description: String { "out of order" }
    }

    @Test func `a closure changes the tape's answer`() async throws {
        try await withTapedeck(.shop) { deck in
            try await deck.stub(.get(Shop.price)) { request in
                var response = try await request.proceed()
                #expect(response[header: "X-Shop"] == "1")
                try response.changeJSON { $0["amount"] = "very much more than the cassette says" }
                response.status = 203
                return .response(response)
            }
            let reply = try await AppClient(deck).get(Shop.price)
            #expect(reply.status == 203)
            #expect(reply.text == #"{"amount":"very much more than the cassette says","currency":"NOK"}"#)
        }
    }

    @Test func `a closure sees the request`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(.post("/echo")) { request in
                .text("\(request.request[header: "content-type"] ?? "") \(request.request.text)")
            }
            let reply = try await AppClient(deck).post("http://api.example/echo", "[1]")
            #expect(reply.text == "application/json [1]")
        }
    }

    @Test func `a closure sees the whole of a large body`() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try await withTapedeck { deck in
            try await deck.stub(.post("/photos")) { request in
                #expect(request.request.body == body)
                #expect(!request.request.isCut)
                return .text("\(request.request.body.count) bytes")
            }
            let reply = try await AppClient(deck).send("POST", "http://api.example/photos", body)
            #expect(reply.text == "3000000 bytes")
            let held = try await deck.hold(.put("/photos"))
            async let put = AppClient(deck).send("PUT", "http://api.example/photos", body)
            let request = try await held.next(timeout: .seconds(50))
            #expect(request.request.body == body)
            try await request.release(.status(204))
            #expect(try await put.status == 204)
        }
    }

    @Test(.long) func `a body beyond the deck's limit fails the test with the limit's name`() async throws {
        let line = #line + 3
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(.post("/photos")) { _ in .status(201) }
                let client = AppClient(deck)
                let reply = try await client.send("POST", "http://api.example/photos", Data(count: 33 << 20))
                #expect(reply.status == 500)
            }
        }
        #expect(told.map(\.line) == [line])
        #expect(told.first?.message.contains("longer than the 32 MiB") == true)
        #expect(told.first?.message.contains("held-body-limit") == true)
    }

    @Test func `a closure that returns nil leaves the answer to the tape`() async throws {
        try await withTapedeck(.shop) { deck in
            try await deck.stub(.get(Shop.price)) { _ in nil }
            #expect(try await AppClient(deck).get(Shop.price).text == #"{"amount":1,"currency":"NOK"}"#)
            #expect(try await deck.lastRequest?.played?.set == "price")
        }
    }

    @Test func `a closure that proceeds passes on a fault from the tape`() async throws {
        try await withTapedeck(.cassette(.shop).select("gone", for: "price")) { deck in
            try await deck.stub(.get(Shop.price)) { request in .response(try await request.proceed()) }
            await #expect(throws: (any Error).self) { try await AppClient(deck).get(Shop.price) }
            let fault = try await deck.lastRequest?.fault
            #expect(fault == Tapedeck.Fault.connectionReset.rawValue)
        }
    }

    @Test func `an error of a closure fails the test at its stub, and its client gets a 500`() async throws {
        let line = #line + 3
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(.get("/x")) { _ in throw Broken() }
                #expect(try await AppClient(deck).get("http://api.example/x").status == 500)
            }
        }
        #expect(told.map(\.line) == [line])
        #expect(told.first?.message == "the stub threw for GET http://api.example/x: out of order")
    }

    @Test func `a closure that proceeds without an answer on tape fails the test`() async throws {
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(.get("/x")) { request in .response(try await request.proceed()) }
                #expect(try await AppClient(deck).get("http://api.example/x").status == 500)
            }
        }
        #expect(told.count == 1)
        #expect(told.first?.message.contains("nothing on tape answers it") == true)
    }

    @Test func `a cancellation error of a closure's own is an answer like any other error`() async throws {
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(.get("/x")) { _ in throw CancellationError() }
                #expect(try await AppClient(deck).get("http://api.example/x").status == 500)
            }
        }
        #expect(told.count == 1)
    }

    @Test func `an expectation in a closure belongs to its test`() async throws {
        let line = #line + 4
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(.get("/x")) { request in
                    #expect(request.exchange.method == "POST")
                    return .text("x")
                }
                #expect(try await AppClient(deck).get("http://api.example/x").text == "x")
            }
        }
        #expect(told.map(\.line) == [line])
    }

    @Test func `closures run at the same time`() async throws {
        try await withTapedeck { deck in
            let first = Gate()
            // Neither would end without the other.
            try await deck.stub(.get("/first")) { _ in
                await first.pass()
                return .text("1")
            }
            try await deck.stub(.get("/second")) { _ in
                first.open()
                return .text("2")
            }
            let client = AppClient(deck)
            async let one = client.get("http://api.example/first")
            try await deck.waitFor(.get("/first"), timeout: .seconds(50))
            #expect(try await client.get("http://api.example/second").text == "2")
            #expect(try await one.text == "1")
        }
    }

    @Test func `a closure whose client has left fails nothing`() async throws {
        try await withTapedeck { deck in
            let (asked, gone, done) = (Gate(), Gate(), Gate())
            try await deck.stub(.get("/slow")) { _ in
                asked.open()
                await gone.pass()
                defer { done.open() }
                return .text("too late")
            }
            let client = AppClient(deck)
            let request = Task { try await client.get("http://api.example/slow") }
            await asked.pass()
            request.cancel()
            await #expect(throws: (any Error).self) { try await request.value }
            try await deck.untilAbandoned()
            gone.open()
            await done.pass()
        }
    }
}

extension Tapedeck {
    /// Waits until the deck has noticed that a client did not wait for its answer.
    func untilAbandoned() async throws {
        let session = self.session
        try await OwnThread.run {
            try session.follow(after: 0) { event in
                guard case .entry(let entry) = event else { return true }
                return entry.ending == nil
            }
        }
    }
}
