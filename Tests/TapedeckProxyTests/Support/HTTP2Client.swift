import NIOCore
import NIOEmbedded
import TapedeckCore
import TapedeckHTTP2
import Testing

/// A client of HTTP/2 without a socket, and what it has heard of each stream.
final class HTTP2Client: HTTP2SessionDelegate {
    struct Answer: Equatable {
        var statuses: [Int] = []
        var fields: [HeaderField] = []
        var body = ""
        var trailers: [HeaderField] = []
        var isComplete = false
        /// The code of a reset.
        var code: UInt32?
    }

    let session: HTTP2Session
    let channel: EmbeddedChannel
    private(set) var answers: [Int32: Answer] = [:]
    /// The code of GOAWAY.
    private(set) var wentAway: UInt32?
    /// The last stream that it named.
    private(set) var lastStream: Int32?

    init(_ channel: EmbeddedChannel) throws {
        self.session = try HTTP2Session(.client)
        self.channel = channel
        self.session.delegate = self
    }

    func received(_ head: HTTP2Head, on stream: Int32, endsStream: Bool) {
        if let status = head.status {
            self.answers[stream, default: Answer()].statuses.append(status)
            self.answers[stream]?.fields = head.fields
        } else {
            self.answers[stream]?.trailers = head.fields
        }
        if endsStream { self.answers[stream]?.isComplete = true }
    }

    func received(_ bytes: ByteBuffer, on stream: Int32) {
        self.answers[stream]?.body += String(buffer: bytes)
        self.session.consume(bytes.readableBytes, of: stream)
    }

    func receivedEnd(of stream: Int32) { self.answers[stream]?.isComplete = true }
    func becameWritable(_ stream: Int32) {}
    func closed(_ stream: Int32, code: UInt32) {
        if code != 0 { self.answers[stream, default: Answer()].code = code }
    }
    func goesAway(lastStream: Int32, code: UInt32) {
        self.wentAway = code
        self.lastStream = lastStream
    }

    /// Sends a request; one without a body is complete.
    func ask(
        _ path: String,
        method: String = "GET",
        authority: String = "api.example.test",
        _ fields: [HeaderField] = [],
        endsStream: Bool = true
    ) throws -> Int32 {
        try #require(
            self.session.request(
                [(.method, method), (.scheme, "http"), (.authority, authority), (.path, path)],
                fields,
                endsStream: endsStream
            )
        )
    }

    /// Has both ends read what the other wrote, until both are silent.
    func talk() throws {
        var isSilent = false
        while !isSilent {
            isSilent = true
            var bytes = ByteBuffer()
            if self.session.write(to: &bytes) {
                self.session.tellWritten()
                try self.channel.writeInbound(bytes)
                isSilent = false
            }
            self.channel.embeddedEventLoop.run()
            while let bytes = try self.channel.readOutbound(as: ByteBuffer.self) {
                try self.session.receive(bytes)
                isSilent = false
            }
        }
    }
}
