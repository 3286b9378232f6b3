import TapedeckPlatform

/// A TCP connection of this thread's: calls block, but never beyond a deadline. Closes when it goes.
package struct ClientSocket: ~Copyable {
    /// The reason why there is no connection.
    package enum Failure: Error, Equatable {
        case timeout
        /// The name of the host leads nowhere.
        case unknownHost(String)
        case code(Int32)

        /// Nothing listens there.
        package static var connectionRefused: Failure { .code(ECONNREFUSED) }

        package var description: String {
            switch self {
            case .timeout: "no answer in time"
            case .unknownHost(let reason): reason
            case .code(let code): String(cString: strerror(code))
            }
        }
    }

    /// The file descriptor, so that another thread can interrupt a wait; it is closed with this value.
    package let descriptor: Int32

    /// Connects to the first address of `host` that takes the connection.
    package init(host: String, port: Int, deadline: Deadline) throws(Failure) {
        var hints = addrinfo()
        hints.ai_socktype = SystemSocket.stream
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0, let addresses = found else {
            throw .unknownHost(String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(addresses) }
        var failure = Failure.code(ECONNREFUSED)
        var next: UnsafeMutablePointer<addrinfo>? = addresses
        while let address = next {
            do {
                self.descriptor = try Self.connect(address.pointee, deadline)
                return
            } catch {
                failure = error
            }
            next = address.pointee.ai_next
        }
        throw failure
    }

    deinit {
        close(self.descriptor)
    }

    private static func connect(_ address: addrinfo, _ deadline: Deadline) throws(Failure) -> Int32 {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { throw .code(errno) }
        do throws(Failure) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) >= 0 else { throw .code(errno) }
            SystemSocket.ignoreBrokenPipes(of: descriptor)
            let status = TapedeckPlatform.connect(descriptor, address.ai_addr, address.ai_addrlen)
            guard status != 0 else { return descriptor }
            guard errno == EINPROGRESS || errno == EINTR else { throw .code(errno) }
            try self.wait(descriptor, for: Int16(POLLOUT), deadline)
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { throw .code(code) }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func wait(_ descriptor: Int32, for events: Int16, _ deadline: Deadline) throws(Failure) {
        while true {
            var descriptors = pollfd(fd: descriptor, events: events, revents: 0)
            let count = poll(&descriptors, 1, deadline.milliseconds)
            // Other events show in the next call.
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw .code(errno) }
            if deadline.isOver { throw .timeout }
        }
    }

    /// Sends all of the bytes, or, with `untilAnswered`, stops when the other side sends something: a server may answer
    /// early, and then read no further (RFC 9112 section 9.5).
    package func send(_ bytes: [UInt8], deadline: Deadline, untilAnswered: Bool = false) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                SystemSocket.send(UnsafeRawBufferPointer(rebasing: bytes[sent...]), to: self.descriptor)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                try Self.wait(self.descriptor, for: Int16(untilAnswered ? POLLOUT | POLLIN : POLLOUT), deadline)
                if untilAnswered, self.hasInput { return }
            } else if errno != EINTR {
                throw .code(errno)
            }
        }
    }

    /// True if data has arrived or the other side has closed. Does not wait.
    var hasInput: Bool {
        var descriptors = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptors, 1, 0) > 0
    }

    /// Returns the received data, at least one byte, or nothing at the end.
    package func receive(deadline: Deadline) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(self.descriptor, &bytes, bytes.count, 0)
            if count >= 0 {
                bytes.removeSubrange(count...)
                return bytes
            }
            if errno == EAGAIN || errno == EWOULDBLOCK {
                try Self.wait(self.descriptor, for: Int16(POLLIN), deadline)
            } else if errno != EINTR {
                throw .code(errno)
            }
        }
    }
}
