import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension GitHub {
    /// The notifications of a user as they come, over an event stream. Ends with the stream; leaving it ends the request.
    public func notifications() -> AsyncThrowingStream<String, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: String.self)
        let reader = EventReader(continuation)
        let session = URLSession(configuration: self.configuration, delegate: reader, delegateQueue: nil)
        guard let url = self.url("/notifications") else {
            continuation.finish(throwing: URLError(.badURL))
            return stream
        }
        let task = session.dataTask(with: url)
        continuation.onTermination = { _ in
            task.cancel()
            session.finishTasksAndInvalidate()
        }
        task.resume()
        return stream
    }

    /// Downloads the archive of a repository.
    ///
    /// - Parameter progress: told of the fraction that is there, from 0 to 1.
    /// - Returns: the size of the archive in bytes.
    public func archive(of repository: String, progress: @escaping @Sendable (Double) -> Void) async throws -> Int {
        guard let url = self.url("/repos/\(repository)/tarball") else { throw URLError(.badURL) }
        let loader = ArchiveLoader(progress)
        let session = URLSession(configuration: self.configuration, delegate: loader, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.downloadTask(with: url)
        return try await withTaskCancellationHandler {
            try await loader.run(task)
        } onCancel: {
            task.cancel()
        }
    }
}

/// Takes the data of events out of a stream of them.
private final class EventReader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Proof of @unchecked Sendable: `rest` is used on the session's delegate queue alone, which runs one call at a time.
    private let continuation: AsyncThrowingStream<String, any Error>.Continuation
    private var rest = ""

    init(_ continuation: AsyncThrowingStream<String, any Error>.Continuation) {
        self.continuation = continuation
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.rest += String(decoding: data, as: UTF8.self)
        while let end = self.rest.range(of: "\n\n") {
            let lines = self.rest[..<end.lowerBound].split(separator: "\n")
            let parts = lines.filter { $0.hasPrefix("data: ") }.map { $0.dropFirst("data: ".count) }
            self.rest.removeSubrange(..<end.upperBound)
            self.continuation.yield(parts.joined(separator: "\n"))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.continuation.finish(throwing: error)
    }
}

/// Runs one download.
private final class ArchiveLoader: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Proof of @unchecked Sendable: `continuation` is set before the task runs, and used on the delegate queue from then on.
    private let progress: @Sendable (Double) -> Void
    private var continuation: CheckedContinuation<Int, any Error>?
    private var size = 0

    init(_ progress: @escaping @Sendable (Double) -> Void) {
        self.progress = progress
    }

    func run(_ task: URLSessionDownloadTask) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            self.continuation = continuation
            task.resume()
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        self.progress(Double(totalBytesWritten) / Double(totalBytesExpectedToWrite))
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL) {
        self.size = (try? Data(contentsOf: file).count) ?? 0
        try? FileManager.default.removeItem(at: file)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.continuation?.resume(with: error.map { .failure($0) } ?? .success(self.size))
        self.continuation = nil
    }
}
