import Foundation
import Synchronization

/// Accepts one connection after the other, notes the request, and sends a given answer.
final class CannedServer: Sendable {
    struct Answer: Sendable {
        enum Ending: Sendable {
            case close
            /// Waits for the client to close.
            case hold
        }

        /// Each sent by a call of its own.
        var pieces: [String]
        var ending = Ending.close

        /// An answer with this body.
        static func json(_ body: String, status: String = "200 OK", type: String = "application/json") -> Answer {
            Answer(pieces: [
                "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            ])
        }

        /// A stream of events.
        static func events(_ pieces: String..., ending: Ending = .close) -> Answer {
            Answer(pieces: ["HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"] + pieces, ending: ending)
        }
    }

    struct Failure: Error {}

    /// The request of one connection.
    struct Request: Sendable {
        var head: String
        var body: String

        var line: String { String(self.head.prefix { $0 != "\r\n" }) }
    }

    private final class Notes: Sendable {
        let requests = Mutex<[Request]>([])
    }

    let port: Int
    private let listener: Int32
    private let notes = Notes()

    /// - Parameter listens: without, its port is taken and nothing answers there.
    init(_ answers: Answer..., listens: Bool = true) throws {
        self.listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = self.listener
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
                    && (!listens || listen(listener, 16) == 0)
            }
        }
        guard status else { throw Failure() }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        guard listens else { return }
        let notes = self.notes
        Thread.detachNewThread {
            for answer in answers {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Self.serve(connection, answer, notes)
                close(connection)
            }
        }
    }

    deinit {
        // Wakes the thread, should it still wait for a connection.
        shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
    }

    var url: String { "http://127.0.0.1:\(self.port)" }

    /// The requests of the connections so far; each is noted before its answer is sent.
    var requests: [Request] { self.notes.requests.withLock { $0 } }

    private static func serve(_ connection: Int32, _ answer: Answer, _ notes: Notes) {
        guard let request = self.read(connection) else { return }
        notes.requests.withLock { $0.append(request) }
        for piece in answer.pieces {
            let bytes = Array(piece.utf8)
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { bytes in
                    send(connection, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }
        var byte: UInt8 = 0
        if answer.ending == .hold { while recv(connection, &byte, 1, 0) > 0 {} }
    }

    private static func read(_ connection: Int32) -> Request? {
        var text = ""
        while true {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: bytes[..<count], as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let head = String(text[..<end.lowerBound])
            let body = String(text[end.upperBound...])
            let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
            if body.utf8.count >= length { return Request(head: head, body: body) }
        }
    }
}
