import NIOCore
import NIOPosix
import TapedeckLocking

/// An origin on loopback that answers no request before a number of them wait, and then all of these.
struct MeetingOrigin {
    private let channel: any Channel

    static func start(of count: Int) async throws -> MeetingOrigin {
        let meeting = Meeting(count)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Arrivals(meeting))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return MeetingOrigin(channel: channel)
    }

    var port: Int { self.channel.localAddress?.port ?? 0 }

    func stop() async throws {
        try await self.channel.close()
    }

    private final class Meeting: Sendable {
        private let count: Int
        private let waiting = Locked<[any Channel]>([])

        init(_ count: Int) {
            self.count = count
        }

        func arrive(_ channel: any Channel) {
            let all = self.waiting.withLock { waiting -> [any Channel] in
                waiting.append(channel)
                guard waiting.count == self.count else { return [] }
                defer { waiting = [] }
                return waiting
            }
            for channel in all {
                let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                channel.writeAndFlush(answer, promise: nil)
            }
        }
    }

    private final class Arrivals: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let meeting: Meeting
        private var text = ""

        init(_ meeting: Meeting) {
            self.meeting = meeting
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            guard self.text.hasSuffix("\r\n\r\n") else { return }
            self.text = ""
            self.meeting.arrive(context.channel)
        }
    }
}
