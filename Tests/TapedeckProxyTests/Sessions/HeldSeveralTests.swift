import TapedeckCore
import TapedeckSessions
import Testing

/// More than one request that waits, or one with others behind it.
@Suite struct HeldSeveralTests {
    @Test func twoHeldRequestsAreReleasedInReverseOrder() async throws {
        try await Holding.use(try await Holding.start()) { proxy in
            let first = try await proxy.connect()
            try await first.send(Holding.post("1"))
            await Holding.held(proxy.session)
            let second = try await proxy.connect()
            try await second.send(Holding.post("2"))
            let held = await Holding.held(proxy.session, 2)
            #expect(held.map(\.number) == [1, 2])
            let later = proxy.session.held.view(after: 1, limit: 5)
            #expect(later.held.map(\.request.number) == [2])
            #expect(later.version == 2)
            let cut = proxy.session.held.view(after: 0, limit: 1)
            #expect(cut.version == 1)
            for (client, number) in [(second, 2), (first, 1)] {
                let isReleased = proxy.session.release(held: number, with: Take(body: RunningProxy.text("\(number)")))
                #expect(isReleased)
                #expect(await client.response().body == "\(number)")
            }
        }
    }

    @Test func pipelinedRequestsAreAnsweredAfterTheHeldOne() async throws {
        try await Holding.use(try await Holding.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(Holding.post("x") + Holding.post("y") + RunningProxy.get("/b"))
            await Holding.held(proxy.session)
            let first = proxy.session.release(held: 1, with: Take(status: 201))
            #expect(first)
            #expect(await client.response().status == 201)
            let second = try #require(await Holding.held(proxy.session).first)
            #expect(second.entry.requestBody?.bytes == Array("y".utf8))
            let proceeds = proxy.session.proceed(held: second.number)
            #expect(proceeds)
            let rest = String(decoding: await client.readToEnd().bytes, as: UTF8.self)
            #expect(rest.hasSuffix("one") && rest.count { $0 == "H" } >= 2)
        }
    }

    @Test func requestsInsideATunnelAreHeldToo() async throws {
        let proxy = try await RunningProxy.start(RunningProxy.cassette([:]))
        try await Holding.use(proxy) { proxy in
            proxy.session.add(try Holding.holder(nil))
            let client = try await proxy.connect()
            try await client.send(SharedProxy.connect("api.example.test:443"))
            _ = await client.response()
            try await client.startTLS("api.example.test", authority: proxy.authority)
            for number in 1...2 {
                try await client.send("POST /x HTTP/1.1\r\nHost: api.example.test\r\nContent-Length: 2\r\n\r\nhi")
                let held = try #require(await Holding.held(proxy.session).first)
                #expect(held.entry.request.line.url.description == "https://api.example.test/x")
                #expect(held.entry.requestBody?.bytes == Array("hi".utf8))
                let isReleased = proxy.session.release(held: number, with: Take(status: 200 + number))
                #expect(isReleased)
                #expect(await client.response().status == 200 + number)
            }
        }
    }
}
