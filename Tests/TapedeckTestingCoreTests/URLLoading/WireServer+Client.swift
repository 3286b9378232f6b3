import Foundation
import FoundationNetworking
import TapedeckTestingCore
import Testing

/// A URLSession that takes the server for its deck.
extension WireServer {
    /// An answer of two bytes, behind which the connection ends.
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

    static func url(_ path: String = "/") throws -> URL {
        try #require(URL(string: "https://api.example.com\(path)"))
    }

    func client(
        _ base: URLSessionConfiguration = .ephemeral,
        delegate: (any URLSessionDelegate)? = nil
    ) -> URLSession {
        let route = ProxyRoute(host: "127.0.0.1", port: self.port, sessionKey: "s:t")
        return URLSession(configuration: route.urlSessionConfiguration(base), delegate: delegate, delegateQueue: nil)
    }
}
