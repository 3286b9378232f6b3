import Foundation

/// The body of a request, from wherever it comes.
enum RequestBody: Sendable {
    case none
    case data(Data)
    case file(URL)
    case stream(BodyStream)

    /// A stream that is read once, by the thread of its transfer.
    final class BodyStream: @unchecked Sendable {
        // Proof of @unchecked Sendable: made by the task's queue, then read by the one thread of its transfer alone.
        private let stream: InputStream
        private var isUsed = false

        init(_ stream: InputStream) {
            self.stream = stream
        }

        deinit {
            self.stream.close()
        }

        /// Opens it. Returns false if it has been read already: a stream cannot be read again.
        func open() -> Bool {
            guard !self.isUsed else { return false }
            self.isUsed = true
            self.stream.open()
            return true
        }

        /// The next bytes, none at the end; `nil` where it fails.
        func next() -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: RequestBody.pieceSize)
            let count = self.stream.read(&bytes, maxLength: bytes.count)
            guard count >= 0 else { return nil }
            bytes.removeSubrange(count...)
            return bytes
        }
    }

    /// The size of a read and a send, in bytes.
    static let pieceSize = 256 << 10

    /// Returns its length, or `nil` if only its end determines it.
    ///
    /// - Throws: a file's error.
    func length() throws -> Int? {
        switch self {
        case .none: return 0
        case .data(let data): return data.count
        case .file(let url):
            let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size]
            return (size as? NSNumber)?.intValue
        case .stream: return nil
        }
    }

    var isPresent: Bool { if case .none = self { false } else { true } }
}
