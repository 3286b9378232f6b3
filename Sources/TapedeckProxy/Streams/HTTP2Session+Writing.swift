import NIOCore
import TapedeckHTTP2

extension HTTP2Session {
    /// Writes the session's output to its peer, as long as the socket accepts it. Code that is notified of sent data
    /// may add more, which is written too.
    ///
    /// Does nothing while the session processes input, or is already writing: the outer call continues.
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
