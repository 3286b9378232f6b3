import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// Origins that answer before they have all of a request.
@Suite struct EarlyAnswerTests {
    @Test(arguments: [["early", "early"], ["whole", "other", "early"]])
    func `a body that is incomplete when the answer ends is not a condition`(_ bodies: [String]) async throws {
        let folder = try TemporaryFolder()
        let origin = try await CountingOrigin.start()
        let proxy = try await SharedProxy.start(dials: true, folder: folder.path)
        let location = CassetteLocation("tape", folder: folder.path)
        let session = try proxy.sessions.create(SessionDirectory.Request(mode: .record, cassettes: [location]))
        for body in bodies {
            let client = try await proxy.connect()
            // The origin answers each head. With a longer body announced, the rest never comes.
            let length = body == "early" ? 1_000 : body.utf8.count
            let head =
                "POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n"
                + "\(SharedProxy.header(session.key))\r\nContent-Length: \(length)\r\n\r\n"
            try await client.send(head + body)
            #expect(await client.response().status == 200)
            await client.close()
        }
        await session.untilRecorded(bodies.count)
        _ = await proxy.sessions.end(session.id)
        let result = CassetteReader.read(try FileContents.read(location.path), name: "tape", path: "")
        let sets = result.cassette.responseSets
        let early = try #require(sets.first { $0.request.body.isEmpty })
        #expect(early.variants[0].takes.requestCount == bodies.count { $0 == "early" })
        #expect(early.variants[0].takes.allSatisfy { $0.request?.body == nil })
        #expect(sets.count == Set(bodies).count)
        try await proxy.stop()
        try await origin.stop()
    }
}
