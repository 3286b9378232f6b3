import Foundation
import Logging
import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckHTTP1
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS
import Testing

/// A proxy whose connections are spread over several event loops, which a small machine does not have by default.
@Suite struct EventLoopsTests {
    private static let url = "http://api.example.test/counter"

    @Test func connectionsOnSeveralLoopsShareTheSessionAndStopTogether() async throws {
        let takes = (1...200).map { number in
            Take(body: .inline(InlineBody(form: .text, content: Array("take \(number)".utf8))))
        }
        let url = try #require(AbsoluteURL(Self.url))
        let set = ResponseSet(
            name: "counter",
            request: RequestMatcher(method: "GET", url: url),
            variants: [Variant(name: "recorded", takes: takes)]
        )
        let tape = Tape([Cassette(name: "tape", responseSets: [set])])
        let session = Session(Session.Settings(mode: .replay), tape: tape)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 4)
        let threadPool = NIOThreadPool(numberOfThreads: 1)
        threadPool.start()
        let configuration = ProxyConfiguration.patient
        let context = ProxyContext(
            configuration: configuration,
            sessions: .of(session),
            leaves: LeafCache(authority: try CertificateAuthority.ephemeral()),
            threadPool: threadPool,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let listener = try await ProxyListener.start(host: "127.0.0.1", port: 0, context: context, group: group)
        let address = listener.address

        let answers = try await withThrowingTaskGroup(of: [String].self) { tasks in
            for _ in 0..<20 {
                tasks.addTask { try await Self.ask(10, at: address, group: group) }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        // Every take was played once: no two connections got the same position.
        #expect(answers.sorted() == (1...200).map { "take \($0)" }.sorted())

        // An open connection does not keep the proxy from stopping.
        let idle = try await ClientBootstrap(group: group).connect(to: address).get()
        await listener.stop(grace: .seconds(5))
        try? await idle.close()
        #expect(session.report().played == 200)
        #expect(context.connectionsOpened == 0)
        try await threadPool.shutdownGracefully()
        try await group.shutdownGracefully()
    }

    /// The bodies of `count` answers on one connection.
    private static func ask(_ count: Int, at address: SocketAddress, group: any EventLoopGroup) async throws -> [String]
    {
        let channel = try await ClientBootstrap(group: group).connect(to: address) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            var answers: [String] = []
            var input = ByteBuffer()
            var chunks = inbound.makeAsyncIterator()
            while answers.count < count {
                let request = "GET \(Self.url) HTTP/1.1\r\nHost: api.example.test\r\n\r\n"
                try await outbound.write(ByteBuffer(string: request))
                var answer: String?
                while answer == nil {
                    guard var bytes = try await chunks.next() else { return answers }
                    input.writeBuffer(&bytes)
                    answer = Self.takeAnswer(&input)
                }
                answers.append(answer ?? "")
            }
            return answers
        }
    }

    /// The body of the whole response at the front of `input`, which is taken out; `nil` when it is not whole.
    private static func takeAnswer(_ input: inout ByteBuffer) -> String? {
        var scanner = ResponseScanner()
        let result = input.withUnsafeReadableBytes { scanner.scan($0) }
        guard case .complete(let end) = result, let length = scanner.fields.contentLength,
            input.readableBytes >= end + length
        else { return nil }
        input.moveReaderIndex(forwardBy: end)
        return input.readString(length: length)
    }
}
