import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckSessions
import Testing

@testable import TapedeckProxy

/// Bodies in files next to the cassette.
@Suite
struct TakePlayerFileTests {
    private let temporary: TemporaryFolder
    private var folder: String { self.temporary.path }

    init() throws {
        self.temporary = try TemporaryFolder()
    }

    private func body(_ bytes: [UInt8], coding: BodyCoding? = nil) throws -> StoredBody {
        let path = FilePath.join(self.folder, "body")
        try FileContents.replace(path, with: bytes)
        return .file(BodyFile(name: "body", path: path, size: bytes.count, coding: coding))
    }

    private func player(_ take: Take) throws -> TakePlayer {
        let request = RequestMatcher(method: nil, url: try #require(AbsoluteURL("https://a.test/")))
        let set = ResponseSet(name: "a", request: request, variants: [Variant(name: "b", takes: [take])])
        return TakePlayer(
            tape: Tape([Cassette(name: "test", responseSets: [set])]),
            threadPool: .singleton,
            eventLoop: MultiThreadedEventLoopGroup.singleton.any()
        )
    }

    private func wire(_ response: PlayableResponse) -> String {
        String(decoding: response.bytes.readableBytesView, as: UTF8.self)
    }

    @Test func aSmallFileIsReadOnceAndKept() async throws {
        let player = try self.player(Take(body: try self.body(Array("hello".utf8))))
        let client = ClientAbilities()
        #expect(player.ready(0, for: client) == nil)
        let response = try await player.prepare(0, for: client, session: nil).get()
        #expect(self.wire(response) == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        #expect(response.file == nil)
    }

    @Test func aLargeFileIsNotReadButNamed() throws {
        let body = try self.body(Array(repeating: 0x61, count: 1 << 20 | 1))
        for (headers, framing) in [
            ([], ResponseFraming.length(1 << 20 | 1)), ([HeaderField("Transfer-Encoding", "chunked")], .chunked),
        ] {
            let response = try #require(
                try self.player(Take(headers: headers, body: body)).ready(0, for: ClientAbilities())
            )
            #expect(StoredBody.file(try #require(response.file?.file)) == body)
            #expect(response.framing == framing)
            #expect(self.wire(response).hasSuffix("\r\n\r\n"))
        }
    }

    @Test func theHeadOfAFileNeedsNoReading() throws {
        let player = try self.player(Take(body: try self.body(Array("hello".utf8))))
        let response = try #require(player.ready(0, for: ClientAbilities(isHead: true)))
        #expect(response.file == nil)
        #expect(self.wire(response) == "HTTP/1.1 200 OK\r\n\r\n")
    }

    /// RFC 9110 section 9.3.2: HEAD gets the fields that GET would get.
    @Test func theHeadOfACodedFileNamesTheCodingToAClientThatAcceptsIt() throws {
        let take = Take(
            headers: [HeaderField("Content-Encoding", "gzip")],
            body: try self.body(Array("hello".utf8), coding: .gzip)
        )
        let client = ClientAbilities(isHead: true, codings: .gzip)
        let response = try #require(try self.player(take).ready(0, for: client))
        #expect(self.wire(response) == "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
    }

    @Test func aMissingFileIsAnErrorThatNamesIt() async throws {
        let missing = BodyFile(name: "gone", path: FilePath.join(self.folder, "gone"), size: 3)
        let player = try self.player(Take(body: .file(missing)))
        await #expect(throws: FileError.self) {
            _ = try await player.prepare(0, for: ClientAbilities(), session: nil).get()
        }
    }

    @Test func aCodedFileIsDecodedOrCodedAsTheClientAccepts() async throws {
        let take = Take(
            headers: [HeaderField("Content-Encoding", "deflate")],
            body: try self.body(Array("hello".utf8), coding: .deflate)
        )
        let plain = try await self.player(take).prepare(0, for: ClientAbilities(), session: nil).get()
        #expect(self.wire(plain) == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        let coded = try await self.player(take).prepare(0, for: ClientAbilities(codings: .deflate), session: nil).get()
        let bytes = try ContentCoder.encode(Array("hello".utf8), .deflate)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: \(bytes.count)\r\n\r\n"
        #expect(Array(coded.bytes.readableBytesView) == Array(head.utf8) + bytes)
    }
}
