import NIOCore
import TapedeckHTTP2

extension HTTP2Session {
    /// Writes what the session has for its peer, as long as the socket takes it. Whoever hears on the way that something
    /// has gone out may have more to send, which goes out with it.
    ///
    /// Does nothing while the session takes in bytes, or writes already: the outer call goes on.
    func write(to context: ChannelHandlerContext) {
        guard self.beginWriting() else { return }
        defer { self.endWriting() }
        var hasMore = true
        while hasMore, context.channel.isWritable {
            while hasMore, context.channel.isWritable {
                var bytes = context.channel.allocator.buffer(capacity: 4 << 10)
                hasMore = self.write(to: &bytes)
                if hasMore { context.write(NIOAny(bytes), promise: nil) }
                self.tellWritten()
            }
            // The socket may take all of it at once, and then there is room again.
            context.flush()
        }
    }
}
