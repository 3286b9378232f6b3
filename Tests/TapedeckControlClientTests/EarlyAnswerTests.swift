import Foundation
import Testing

@testable import TapedeckControlClient

/// A deck that answers before it has read all of a request, and reads no further.
@Suite struct EarlyAnswerTests {
    @Test func `an early refusal is read while a large body is sent`() throws {
        let server = try EarlyServer(
            "HTTP/1.1 413 Payload Too Large\r\nContent-Type: application/problem+json\r\nContent-Length: 87\r\n\r\n"
                + #"{"type":"https://tapedeck.local/problems/too-large","title":"No","status":413,"a":"12"}"#
        )
        let transport = ControlTransport(address: try ControlAddress("http://127.0.0.1:\(server.port)"), token: nil)
        let request = ControlRequest("POST", ["sessions"], body: [UInt8](repeating: 0x20, count: 64 << 20))
        let response = try transport.response(to: request)
        #expect(response.head.status == 413)
        server.stop()
    }
}

/// Answers one connection at its first bytes, reads nothing more, and keeps it open until it is stopped.
private final class EarlyServer: Sendable {
    let port: Int
    private let listener: Int32
    private let done = DispatchSemaphore(value: 0)

    init(_ answer: String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
                    && listen(listener, 1) == 0
            }
        }
        try #require(status)
        self.listener = listener
        self.port = Int(UInt16(bigEndian: address.sin_port))
        let done = self.done
        Thread.detachNewThread {
            let connection = accept(listener, nil, nil)
            var buffer = [UInt8](repeating: 0, count: 1_024)
            _ = recv(connection, &buffer, buffer.count, 0)
            _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
            done.wait()
            close(connection)
        }
    }

    func stop() {
        self.done.signal()
        close(self.listener)
    }
}
