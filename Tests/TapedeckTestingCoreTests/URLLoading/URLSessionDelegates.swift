import Foundation
import FoundationNetworking
import TapedeckLocking

/// Notes the calls of a session's delegate.
final class StreamingDelegate: NSObject, URLSessionDataDelegate {
    enum Event: Sendable {
        case response(Int)
        case data(Data)
        case end(URLError.Code?)
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let body: Data
    private let follows: Bool
    /// How many streams it gives.
    private let streams: Locked<Int>

    init(body: Data = Data(), follows: Bool = true, streams: Int = .max) {
        (self.events, self.continuation) = AsyncStream.makeStream(of: Event.self)
        self.body = body
        self.follows = follows
        self.streams = Locked(streams)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        self.continuation.yield(.response((response as? HTTPURLResponse)?.statusCode ?? 0))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.continuation.yield(.data(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.continuation.yield(.end((error as? URLError)?.code))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        let isLeft = self.streams.withLock { left in
            left -= 1
            return left >= 0
        }
        completionHandler(isLeft ? InputStream(data: self.body) : nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(self.follows ? request : nil)
    }
}

/// Notes what was in the files that a session's delegate is given.
final class DownloadDelegate: NSObject, URLSessionDownloadDelegate {
    let files: AsyncStream<Data?>
    private let continuation: AsyncStream<Data?>.Continuation

    override init() {
        (self.files, self.continuation) = AsyncStream.makeStream(of: Data?.self)
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        self.continuation.yield(try? Data(contentsOf: location))
        try? FileManager.default.removeItem(at: location)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.continuation.finish()
    }
}

/// Is asked about a redirect and keeps the answer to itself.
final class UndecidedDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Proof of @unchecked Sendable: `completion` is written before the stream is, and read behind that.
    let asked: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private var completion: ((URLRequest?) -> Void)?

    override init() {
        (self.asked, self.continuation) = AsyncStream.makeStream(of: Void.self)
    }

    /// Decides after all, and then once more.
    func decide() {
        self.completion?(nil)
        self.completion?(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        self.completion = completionHandler
        self.continuation.yield()
    }
}
