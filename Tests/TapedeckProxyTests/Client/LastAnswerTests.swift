import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TestShare
import Testing

/// The end of a connection while its last answer is on its way.
@Suite struct LastAnswerTests {
    @Test(.long) func `a client that closes its side before it has read the answer gets all of it`() async throws {
        let proxy = try await SharedProxy.start()
        let size = 32 << 20
        let session = try proxy.session(String(repeating: "x", count: size))
        // A client whose socket closes with the answer could not say that it sends no more.
        let client = try await WireClient.connect(to: proxy.listener.address, staysOpen: true)
        try await client.send(SharedProxy.get(SharedProxy.url, SharedProxy.header(session.key), "Connection: close"))
        try await client.finishSending()
        #expect(await client.response().body.count == size)
        await client.close()
        try await proxy.stop()
    }
}
