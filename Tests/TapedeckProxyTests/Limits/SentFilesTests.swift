import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS
import Testing

/// The memory of files that come with sessions.
@Suite struct SentFilesTests {
    private static func cassette(_ text: String) throws -> CassetteLocation {
        let store = CassetteStore { SHA256.hexDigest(of: $0) }
        let contents = Array("tapedeck: 1\n# \(text)\n".utf8)
        return try #require(try store.files(["a.yaml": contents]).cassette("a"))
    }

    @Test func equalFilesCountOnceUntilTheirLastSessionEnds() async throws {
        var limits = UsageLimits()
        let one = try Self.cassette("one")
        limits.files = try #require(one.files?.size)
        let proxy = try await SharedProxy.start(limits: limits)
        func create(_ cassette: CassetteLocation) throws -> Session {
            try proxy.sessions.create(SessionDirectory.Request(mode: .replay, cassettes: [cassette]))
        }
        var first: Session? = try create(one)
        var second: Session? = try create(try Self.cassette("one"))
        #expect(proxy.context.usage.files == limits.files)
        let error = #expect(throws: SessionError.self) { _ = try create(try Self.cassette("two")) }
        #expect(error?.kind == .limit)
        #expect(error?.description.contains("--max-files") == true)

        for id in [first?.id, second?.id] {
            _ = await proxy.sessions.end(try #require(id))
        }
        first = nil
        second = nil
        #expect(first == nil && second == nil)
        #expect(proxy.context.usage.files == 0)
        #expect(try create(try Self.cassette("two")).id != one.name)
        try await proxy.stop()
    }
}
