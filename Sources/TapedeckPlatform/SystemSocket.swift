/// Socket options that differ from system to system.
package enum SystemSocket {
    /// The types of sockets: `SOCK_STREAM` and `SOCK_DGRAM`.
    #if canImport(Glibc)
    package static let stream = Int32(SOCK_STREAM.rawValue)
    package static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
    package static let stream = SOCK_STREAM
    package static let datagram = SOCK_DGRAM
    #endif

    /// Has writing to a connection that the other side has closed fail with `EPIPE`, and not end the process. To be called
    /// once for each socket, before ``send(_:to:)``.
    package static func ignoreBrokenPipes(of socket: Int32) {
        // Linux has a flag for each call instead.
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// `send(2)`, without `SIGPIPE`.
    ///
    /// - Returns: the number of bytes, or -1 with `errno`.
    package static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Int {
        #if canImport(Darwin)
        TapedeckPlatform.send(socket, bytes.baseAddress, bytes.count, 0)
        #else
        TapedeckPlatform.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// Returns the number of bytes that the system has sent or has still to send, and that the other side of a TCP connection
    /// has not acknowledged; `nil` for a socket without.
    package static func unacknowledged(_ socket: Int32) -> Int? {
        var count: Int32 = 0
        #if canImport(Darwin)
        var size = socklen_t(MemoryLayout<Int32>.size)
        let status = getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &size)
        #else
        let status = ioctl(socket, UInt(TIOCOUTQ), &count)
        #endif
        return status == 0 ? Int(count) : nil
    }
}
