import Foundation
import Synchronization

/// A server that notes the request of each connection and answers as given.
final class WireServer: Sendable {
    struct Request: Sendable {
        var head: String
        var body: Data

        /// The value of a field.
        subscript(_ name: String) -> String? {
            for line in self.head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts[0].lowercased() == name { return parts[1].trimmingCharacters(in: .whitespaces) }
            }
            return nil
        }
    }

    struct Failure: Error {}

    /// The answer on a connection.
    struct Connection: Sendable {
        let descriptor: Int32

        func send(_ text: String) {
            self.send(Data(text.utf8))
        }

        func send(_ data: Data) {
            data.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                    let count = Glibc.send(self.descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return }
                    sent += count
                }
            }
        }

        /// Has the close be a reset.
        func reset() {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }

        /// Waits for the client to close.
        func hold() {
            var byte: UInt8 = 0
            while recv(self.descriptor, &byte, 1, 0) > 0 {}
        }
    }

    let port: Int
    private let notes = Notes()

    private final class Notes: Sendable {
        let requests = Mutex<[Request]>([])
    }

    init(_ answer: @escaping @Sendable (Request, Connection) -> Void) throws {
        // Open until the process ends: Swift may release the server while its client still connects, and another server
        // that got the port would answer.
        let (listener, port) = try Self.boundSocket()
        guard listen(listener, 128) == 0 else { throw Failure() }
        self.port = port
        let notes = self.notes
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                Thread.detachNewThread {
                    if let request = Self.read(descriptor) {
                        notes.requests.withLock { $0.append(request) }
                        answer(request, Connection(descriptor: descriptor))
                    }
                    close(descriptor)
                }
            }
        }
    }

    /// A port on which nothing listens, and which no other program gets.
    static func deadPort() throws -> Int { try self.boundSocket().port }

    private static func boundSocket() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isBound else { throw Failure() }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    var requests: [Request] { self.notes.requests.withLock { $0 } }

    private static func read(_ descriptor: Int32) -> Request? {
        var data = Data()
        while true {
            if let end = data.firstRange(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
                let body = data[end.upperBound...]
                if head.lowercased().contains("transfer-encoding: chunked") {
                    if let body = self.unchunked(Data(body)) { return Request(head: head, body: body) }
                } else {
                    let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
                    if body.count >= length { return Request(head: head, body: Data(body)) }
                }
            }
            var bytes = [UInt8](repeating: 0, count: 1 << 18)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            data += bytes[..<count]
        }
    }

    private static func unchunked(_ data: Data) -> Data? {
        var rest = data[...]
        var body = Data()
        while let line = rest.firstRange(of: Data("\r\n".utf8)) {
            guard let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16) else {
                return nil
            }
            guard size > 0 else { return body }
            guard rest.endIndex >= line.upperBound + size + 2 else { return nil }
            body += rest[line.upperBound..<line.upperBound + size]
            rest = rest[(line.upperBound + size + 2)...]
        }
        return nil
    }
}
