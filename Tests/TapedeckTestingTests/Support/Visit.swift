import TapedeckTesting

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A client of few words: GETs a URL through the deck, over a connection of its own.
enum Visit {
    struct Failed: Error {
        var call: String
    }

    /// - Returns: status and body.
    static func get(_ url: String, _ deck: Tapedeck) async throws -> (status: Int, body: String) {
        let (host, port, key) = (deck.proxyHost, deck.proxyPort, deck.sessionKey)
        // Not a global queue: its threads are those of Swift's tasks here, which the deck answers with.
        return try await OwnThread.run { try self.getBlocking(url, host, port, key) }
    }

    /// For synchronous tests.
    @available(*, noasync)
    static func get(_ url: String, _ deck: Tapedeck) throws -> (status: Int, body: String) {
        try self.getBlocking(url, deck.proxyHost, deck.proxyPort, deck.sessionKey)
    }

    private static func getBlocking(
        _ url: String,
        _ host: String,
        _ port: Int,
        _ key: String
    ) throws -> (status: Int, body: String) {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failed(call: "socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Failed(call: "inet_pton") }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failed(call: "connect") }
        let authority = url.split(separator: "/").dropFirst().first ?? ""
        let request =
            "GET \(url) HTTP/1.1\r\nHost: \(authority)\r\nX-Tapedeck-Session: \(key)\r\nConnection: close\r\n\r\n"
        let sent = send(socket, request, request.utf8.count, 0)
        guard sent == request.utf8.count else { throw Failed(call: "send") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            let end = text.firstRange(of: "\r\n\r\n")
        else { throw Failed(call: "recv") }
        return (status, String(text[end.upperBound...]))
    }
}
