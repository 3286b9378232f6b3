#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import TapedeckLocking
import TapedeckPlatform

/// The file of a download task.
///
/// Foundation on Linux takes the file from a property of the task's protocol that only its own protocols can set, and
/// crashes if it is not set. So a Foundation protocol is created to set it: it downloads nothing from a socket of this
/// process, and then represents the finished download, with the real content in its file.
final class DownloadFile: @unchecked Sendable {
    // Proof of @unchecked Sendable: `handOver` is called on the queue of the represented task, after the transfer's one
    // thread has done everything else; there is no other reference when it is released.

    /// The protocol that has the file.
    private let holder: URLProtocol
    private let file: URL
    private let handle: FileHandle
    private var isHandedOver = false

    struct Failure: Error {}

    /// Makes an empty file. Blocks; not to be called where Foundation calls a protocol, as it waits for that.
    init() throws {
        let server = try OneAnswer()
        // If the environment has a proxy even this goes there, and a deck answers for this name without a session.
        let hasProxy = ["http_proxy", "all_proxy", "ALL_PROXY"].contains { (name: String) in getenv(name) != nil }
        let text = hasProxy ? "http://tapedeck.local/" : "http://127.0.0.1:\(server.port)/"
        guard let url = URL(string: text) else { throw Failure() }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let made = Made()
        let task = session.downloadTask(with: url) { file, _, _ in made.end(with: file) }
        task.resume()
        guard let state = TaskInsides.property("_protocolStorage", of: task),
            let holder = Mirror(reflecting: state).children.first?.value as? URLProtocol
        else {
            task.cancel()
            throw Failure()
        }
        if !hasProxy { server.answer() }
        guard let file = made.wait() else { throw Failure() }
        self.holder = holder
        self.file = file
        self.handle = try FileHandle(forWritingTo: file)
        try self.handle.truncate(atOffset: 0)
    }

    deinit {
        // The file of a failed or cancelled download is not handed over.
        if !self.isHandedOver { try? FileManager.default.removeItem(at: self.file) }
    }

    func write(_ data: Data) throws {
        try self.handle.write(contentsOf: data)
    }

    func finish() throws {
        try self.handle.close()
    }

    /// The protocol that has the file, which from here on is its user's.
    func handOver() -> URLProtocol {
        self.isHandedOver = true
        return self.holder
    }

    private final class Made: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let file = Locked<URL?>(nil)

        func end(with file: URL?) {
            self.file.withLock { $0 = file }
            self.semaphore.signal()
        }

        func wait() -> URL? {
            self.semaphore.wait()
            return self.file.withLock { $0 }
        }
    }

    /// A server on loopback that gives one empty answer.
    private struct OneAnswer: ~Copyable {
        let port: Int
        private let listener: Int32

        init() throws {
            self.listener = socket(AF_INET, SystemSocket.stream, 0)
            _ = fcntl(self.listener, F_SETFD, FD_CLOEXEC)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listener = self.listener
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
                        && listen(listener, 1) == 0
                }
            }
            self.port = Int(UInt16(bigEndian: address.sin_port))
            guard isListening else { throw Failure() }
        }

        deinit {
            close(self.listener)
        }

        /// Waits for the request, ten seconds at most.
        func answer() {
            var waiting = pollfd(fd: self.listener, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 10_000) == 1 else { return }
            let connection = accept(self.listener, nil, nil)
            guard connection >= 0 else { return }
            defer { close(connection) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            guard recv(connection, &bytes, bytes.count, 0) > 0 else { return }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            _ = send(connection, answer, answer.count, 0)
        }
    }
}
#endif
