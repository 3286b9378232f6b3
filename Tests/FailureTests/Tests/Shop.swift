import Foundation
import TapedeckTesting

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The shop that the failing tests use.
enum Shop {
    static let price = "http://shop.example/price?currency=EUR"
    static let priceInDollars = "http://shop.example/price?currency=USD"

    struct Trouble: Error {
        var text: String
    }

    /// True if the tests that fail on purpose are to run: in a child process of the tests that watch them.
    static var isFailing: Bool { getenv("TAPEDECK_FAILING") != nil }

    /// GETs a URL through the deck, over a connection of its own.
    ///
    /// - Returns: status and body.
    @discardableResult
    static func get(_ url: String, _ deck: Tapedeck) async throws -> (status: Int, body: String) {
        try await self.ask("GET", url, deck)
    }

    /// Sends a request through the deck, over a connection of its own.
    ///
    /// - Parameter headers: its lines, such as `Accept: text/plain`.
    /// - Returns: status and body.
    @discardableResult
    static func ask(
        _ method: String,
        _ url: String,
        headers: [String] = [],
        body: String = "",
        _ deck: Tapedeck
    ) async throws -> (status: Int, body: String) {
        let proxy = "\(deck.proxyURL)"
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines = ["\(method) \(url) HTTP/1.1", "Host: shop.example"] + headers + length
        return try await withCheckedThrowingContinuation { continuation in
            // Not a global queue, whose threads are those of Swift's tasks.
            Thread.detachNewThread {
                continuation.resume(with: Result { try self.askBlocking(lines, body, proxy) })
            }
        }
    }

    private static func askBlocking(
        _ lines: [String],
        _ body: String,
        _ proxy: String
    ) throws -> (status: Int, body: String) {
        guard let proxy = URLComponents(string: proxy), let id = proxy.user, let token = proxy.password,
            let host = proxy.host, let port = proxy.port
        else { throw Trouble(text: proxy) }
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Trouble(text: "socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Trouble(text: "inet_pton") }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Trouble(text: "connect") }
        let request =
            (lines + ["X-Tapedeck-Session: \(id):\(token)", "Connection: close"]).joined(separator: "\r\n")
            + "\r\n\r\n" + body
        guard send(socket, request, request.utf8.count, 0) == request.utf8.count else { throw Trouble(text: "send") }
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
        else { throw Trouble(text: "recv") }
        return (status, String(text[end.upperBound...]))
    }
}
