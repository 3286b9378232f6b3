import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import TapedeckTLS

/// A directory of its own for a test, removed with this object.
final class TemporaryDirectory {
    let path: String

    init() throws {
        self.path = NSTemporaryDirectory() + "tapedeck-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    func file(_ name: String, _ text: String = "") throws -> String {
        let path = self.path + "/" + name
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}

/// The output of a command, and its exit code.
struct CommandResult {
    var status: Int32
    var output: String
}

/// Runs `command` with an empty standard input, or with `input`, and waits for it.
func run(_ command: [String], input: String = "", environment: [String: String] = [:]) throws -> CommandResult {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    let feed = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = feed
    try process.run()
    try feed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try feed.fileHandleForWriting.close()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return CommandResult(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
}

func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
}

func code(of error: any Error) -> TLSError.Code? {
    (error as? TLSError)?.code
}

/// The value of a future that has one by now; where `wait()` would block for ever, this fails.
func settle<Value>(_ future: EventLoopFuture<Value>) throws -> Value {
    var result: Result<Value, any Error>?
    future.assumeIsolated().whenComplete { result = $0 }
    return try #require(result).get()
}

/// Ends only the output on `close(mode: .output)`, which an `EmbeddedChannel` takes for a full close.
final class OutputCloser: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            promise?.succeed(())
        } else {
            context.close(mode: mode, promise: promise)
        }
    }
}

/// Notes everything that comes up the pipeline.
final class Recorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    enum Event: Equatable {
        case handshake
        case data
        case inputClosed
        case truncated
        case failure
        case inactive
    }

    /// Runs of data count once.
    var events: [Event] = []
    var received = ByteBuffer()
    var completion: TLSHandshakeCompleted?
    var errors: [any Error] = []
    var readCompletes = 0
    var onRead: ((ChannelHandlerContext, ByteBuffer) -> Void)?

    var failure: TLSHandshakeFailure? {
        self.errors.compactMap { $0 as? TLSHandshakeFailure }.first
    }

    var text: String {
        String(buffer: self.received)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = self.unwrapInboundIn(data)
        self.received.writeImmutableBuffer(bytes)
        if self.events.last != .data {
            self.events.append(.data)
        }
        self.onRead?(context, bytes)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.readCompletes += 1
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let completion = event as? TLSHandshakeCompleted {
            self.completion = completion
            self.events.append(.handshake)
        } else if event is TLSTruncated {
            self.events.append(.truncated)
        } else if let event = event as? ChannelEvent, event == .inputClosed {
            self.events.append(.inputClosed)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.errors.append(error)
        self.events.append(.failure)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.events.append(.inactive)
    }
}

/// Both ends of a connection, joined by hand.
final class Pair {
    let client = EmbeddedChannel()
    let server = EmbeddedChannel()
    let atClient = Recorder()
    let atServer = Recorder()
    /// The sizes of the pieces of ciphertext that passed.
    var pieces: [Int] = []

    init(
        _ clientHandler: TLSHandler,
        _ serverHandler: TLSHandler,
        halfClosure: Bool = true,
        beforeConnecting: (EmbeddedChannel, EmbeddedChannel) throws -> Void = { _, _ in }
    ) throws {
        let ends = [(self.server, serverHandler, self.atServer), (self.client, clientHandler, self.atClient)]
        for (channel, handler, recorder) in ends {
            channel.allowRemoteHalfClosure = halfClosure
            try channel.pipeline.syncOperations.addHandlers([OutputCloser(), handler, recorder])
        }
        try beforeConnecting(self.client, self.server)
        for (channel, _, _) in ends {
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/none")).wait()
        }
    }

    /// Both ends of a connection to `host`, with everything as it is in production.
    convenience init(
        _ authority: CertificateAuthority,
        host: String = "api.example.com",
        halfClosure: Bool = true
    ) throws {
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let server = try TLSServerContext(leaves: LeafCache(authority: authority))
        try self.init(
            TLSHandler.client(context: trust, host: host),
            TLSHandler.server(context: server, fallbackHost: "fallback.example"),
            halfClosure: halfClosure
        )
    }

    deinit {
        // A channel that is never closed keeps its pipeline, and thus the TLS connection, alive.
        _ = try? self.client.finish(acceptAlreadyClosed: true)
        _ = try? self.server.finish(acceptAlreadyClosed: true)
    }

    /// Carries ciphertext in both directions until there is no more, in pieces of at most `size` bytes.
    func pump(size: Int = .max) throws {
        var moved = true
        while moved {
            moved = false
            for (from, to) in [(self.client, self.server), (self.server, self.client)] {
                while var bytes = try from.readOutbound(as: ByteBuffer.self) {
                    moved = true
                    self.pieces.append(bytes.readableBytes)
                    while let piece = bytes.readSlice(length: min(size, bytes.readableBytes)), piece.readableBytes > 0 {
                        // Not writeInbound, which throws what the recorder has noted already.
                        to.pipeline.fireChannelRead(piece)
                        to.pipeline.fireChannelReadComplete()
                    }
                }
            }
        }
    }

    func send(_ text: String, from channel: EmbeddedChannel) {
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }
}

/// The data of a leaf or CA as the `openssl` command prints it.
func describe(_ pem: String) throws -> String {
    let result = try run(["openssl", "x509", "-noout", "-text"], input: pem)
    try #require(result.status == 0, "\(result.output)")
    return result.output
}
