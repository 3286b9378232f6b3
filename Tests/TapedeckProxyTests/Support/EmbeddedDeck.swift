import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

@testable import TapedeckProxy

/// A deck without sockets: one session on an event loop that stops until a test advances it.
struct EmbeddedDeck {
    let session: Session
    let context: ProxyContext
    let eventLoop = EmbeddedEventLoop()
    let loop: LoopContext

    init(_ cassette: Cassette, configure: (inout ProxyConfiguration) -> Void = { _ in }) throws {
        self.session = Session(Session.Settings(mode: .replay), tape: Tape([cassette]))
        var configuration = ProxyConfiguration()
        configure(&configuration)
        self.context = ProxyContext(
            configuration: configuration,
            sessions: .of(self.session),
            leaves: LeafCache(authority: try CertificateAuthority.ephemeral()),
            threadPool: NIOThreadPool(numberOfThreads: 1),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        self.loop = LoopContext(context: self.context, eventLoop: self.eventLoop)
    }

    /// A client's connection.
    func connect() throws -> EmbeddedChannel {
        let doorway = ListenerContext(session: nil, reverseOrigin: nil)
        let connection = ClientConnection(deck: self.context, loop: self.loop, doorway: doorway, route: .proxy)
        let channel = EmbeddedChannel(handler: connection, loop: self.eventLoop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }
}

extension EmbeddedChannel {
    func send(_ text: String) throws {
        try self.writeInbound(ByteBuffer(string: text))
        // Answers go out at the end of the turn.
        self.embeddedEventLoop.run()
    }

    /// Returns everything that was sent to the other side since the last call.
    func received() throws -> String {
        var text = ""
        while let bytes = try self.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }
}
