import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stands for the live API: answers `GET /users/…` on a free port of the loopback address, one request per connection.
final class LocalAPI: Sendable {
    private let listener: Int32
    private let port: UInt16
    private let shown: Mutex<String>

    init(name: String) throws {
        #if canImport(Glibc)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard isOpen else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.listener = listener
        self.port = UInt16(bigEndian: address.sin_port)
        self.shown = Mutex(name)
        Thread.detachNewThread { self.serve() }
    }

    var url: String { "http://127.0.0.1:\(self.port)" }

    /// The name of every user.
    var name: String {
        get { self.shown.withLock { $0 } }
        set { self.shown.withLock { $0 = newValue } }
    }

    /// Stops listening.
    func stop() {
        shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
    }

    private func serve() {
        while true {
            let connection = accept(self.listener, nil, nil)
            guard connection >= 0 else { return }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            var head = ""
            while !head.contains("\r\n\r\n") {
                let count = read(connection, &buffer, buffer.count)
                guard count > 0 else { break }
                head += String(decoding: buffer[..<count], as: UTF8.self)
            }
            let login = head.split(separator: " ").dropFirst().first?.split(separator: "/").last ?? "nobody"
            let body = #"{"login":"\#(login)","name":"\#(self.name)"}"#
            let answer = """
                HTTP/1.1 200 OK\r
                Content-Type: application/json\r
                Content-Length: \(body.utf8.count)\r
                Connection: close\r
                \r
                \(body)
                """
            _ = Array(answer.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            close(connection)
        }
    }
}
