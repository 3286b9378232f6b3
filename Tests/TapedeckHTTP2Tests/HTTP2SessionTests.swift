import NIOCore
import NIOEmbedded
import TapedeckCore
import Testing

@testable import TapedeckHTTP2

/// Two ends of a connection, and their bytes to each other, without a socket.
struct HTTP2SessionTests {
    /// One end, and the events that it received.
    private final class End: HTTP2SessionDelegate {
        let session: HTTP2Session
        var heads: [(stream: Int32, head: HTTP2Head, endsStream: Bool)] = []
        var body: [UInt8] = []
        var ended: [Int32] = []
        var closed: [Int32: UInt32] = [:]
        var writable: [Int32] = []
        var wentAway: UInt32?
        /// Bodies are taken at once.
        var consumes = true

        init(_ role: HTTP2Session.Role, limits: HTTP2Session.Limits = HTTP2Session.Limits()) throws {
            self.session = try HTTP2Session(role, limits: limits)
            self.session.delegate = self
        }

        func received(_ head: HTTP2Head, on stream: Int32, endsStream: Bool) {
            self.heads.append((stream, head, endsStream))
        }

        func received(_ bytes: ByteBuffer, on stream: Int32) {
            self.body += Array(bytes.readableBytesView)
            if self.consumes { self.session.consume(bytes.readableBytes, of: stream) }
        }

        func receivedEnd(of stream: Int32) { self.ended.append(stream) }
        func becameWritable(_ stream: Int32) { self.writable.append(stream) }
        func closed(_ stream: Int32, code: UInt32) { self.closed[stream] = code }
        func goesAway(lastStream: Int32, code: UInt32) { self.wentAway = code }
    }

    private final class Progress {
        var isWritten = false
    }

    private let client: End
    private let server: End

    init() throws {
        self.client = try End(.client)
        self.server = try End(.server)
    }

    /// Has each end read what the other wrote, until both are silent.
    private func talk() throws {
        var isSilent = false
        while !isSilent {
            isSilent = true
            for (from, to) in [(self.client, self.server), (self.server, self.client)] {
                var bytes = ByteBuffer()
                guard from.session.write(to: &bytes) else { continue }
                from.session.tellWritten()
                try to.session.receive(bytes)
                isSilent = false
            }
        }
    }

    private func get(_ fields: [HeaderField] = [], endsStream: Bool = true) throws -> Int32 {
        try #require(
            self.client.session.request(
                [(.method, "GET"), (.scheme, "https"), (.authority, "api.test"), (.path, "/a")],
                fields,
                endsStream: endsStream
            )
        )
    }

    @Test func `fields keep their order, duplicates and bytes, and names become lower-case`() throws {
        let value = "caf\u{10FFE9} ✓"
        let fields = [HeaderField("B", "1"), HeaderField("a", value), HeaderField("b", "2"), HeaderField("empty", "")]
        let stream = try self.get(fields)
        try self.talk()
        let request = try #require(self.server.heads.first)
        #expect(request.stream == stream)
        #expect(request.endsStream)
        #expect(request.head.pseudoNames == [.method, .scheme, .authority, .path])
        #expect(request.head.value(of: .authority) == Array("api.test".utf8)[...])
        #expect(request.head.fields == fields.map { HeaderField($0.name.lowercased(), $0.value) })
    }

    @Test func `crumbs of cookies become one field in the place of the first`() throws {
        _ = try self.get(
            [("cookie", "a=1"), ("x", "y"), ("Cookie", "b=2"), ("z", "")].map { HeaderField($0.0, $0.1) }
        )
        _ = try self.get([HeaderField("cookie", "a=1")])
        try self.talk()
        let texts = self.server.heads.map { String(decoding: $0.head.linesWithWholeCookies, as: UTF8.self) }
        #expect(texts == ["cookie: a=1; b=2\r\nx: y\r\nz: \r\n", "cookie: a=1\r\n"])
    }

    @Test func `a response has interim responses, body and trailer fields`() throws {
        let stream = try self.get()
        try self.talk()
        self.server.session.inform(on: stream, status: 103, [HeaderField("link", "</a>")])
        self.server.session.respond(on: stream, HTTP2Fields(status: 200, [HeaderField("a", "b")]), endsStream: false)
        self.server.session.send(ByteBuffer(string: "hello"), on: stream)
        self.server.session.end(stream, trailers: [HeaderField("grpc-status", "0")])
        try self.talk()
        #expect(self.client.heads.map(\.head.status) == [103, 200, nil])
        #expect(self.client.heads.last?.head.fields == [HeaderField("grpc-status", "0")])
        #expect(self.client.body == Array("hello".utf8))
        #expect(self.client.closed == [stream: 0])
    }

    @Test func `a body waits for the window, which follows its consumer`() throws {
        self.client.consumes = false
        let stream = try self.get()
        try self.talk()
        self.server.session.respond(on: stream, HTTP2Fields(status: 200, []), endsStream: false)
        let loop = EmbeddedEventLoop()
        let written = loop.makePromise(of: Void.self)
        let progress = Progress()
        written.futureResult.assumeIsolated().whenSuccess { progress.isWritten = true }
        self.server.session.send(ByteBuffer(repeating: 1, count: 600 << 10), on: stream, written: written)
        self.server.session.end(stream)
        #expect(!self.server.session.isWritable(stream))
        try self.talk()
        #expect(self.client.body.count == 256 << 10)
        #expect(!progress.isWritten)
        self.client.session.consume(256 << 10, of: stream)
        try self.talk()
        #expect(self.client.body.count == 512 << 10)
        #expect(self.server.writable == [stream])
        self.client.session.consume(256 << 10, of: stream)
        try self.talk()
        #expect(self.client.body.count == 600 << 10)
        #expect(progress.isWritten)
        #expect(self.client.ended == [stream])
    }

    @Test func `a reset follows the bytes sent before it, with its code`() throws {
        let stream = try self.get()
        try self.talk()
        self.server.session.respond(on: stream, HTTP2Fields(status: 200, []), endsStream: false)
        self.server.session.send(ByteBuffer(string: "half"), on: stream)
        self.server.session.reset(stream, code: .internalError)
        try self.talk()
        #expect(self.client.body == Array("half".utf8))
        #expect(self.client.closed == [stream: 2])
    }

    @Test func `a wait for sent bytes ends with the stream`() throws {
        self.client.consumes = false
        let stream = try self.get()
        try self.talk()
        self.server.session.respond(on: stream, HTTP2Fields(status: 200, []), endsStream: false)
        let written = EmbeddedEventLoop().makePromise(of: Void.self)
        self.server.session.send(ByteBuffer(repeating: 1, count: 1 << 20), on: stream, written: written)
        try self.talk()
        self.client.session.reset(stream, code: .cancel)
        try self.talk()
        #expect(throws: ChannelError.self) { try written.futureResult.wait() }
        #expect(self.server.closed == [stream: 8])
    }

    @Test func `a field section beyond the limit resets its stream, and the connection continues`() throws {
        let long = try self.get(["a", "b", "c", "d"].map { HeaderField($0, String(repeating: $0, count: 15_000)) })
        try self.talk()
        #expect(self.server.heads.count == 1)
        let tooLong = try self.get(
            ["a", "b", "c", "d", "e"].map { HeaderField($0, String(repeating: $0, count: 15_000)) }
        )
        try self.talk()
        #expect(self.client.closed[tooLong] != nil)
        #expect(self.client.closed[long] == nil)
        _ = try self.get()
        try self.talk()
        #expect(self.server.heads.count == 2)
    }

    @Test func `after GOAWAY no request can be made, and those under way end`() throws {
        let stream = try self.get()
        try self.talk()
        self.server.session.goAway()
        try self.talk()
        #expect(self.client.wentAway == 0)
        #expect(!self.client.session.takesRequests)
        self.server.session.respond(on: stream, HTTP2Fields(status: 204, []), endsStream: true)
        try self.talk()
        #expect(self.client.heads.last?.head.status == 204)
    }

    @Test func `bytes that are not HTTP/2 end the session`() throws {
        #expect(throws: HTTP2Failure.self) {
            try self.server.session.receive(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        }
        #expect(self.server.session.isOver)
    }

    @Test(arguments: [(0, "NO_ERROR"), (8, "CANCEL"), (13, "HTTP_1_1_REQUIRED"), (99, "99")] as [(UInt32, String)])
    func `codes have the names of the RFC`(code: UInt32, name: String) {
        #expect(HTTP2ErrorCode(rawValue: code).name == name)
    }
}
