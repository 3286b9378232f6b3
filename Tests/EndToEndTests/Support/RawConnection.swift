import Foundation
import Testing

/// A TCP connection over which a test writes exact bytes.
final class RawConnection {
    private var descriptor: Int32
    private var received: [UInt8] = []
    private var ended = false

    /// A response as received.
    struct Response {
        var head: String
        var body: [UInt8]

        var status: Int { Int(self.head.split(separator: " ").dropFirst().first ?? "") ?? 0 }
        var text: String { String(decoding: self.body, as: UTF8.self) }

        func values(_ name: String) -> [String] {
            self.head.components(separatedBy: "\r\n").compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name else { return nil }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    init(port: Int) throws {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Program.Failure(description: "cannot connect to port \(port)") }
        // Only so that a test that hangs fails.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        self.close()
    }

    func close() {
        guard self.descriptor >= 0 else { return }
        Foundation.close(self.descriptor)
        self.descriptor = -1
    }

    /// Closes with a reset, as the system does for a process that dies with unread bytes.
    func abort() {
        var reset = linger(l_onoff: 1, l_linger: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        self.close()
    }

    /// Returns true if a program listens on `port`.
    static func isOpen(port: Int) -> Bool {
        (try? RawConnection(port: port)) != nil
    }

    func send(_ text: String) {
        let bytes = Array(text.unicodeScalars.map { UInt8($0.value & 0xFF) })
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Says that nothing more will be sent.
    func finishSending() {
        shutdown(self.descriptor, Int32(SHUT_WR))
    }

    private func fill() throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(self.descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            self.received.append(contentsOf: buffer[..<count])
        } else if count == 0 || errno == ECONNRESET {
            self.ended = true
        } else {
            throw Program.Failure(
                description: "nothing came; so far: \(String(decoding: self.received, as: UTF8.self))"
            )
        }
    }

    /// Reads up to and including `mark`; to the end when it never comes.
    func read(through mark: String) throws -> String {
        let mark = Array(mark.utf8)
        while true {
            if let end = self.received.firstEnd(of: mark) {
                defer { self.received.removeFirst(end) }
                return String(decoding: self.received[..<end], as: UTF8.self)
            }
            guard !self.ended else { return self.takeAll() }
            try self.fill()
        }
    }

    /// Reads `count` bytes.
    func read(count: Int) throws -> [UInt8] {
        while self.received.count < count, !self.ended { try self.fill() }
        let taken = Array(self.received.prefix(count))
        self.received.removeFirst(taken.count)
        return taken
    }

    /// Reads a response that has a Content-Length.
    func response() throws -> Response {
        let head = try self.read(through: "\r\n\r\n")
        var response = Response(head: head, body: [])
        response.body = try self.read(count: Int(response.values("content-length").first ?? "0") ?? 0)
        return response
    }

    /// Reads until the peer closes, and closes, too: a deck that stops waits a moment for clients to do so.
    func readToEnd() throws -> String {
        while !self.ended { try self.fill() }
        self.close()
        return self.takeAll()
    }

    private func takeAll() -> String {
        defer { self.received = [] }
        return String(decoding: self.received, as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate func firstEnd(of mark: [UInt8]) -> Int? {
        guard self.count >= mark.count else { return nil }
        return (0...(self.count - mark.count)).first { self[$0..<($0 + mark.count)].elementsEqual(mark) }
            .map { $0 + mark.count }
    }
}
